// Request: one call of a store as a value, so that a decorator treats all verbs in one function.
//
// `send` makes the call that a Request stands for. A Request may be sent any number of times; its
// body is shared, not copied.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "objstore/object_store.h"

namespace weir::objstore {

enum class Verb : unsigned char {
  put,
  put_if_absent,
  put_if_match,
  get,
  get_range,
  head,
  list,
  remove
};
inline constexpr std::size_t kVerbs = 8;
std::string_view to_string(Verb verb);
constexpr std::size_t index_of(Verb verb) { return static_cast<std::size_t>(verb); }
/// put, put_if_absent, put_if_match.
constexpr bool is_put(Verb verb) { return verb <= Verb::put_if_match; }
/// Changes something: a lost answer leaves open what the store holds.
constexpr bool is_write(Verb verb) { return is_put(verb) || verb == Verb::remove; }
constexpr bool is_conditional(Verb verb) {
  return verb == Verb::put_if_absent || verb == Verb::put_if_match;
}

/// The error says for certain that the request changed nothing (object_store.h).
bool certainly_not_applied(const Error& error);
/// The error leaves open whether the request was applied.
bool outcome_unclear(const Error& error);

struct Request {
  Verb verb = Verb::get;
  /// The object, or the prefix of a listing.
  std::string name = {};
  /// Of a put.
  BytesChain body = {};
  /// The etag of put_if_match, the continuation of a listing.
  std::string tag = {};
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  /// Of a deletion.
  std::vector<std::string> names = {};
};

/// T is what the verb answers with: std::string (an etag) for puts, SharedBytes for get and
/// get_range, ObjectInfo, ObjectStore::Page, ObjectStore::RemoveFailures.
template <class T>
rt::Task<Result<T>> send(ObjectStore& store, Request request);

}  // namespace weir::objstore
