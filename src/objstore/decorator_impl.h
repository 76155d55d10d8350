// The verbs of a Decorator, for the source file of each decorator alone.
#pragma once

#include "objstore/decorator.h"

namespace weir::objstore {

template <class Self>
rt::Task<Result<std::string>> Decorator<Self>::put(std::string name, BytesChain body) {
  return self().template around<std::string>(
      {.verb = Verb::put, .name = std::move(name), .body = std::move(body)});
}

template <class Self>
rt::Task<Result<std::string>> Decorator<Self>::put_if_absent(std::string name, BytesChain body) {
  return self().template around<std::string>(
      {.verb = Verb::put_if_absent, .name = std::move(name), .body = std::move(body)});
}

template <class Self>
rt::Task<Result<std::string>> Decorator<Self>::put_if_match(std::string name, BytesChain body,
                                                            std::string etag) {
  return self().template around<std::string>({.verb = Verb::put_if_match,
                                              .name = std::move(name),
                                              .body = std::move(body),
                                              .tag = std::move(etag)});
}

template <class Self>
rt::Task<Result<SharedBytes>> Decorator<Self>::get(std::string name) {
  return self().template around<SharedBytes>({.verb = Verb::get, .name = std::move(name)});
}

template <class Self>
rt::Task<Result<SharedBytes>> Decorator<Self>::get_range(std::string name, std::uint64_t offset,
                                                         std::uint64_t length) {
  return self().template around<SharedBytes>(
      {.verb = Verb::get_range, .name = std::move(name), .offset = offset, .length = length});
}

template <class Self>
rt::Task<Result<ObjectInfo>> Decorator<Self>::head(std::string name) {
  return self().template around<ObjectInfo>({.verb = Verb::head, .name = std::move(name)});
}

template <class Self>
rt::Task<Result<ObjectStore::Page>> Decorator<Self>::list(std::string prefix,
                                                          std::string continuation) {
  return self().template around<Page>(
      {.verb = Verb::list, .name = std::move(prefix), .tag = std::move(continuation)});
}

template <class Self>
rt::Task<Result<ObjectStore::RemoveFailures>> Decorator<Self>::remove(
    std::vector<std::string> names) {
  return self().template around<RemoveFailures>({.verb = Verb::remove, .names = std::move(names)});
}

}  // namespace weir::objstore
