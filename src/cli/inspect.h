// How objects of a bucket are shown: bytes in, JSON and text out. Pure.
#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <string>

#include "base/bytes.h"
#include "base/ids.h"
#include "cli/json_line.h"
#include "state/entry.h"

namespace weir::cli {

struct Shown {
  boost::json::object json;
  /// Lines for people.
  std::string text;
  /// False: something does not match its checksum or format; `json` and `text` say what.
  bool good = true;
};

Shown show_segment(const std::string& name, const SharedBytes& bytes);
Shown show_snapshot(const std::string& name, const SharedBytes& bytes);
/// What topics are called, as far as it is known.
using TopicNames = std::map<TopicId, std::string>;
/// `name`: the object, or the log and position. Commands that make topics add to `names`.
Shown show_entry(const std::string& name, const SharedBytes& bytes);
Shown show_entry(const std::string& name, const SharedBytes& bytes, TopicNames& names);
/// Adds what a command says to its JSON and its line.
void describe_command(const state::EncodedCommand& encoded, FeatureLevel level, TopicNames& names,
                      boost::json::object& out, std::string& text);
/// "2026-01-31T12:34:56.789Z".
std::string utc_text(std::int64_t millis);
/// Whichever of them it is by its first bytes; else its size and beginning.
Shown show_object(const std::string& name, const SharedBytes& bytes);

/// "damaged: …" in both forms.
Shown show_damage(const std::string& name, std::size_t bytes, const std::string& what);

}  // namespace weir::cli
