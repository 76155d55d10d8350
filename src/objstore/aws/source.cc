#include "objstore/aws/source.h"

#include "http/json_fields.h"
#include "objstore/aws/limits.h"
#include "objstore/iso_time.h"

namespace weir::objstore::aws {
std::string variable(const Surroundings& in, std::string_view name) {
  auto found = in.variables.find(name);
  return found == in.variables.end() ? std::string() : found->second;
}

rt::Task<Result<std::string>> read_small_file(const Surroundings& in, std::string path) {
  return objstore::read_small_file({in.client.loop(), in.workers, in.files}, std::move(path));
}

Result<Credentials> credentials_of_json(std::string_view text, const std::string& who) {
  auto fields = http::JsonFields::parse(text);
  if (!fields) return with_context(fields.error(), who);
  std::string_view code = fields->text("Code");
  if (!code.empty() && code != "Success")
    return fail(ErrorCode::configuration, who + ": " + std::string(code));
  Credentials out;
  out.access_key_id = fields->text("AccessKeyId");
  out.secret_access_key = Secret(std::string(fields->text("SecretAccessKey")));
  std::string_view token = fields->text("SessionToken");
  out.session_token = Secret(std::string(token.empty() ? fields->text("Token") : token));
  if (out.access_key_id.empty() || out.secret_access_key.empty())
    return fail(ErrorCode::corrupt, who + ": the answer lacks AccessKeyId or SecretAccessKey");
  if (std::string_view when = fields->text("Expiration"); !when.empty()) {
    auto time = parse_iso_time(when);
    if (!time) return with_context(time.error(), who);
    out.expires_at = *time;
  }
  return out;
}

}  // namespace weir::objstore::aws
