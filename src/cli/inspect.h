// How objects of a bucket are shown: bytes in, JSON and text out. Pure.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "base/bytes.h"
#include "cli/json_line.h"

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
/// `name`: the object, or the log and position.
Shown show_entry(const std::string& name, const SharedBytes& bytes);
/// Whichever of them it is by its first bytes; else its size and beginning.
Shown show_object(const std::string& name, const SharedBytes& bytes);

/// "damaged: …" in both forms.
Shown show_damage(const std::string& name, std::size_t bytes, const std::string& what);

}  // namespace weir::cli
