// Regular expressions of subscriptions (KIP-848): RE2's syntax, a whole topic name must match.
//
// Linear time and bounded memory, whatever a client sends. Resolved by the broker that proposes an
// assignment; the result travels in the command, so the state never runs an expression.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace weir::engine {

class TopicRegex {
 public:
  explicit TopicRegex(const std::string& regex);
  ~TopicRegex();

  /// Why it is none, as a sentence; empty if it is one. Then nothing matches.
  const std::string& problem() const { return problem_; }
  bool matches(std::string_view topic) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
  std::string problem_;
};

}  // namespace weir::engine
