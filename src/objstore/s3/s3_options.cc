#include "objstore/s3/s3_options.h"

#include <algorithm>
#include <array>

#include "objstore/limits.h"
#include "objstore/object_name.h"

namespace weir::objstore::s3 {
namespace {

constexpr std::array<std::string_view, 14> kKnown = {
    "region",         "endpoint",       "path_style", "dual_stack",   "fips",
    "ca_file",        "proxy",          "checksum",   "payload",      "sse",
    "sse_kms_key_id", "sse_bucket_key", "tags",       "storage_class"};
constexpr std::string_view kDirectorySuffix = "--x-s3";

std::unexpected<Error> wrong(std::string why) {
  return fail(ErrorCode::invalid_argument, std::move(why));
}

/// Reads options, keeping the first thing that is wrong.
class Reader {
 public:
  explicit Reader(const StoreUrl& url) : url_(url) {}

  std::string text(std::string_view name) const {
    auto found = url_.options.find(name);
    return found == url_.options.end() ? "" : found->second;
  }
  std::optional<bool> flag(std::string_view name) {
    std::string value = text(name);
    if (value == "true") return true;
    if (!value.empty() && value != "false") refuse(name, value, "true, false");
    return value.empty() ? std::nullopt : std::optional(false);
  }
  std::string one_of(std::string_view name, std::initializer_list<std::string_view> allowed) {
    std::string value = text(name);
    if (value.empty() || std::ranges::find(allowed, value) != allowed.end()) return value;
    std::string list;
    for (std::string_view item : allowed) list.append(list.empty() ? "" : ", ").append(item);
    refuse(name, value, list);
    return value;
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  void refuse(std::string_view name, std::string_view value, std::string_view allowed) {
    if (error_) return;
    error_ = Error{ErrorCode::invalid_argument, std::string(name) + " is one of " +
                                                    std::string(allowed) + ", not '" +
                                                    std::string(value) + "'"};
  }

  const StoreUrl& url_;
  std::optional<Error> error_;
};

Result<void> check_known(const StoreUrl& url, const std::vector<std::string_view>& others) {
  for (const auto& [name, value] : url.options) {
    if (std::ranges::find(kKnown, name) != kKnown.end()) continue;
    if (std::ranges::find(others, name) != others.end()) continue;
    std::string list;
    for (std::string_view known : kKnown) list.append(list.empty() ? "" : ", ").append(known);
    for (std::string_view known : others) list.append(", ").append(known);
    return wrong("unknown option '" + name + "', known are " + list);
  }
  return {};
}

bool is_label(std::string_view text) {
  auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
  };
  return !text.empty() && std::ranges::all_of(text, fits);
}

/// Amazon's rule, with what old and foreign buckets may have besides.
Result<void> check_bucket(const std::string& bucket) {
  auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
  };
  if (bucket.size() < 3 || bucket.size() > 63 || !std::ranges::all_of(bucket, fits) ||
      bucket.front() == '.' || bucket.find("..") != std::string::npos)
    return wrong("'" + bucket + "' is no bucket name: 3 to 63 of letters, digits, '-', '.'");
  return {};
}

Result<std::string> prefix_of(const StoreUrl& url) {
  std::string_view path = url.path;
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  if (path.empty()) return std::string();
  if (auto good = check_name(path); !good)
    return wrong("the prefix after the bucket: " + good.error().message);
  if (path.size() > kNameBytesMax / 2) return wrong("the prefix after the bucket is too long");
  return std::string(path);
}

Result<std::string> checked_endpoint(std::string endpoint) {
  while (endpoint.ends_with('/')) endpoint.pop_back();
  std::size_t host = endpoint.starts_with("http://") ? 7 : endpoint.starts_with("https://") ? 8 : 0;
  std::string_view rest = std::string_view(endpoint).substr(host);
  if (host == 0 || rest.empty() || rest.find_first_of("/?#@ ") != std::string_view::npos)
    return wrong("endpoint is http://HOST[:PORT] or https://HOST[:PORT], without a path, not '" +
                 (host == 0 ? endpoint : endpoint.substr(0, host) + "…") + "'");
  return endpoint;
}

/// "name--euw1-az1--x-s3" has the zone "euw1-az1".
std::string zone_of(std::string_view bucket) {
  if (!bucket.ends_with(kDirectorySuffix)) return "";
  bucket.remove_suffix(kDirectorySuffix.size());
  std::size_t at = bucket.rfind("--");
  return at == std::string_view::npos ? "" : std::string(bucket.substr(at + 2));
}

struct AmazonChoice {
  bool dual_stack = false;
  bool fips = false;
};

std::string amazon_endpoint(const S3Options& options, AmazonChoice choice) {
  std::string host = options.is_directory_bucket() ? "s3express" : std::string("s3");
  if (choice.fips) host += "-fips";
  if (options.is_directory_bucket()) host += "-" + options.zone;
  if (choice.dual_stack) host += ".dualstack";
  host += "." + options.region + ".amazonaws.com";
  if (options.region.starts_with("cn-")) host += ".cn";
  return "https://" + host;
}

std::string variable(const Variables& variables, std::initializer_list<std::string_view> names) {
  for (std::string_view name : names)
    if (auto found = variables.find(name); found != variables.end() && !found->second.empty())
      return found->second;
  return "";
}

Result<void> check_directory_bucket(const S3Options& options) {
  if (!options.is_directory_bucket()) return {};
  if (!options.tags.empty() || !options.storage_class.empty())
    return wrong("a directory bucket knows neither tags nor storage_class; leave them out");
  if (options.path_style) return wrong("a directory bucket is reached by virtual host only");
  return {};
}

}  // namespace

