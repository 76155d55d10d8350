#include "objstore/request.h"

#include <array>

namespace weir::objstore {

std::string_view to_string(Verb verb) {
  static constexpr std::array<std::string_view, kVerbs> kNames = {
      "put", "put_if_absent", "put_if_match", "get", "get_range", "head", "list", "delete"};
  return kNames[index_of(verb)];
}

bool certainly_not_applied(const Error& error) {
  switch (error.code) {
    case ErrorCode::unavailable:
    case ErrorCode::out_of_space:
    case ErrorCode::configuration:
    case ErrorCode::too_large:
    case ErrorCode::invalid_argument:
    case ErrorCode::unsupported: return true;
    default: return false;
  }
}

bool outcome_unclear(const Error& error) {
  switch (error.code) {
    case ErrorCode::unknown_outcome:
    case ErrorCode::timed_out:
    case ErrorCode::cancelled:
    case ErrorCode::closed:
    case ErrorCode::internal: return true;
    default: return false;
  }
}

template <>
rt::Task<Result<std::string>> send(ObjectStore& store, Request r) {
  if (r.verb == Verb::put) return store.put(std::move(r.name), std::move(r.body));
  if (r.verb == Verb::put_if_absent)
    return store.put_if_absent(std::move(r.name), std::move(r.body));
  ENSURE(r.verb == Verb::put_if_match);
  return store.put_if_match(std::move(r.name), std::move(r.body), std::move(r.tag));
}

template <>
rt::Task<Result<SharedBytes>> send(ObjectStore& store, Request r) {
  if (r.verb == Verb::get) return store.get(std::move(r.name));
  ENSURE(r.verb == Verb::get_range);
  return store.get_range(std::move(r.name), r.offset, r.length);
}

template <>
rt::Task<Result<ObjectInfo>> send(ObjectStore& store, Request r) {
  ENSURE(r.verb == Verb::head);
  return store.head(std::move(r.name));
}

template <>
rt::Task<Result<ObjectStore::Page>> send(ObjectStore& store, Request r) {
  ENSURE(r.verb == Verb::list);
  return store.list(std::move(r.name), std::move(r.tag));
}

template <>
rt::Task<Result<ObjectStore::RemoveFailures>> send(ObjectStore& store, Request r) {
  ENSURE(r.verb == Verb::remove);
  return store.remove(std::move(r.names));
}

}  // namespace weir::objstore
