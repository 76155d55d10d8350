#include "objstore/service.h"

#include "base/narrow.h"
#include "objstore/limits.h"

namespace weir::objstore {
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

rt::Task<Result<std::string>> read_small_file(FileReader reader, std::string path) {
  Result<std::string> text = co_await rt::run_blocking(
      reader.loop, reader.workers, [&] { return read_whole(reader.files, path); });
  if (!text && !text.error().is(ErrorCode::not_found))
    co_return with_context({ErrorCode::configuration, text.error().message}, "reading " + path);
  co_return text;
}

rt::Task<Result<http::ClientResponse>> ask_service(http::Client& client,
                                                   http::ClientRequest request, std::string who) {
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

}  // namespace weir::objstore