std::string S3Options::base_url() const {
  if (path_style) return endpoint + "/" + bucket;
  std::size_t host = endpoint.find("://") + 3;
  return endpoint.substr(0, host) + bucket + "." + endpoint.substr(host);
}

std::string S3Options::describe() const {
  return "s3://" + bucket + (prefix.empty() ? "" : "/" + prefix);
}

Result<S3Options> s3_options(const StoreUrl& url, const Variables& variables,
                             const std::vector<std::string_view>& credential_options) {
  WEIR_TRY(check_known(url, credential_options));
  WEIR_TRY(check_bucket(url.authority));
  auto prefix = prefix_of(url);
  if (!prefix) return std::unexpected(prefix.error());
  Reader reader(url);
  S3Options options;
  options.bucket = url.authority;
  options.prefix = std::move(*prefix);
  options.zone = zone_of(options.bucket);
  options.ca_file = reader.text("ca_file");
  if (std::string proxy = reader.text("proxy"); !proxy.empty())
    options.proxy = proxy == "none" ? "" : proxy;
  options.checksum = reader.one_of("checksum", {"crc32c", "none"}) != "none";
  std::string payload = reader.one_of("payload", {"auto", "signed", "unsigned"});
  if (payload == "signed") options.payload = PayloadSigning::always;
  if (payload == "unsigned") options.payload = PayloadSigning::never;
  options.sse = reader.one_of("sse", {"AES256", "aws:kms", "aws:kms:dsse"});
  options.sse_kms_key_id = reader.text("sse_kms_key_id");
  options.sse_bucket_key = reader.flag("sse_bucket_key").value_or(false);
  options.storage_class = reader.text("storage_class");
  options.tags = reader.text("tags");
  AmazonChoice choice{.dual_stack = reader.flag("dual_stack").value_or(false),
                      .fips = reader.flag("fips").value_or(false)};
  std::optional<bool> path_style = reader.flag("path_style");
  if (reader.error()) return std::unexpected(*reader.error());

  std::string endpoint = reader.text("endpoint");
  if (endpoint.empty()) endpoint = variable(variables, {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
  options.region = reader.text("region");
  if (options.region.empty())
    options.region = variable(variables, {"AWS_REGION", "AWS_DEFAULT_REGION"});
  // Stores of others have one region, whose name most of them do not look at.
  if (options.region.empty() && !endpoint.empty()) options.region = "us-east-1";
  if (options.region.empty()) return wrong("name the bucket's region, as in ?region=eu-west-1");
  if (!is_label(options.region)) return wrong("'" + options.region + "' is no region");
  if (!endpoint.empty()) {
    auto checked = checked_endpoint(std::move(endpoint));
    if (!checked) return std::unexpected(checked.error());
    options.endpoint = std::move(*checked);
    options.path_style = path_style.value_or(!options.is_directory_bucket());
  } else {
    options.endpoint = amazon_endpoint(options, choice);
    // Amazon's certificate covers no dots before its own name.
    options.path_style = path_style.value_or(options.bucket.find('.') != std::string::npos);
  }
  if (!options.sse_kms_key_id.empty() && !options.sse.starts_with("aws:kms"))
    return wrong("sse_kms_key_id needs sse=aws:kms");
  WEIR_TRY(check_directory_bucket(options));
  return options;
}

}  // namespace weir::objstore::s3
