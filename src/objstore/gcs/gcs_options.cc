#include "objstore/gcs/gcs_options.h"

#include <algorithm>

#include "objstore/gcs/limits.h"
#include "objstore/object_name.h"

namespace weir::objstore::gcs {
namespace {

std::unexpected<Error> wrong(std::string why) {
  return fail(ErrorCode::invalid_argument, std::move(why));
}

std::string option(const StoreUrl& url, std::string_view name) {
  auto found = url.options.find(name);
  return found == url.options.end() ? std::string() : found->second;
}

/// Google's rule: 3 … 222 of lower-case letters, digits and "-_.".
bool is_bucket(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
  return name.size() >= 3 && name.size() <= 222 &&
         name.find_first_not_of(kAllowed) == std::string_view::npos;
}

}  // namespace

std::string escape(std::string_view text) {
  static constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (unsigned char c : text) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      out.push_back(static_cast<char>(c));
    } else {
      out += {'%', kDigits[c >> 4], kDigits[c & 15]};
    }
  }
  return out;
}

std::string GcsOptions::describe() const {
  return "gs://" + bucket + (prefix.empty() ? "" : "/" + prefix);
}

Result<GcsOptions> gcs_options(const StoreUrl& url, const Variables& variables) {
  WEIR_TRY(check_options(url, {"endpoint", "credentials_file", "ca_file", "proxy"}));
  GcsOptions out;
  out.bucket = url.authority;
  if (!is_bucket(out.bucket)) return wrong("'" + out.bucket + "' is not the name of a bucket");
  out.prefix = url.path;
  while (out.prefix.starts_with('/')) out.prefix.erase(0, 1);
  if (!out.prefix.empty()) {
    auto checked = check_name(out.prefix);
    if (!checked) return wrong("prefix: " + checked.error().message);
  }
  out.credentials_file = option(url, "credentials_file");
  out.ca_file = option(url, "ca_file");
  if (std::string proxy = option(url, "proxy"); !proxy.empty())
    out.proxy = proxy == "none" ? "" : proxy;
  out.same_name_gap = kSameNameGap;
  out.request_timeout = kRequestMax;
  out.endpoint = option(url, "endpoint");
  auto emulator = variables.find("STORAGE_EMULATOR_HOST");
  if (out.endpoint.empty() && emulator != variables.end() && !emulator->second.empty()) {
    out.endpoint = emulator->second;
    if (!out.endpoint.starts_with("http")) out.endpoint = "http://" + out.endpoint;
    out.anonymous = out.credentials_file.empty();
    out.same_name_gap = 0s;
  }
  if (out.endpoint.empty()) out.endpoint = "https://storage.googleapis.com";
  if (!out.endpoint.starts_with("http://") && !out.endpoint.starts_with("https://"))
    return wrong("endpoint begins with http:// or https://");
  while (out.endpoint.ends_with('/')) out.endpoint.pop_back();
  return out;
}

}  // namespace weir::objstore::gcs
