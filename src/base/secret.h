// Secret: text that must never be seen by chance.
//
// Keys, tokens and passwords travel in this type from where they are read to where they are used.
// It prints as *** and converts to nothing, so a log line, a message, a metric or a dump can only
// hold one if somebody wrote `reveal()` there; reviewers look for that word.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

namespace weir {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}

  /// The text itself, for a signature, a header or a body that goes to its rightful receiver.
  const std::string& reveal() const { return value_; }
  bool empty() const { return value_.empty(); }
  /// What may be shown: *** if there is something.
  std::string_view shown() const { return value_.empty() ? "" : "***"; }

  /// For deciding whether a refresh brought anything new, not for checking a peer's claim: the time
  /// depends on the contents.
  friend bool operator==(const Secret&, const Secret&) = default;
  template <class Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                      const Secret& secret) {
    return out << secret.shown();
  }

 private:
  std::string value_;
};

}  // namespace weir
