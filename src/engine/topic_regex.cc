#include "engine/topic_regex.h"

#include <re2/re2.h>

#include "engine/consumer_groups_api.h"
#include "engine/limits.h"

namespace weir::engine {
namespace {

RE2::Options options() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kRegexMemoryBytesMax);
  return options;
}

}  // namespace

struct TopicRegex::Compiled {
  explicit Compiled(const std::string& regex) : re(regex, options()) {}
  RE2 re;
};

TopicRegex::TopicRegex(const std::string& regex) {
  if (regex.size() > kRegexBytesMax) {
    problem_ = "The expression is longer than " + std::to_string(kRegexBytesMax) + " bytes.";
    return;
  }
  auto compiled = std::make_unique<Compiled>(regex);
  if (compiled->re.ok())
    compiled_ = std::move(compiled);
  else
    problem_ = compiled->re.error() + ".";
}

TopicRegex::~TopicRegex() = default;

bool TopicRegex::matches(std::string_view topic) const {
  return compiled_ && RE2::FullMatch(re2::StringPiece(topic.data(), topic.size()), compiled_->re);
}

std::string regex_problem(const std::string& regex) { return TopicRegex(regex).problem(); }

}  // namespace weir::engine
