// Store URLs: `scheme://authority/path?option=value&…`, as in `--store` and `--log`.
//
//   file:///srv/weir?sync=none      a directory
//   memory://   null://             nothing that lasts
//   s3://bucket/prefix?region=…     read by the driver of that scheme
//
// `${VAR}` expands before anything else is read. Percent escapes count in path and option values.
// An error message names what is wrong and what is known; of
// which URL it speaks, the caller adds. Pure; the environment is a parameter.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weir::objstore {

using Variables = std::map<std::string, std::string, std::less<>>;

struct StoreUrl {
  std::string scheme;     // lower case
  std::string authority;  // bucket; empty for file, memory, null
  std::string path;       // with its leading '/'; without trailing ones
  std::map<std::string, std::string, std::less<>> options;
};

/// `invalid_argument` names the variable that is not set. `$${` stands for `${`.
Result<std::string> expand_variables(std::string_view text, const Variables& variables);

/// Expands and takes apart. Checks the form and the scheme (file, memory, null, s3, gs), not the
/// options.
Result<StoreUrl> parse_store_url(std::string_view text, const Variables& variables);

/// `invalid_argument` if the URL has an option that is not among `known`.
Result<void> check_options(const StoreUrl& url, std::initializer_list<std::string_view> known);

struct FileUrl {
  std::string path;
  bool sync = true;
  /// Large objects are written and read without the page cache where the file system can do it.
  bool direct = true;
};
Result<FileUrl> file_url(const StoreUrl& url);

}  // namespace weir::objstore
