#include "objstore/aws/source.h"

#include "base/narrow.h"
#include "http/json_fields.h"
#include "objstore/aws/limits.h"
#include "objstore/iso_time.h"

namespace weir::objstore::aws {
namespace {

Result<std::string> read_whole(rt::FileSystem& files, const std::string& path) {
  auto file = files.open(path, rt::OpenMode::read);
  if (!file) return std::unexpected(file.error());
  auto size = (*file)->size();
  if (!size) return std::unexpected(size.error());
  if (*size > kCredentialFileBytesMax)
    return fail(ErrorCode::too_large, path + " has " + std::to_string(*size) + " bytes");
  std::string text(narrow<std::size_t>(*size), '\0');
  auto got = (*file)->read_at(0, std::as_writable_bytes(std::span(text)));
  if (!got) return std::unexpected(got.error());
  text.resize(*got);
  return text;
}

}  // namespace

std::string variable(const Surroundings& in, std::string_view name) {
  auto found = in.variables.find(name);
  return found == in.variables.end() ? std::string() : found->second;
}

rt::Task<Result<std::string>> read_small_file(const Surroundings& in, std::string path) {
  Result<std::string> text = co_await rt::run_blocking(in.client.loop(), in.workers,
                                                       [&] { return read_whole(in.files, path); });
  if (!text && !text.error().is(ErrorCode::not_found))
    co_return with_context({ErrorCode::configuration, text.error().message}, "reading " + path);
  co_return text;
}

rt::Task<Result<http::ClientResponse>> ask(http::Client& client, http::ClientRequest request,
                                           std::string who) {
  auto answer = co_await client.send(std::move(request));
  if (!answer) {
    Error error = std::move(answer).error();
    if (!error.is(ErrorCode::configuration)) error.code = ErrorCode::unavailable;
    co_return with_context(std::move(error), who);
  }
  if (answer->status == 200) co_return answer;
  ErrorCode code = answer->status == 404                            ? ErrorCode::not_found
                   : answer->status == 429 || answer->status >= 500 ? ErrorCode::unavailable
                                                                    : ErrorCode::configuration;
  co_return fail(code, who + " answered with status " + std::to_string(answer->status));
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
