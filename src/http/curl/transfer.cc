#include "http/curl/transfer.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "base/narrow.h"
#include "http/curl/curl_error.h"
#include "http/curl/limits.h"

namespace weir::http::curl {
namespace {

bool carries_body(Method method) {
  return method == Method::put || method == Method::post || method == Method::patch;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return text;
}

long milliseconds(Duration duration) {
  // 0 would mean "for ever".
  return std::max<long>(1, narrow<long>(duration / 1ms));
}

}  // namespace

Transfer::Transfer(Engine& engine, const ClientRequest& request)
    : engine_(engine), request_(request), handle_(engine.take_handle()) {}

Transfer::~Transfer() {
  if (!handle_) return;
  engine_.remove(*this);
  engine_.give_handle(handle_);
  curl_slist_free_all(header_list_);
}

Result<void> Transfer::start(const CurlOptions& options) {
  if (!handle_) return fail(ErrorCode::unavailable, "out of memory for a request");
  WEIR_TRY(set_options(options));
  return engine_.add(*this);
}

Result<void> Transfer::set_options(const CurlOptions& options) {
  auto set = [this](CURLoption option, auto value) { curl_easy_setopt(handle_, option, value); };
  set(CURLOPT_URL, request_.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_PATH_AS_IS, 1L);
  set(CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_PRIVATE, static_cast<void*>(this));
  set(CURLOPT_ERRORBUFFER, message_.data());
  set(CURLOPT_TIMEOUT_MS, milliseconds(request_.timeout));
  set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(request_.connect_timeout));
  set(CURLOPT_MAXAGE_CONN, static_cast<long>(kConnectionIdleMax.count()));
  set(CURLOPT_DNS_CACHE_TIMEOUT, kDnsSeconds);
  // A store behind many addresses is used through many of them.
  set(CURLOPT_DNS_SHUFFLE_ADDRESSES, 1L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_TCP_KEEPIDLE, kTcpKeepAliveSeconds);
  set(CURLOPT_TCP_KEEPINTVL, kTcpKeepAliveSeconds);
  set(CURLOPT_BUFFERSIZE, kTransferBytes);
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  if (!options.ca_file.empty()) set(CURLOPT_CAINFO, options.ca_file.c_str());
  if (!request_.use_proxy)
    set(CURLOPT_PROXY, "");
  else if (options.proxy)
    set(CURLOPT_PROXY, options.proxy->c_str());
  set(CURLOPT_HEADERFUNCTION, &Transfer::take_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, &Transfer::take_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  if (request_.method == Method::head) set(CURLOPT_NOBODY, 1L);
  if (request_.method == Method::remove) set(CURLOPT_CUSTOMREQUEST, "DELETE");
  if (carries_body(request_.method)) set_body();

  // An empty value keeps libcurl from adding its own.
  for (const char* line : {"Expect:", "Accept:"})
    header_list_ = curl_slist_append(header_list_, line);
  for (const auto& [name, value] : request_.headers) {
    std::string line = name + (value.empty() ? ";" : ": " + value);
    if (line.find_first_of("\r\n") != std::string::npos)
      return fail(ErrorCode::invalid_argument, "header field '" + name + "' holds a line break");
    header_list_ = curl_slist_append(header_list_, line.c_str());
  }
  set(CURLOPT_HTTPHEADER, header_list_);
  return {};
}

void Transfer::set_body() {
  auto set = [this](CURLoption option, auto value) { curl_easy_setopt(handle_, option, value); };
  set(CURLOPT_UPLOAD, 1L);
  set(CURLOPT_CUSTOMREQUEST, to_string(request_.method).data());
  set(CURLOPT_INFILESIZE_LARGE, narrow<curl_off_t>(request_.body.size()));
  set(CURLOPT_UPLOAD_BUFFERSIZE, kTransferBytes);
  set(CURLOPT_READFUNCTION, &Transfer::read_body);
  set(CURLOPT_READDATA, static_cast<void*>(this));
  // libcurl repeats a request by itself if a reused connection dies before any answer. It must
  // rewind for that, which we refuse: what was sent may be applied. There is nothing to rewind in
  // an empty body, so that one gets a connection of its own.
  set(CURLOPT_SEEKFUNCTION, &Transfer::rewind_body);
  set(CURLOPT_SEEKDATA, static_cast<void*>(this));
  if (request_.body.empty()) set(CURLOPT_FRESH_CONNECT, 1L);
}

std::size_t Transfer::read_body(char* into, std::size_t size, std::size_t items, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  MutableBytes room = std::as_writable_bytes(std::span(into, size * items));
  std::size_t done = 0;
  const std::vector<SharedBytes>& parts = transfer.request_.body.parts();
  while (done < room.size() && transfer.part_ < parts.size()) {
    Bytes rest = parts[transfer.part_].view().subspan(transfer.part_at_);
    std::size_t bytes = std::min(rest.size(), room.size() - done);
    std::memcpy(room.subspan(done, bytes).data(), rest.data(), bytes);
    done += bytes;
    transfer.part_at_ += bytes;
    if (bytes < rest.size()) break;
    ++transfer.part_;
    transfer.part_at_ = 0;
  }
  return done;
}

int Transfer::rewind_body(void*, curl_off_t, int) { return CURL_SEEKFUNC_FAIL; }

std::size_t Transfer::take_header(char* bytes, std::size_t size, std::size_t items, void* self) {
  std::string_view line(bytes, size * items);
  return static_cast<Transfer*>(self)->add_header_line(line) ? line.size() : 0;
}

bool Transfer::add_header_line(std::string_view line) {
  if (line.starts_with("HTTP/")) {
    // Of an interim answer nothing is kept.
    headers_.clear();
    header_bytes_ = 0;
    return true;
  }
  header_bytes_ += line.size();
  if (header_bytes_ > kClientHeaderBytesMax) {
    too_large_ = true;
    return false;
  }
  std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return true;
  std::string name(trimmed(line.substr(0, colon)));
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  headers_.emplace_back(std::move(name), trimmed(line.substr(colon + 1)));
  return true;
}

std::size_t Transfer::take_body(char* bytes, std::size_t size, std::size_t items, void* self) {
  Bytes piece = std::as_bytes(std::span(bytes, size * items));
  return static_cast<Transfer*>(self)->append(piece) ? piece.size() : 0;
}

bool Transfer::append(Bytes bytes) {
  if (bytes.empty()) return true;
  if (!make_room(bytes.size())) {
    too_large_ = true;
    return false;
  }
  std::memcpy(body_.data().subspan(body_bytes_).data(), bytes.data(), bytes.size());
  body_bytes_ += bytes.size();
  return true;
}

bool Transfer::make_room(std::size_t more) {
  if (more > request_.response_bytes_max - body_bytes_) return false;
  if (more <= body_.size() - body_bytes_) return true;
  std::size_t wanted = std::max({2 * body_.size(), body_bytes_ + more, kUnknownBodyBytes});
  curl_off_t announced = -1;
  if (body_.empty()) {
    curl_easy_getinfo(handle_, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced);
    if (announced > 0) wanted = std::max(more, static_cast<std::size_t>(announced));
    // A refusal may be longer than the object that was asked for, and still fits; an object that
    // does not is refused before it is read.
    if (announced > 0 && wanted > request_.response_bytes_max) return false;
  }
  Buffer larger = Buffer::make(std::min(wanted, request_.response_bytes_max));
  if (body_bytes_ > 0) std::memcpy(larger.data().data(), body_.data().data(), body_bytes_);
  body_ = std::move(larger);
  return true;
}

void Transfer::finished(std::optional<CURLcode> code) {
  code_ = code;
  ended_ = true;
  if (waiting_) engine_.loop().post(std::exchange(waiting_, nullptr));
}

bool Transfer::anything_sent() const {
  long bytes = 0;
  curl_easy_getinfo(handle_, CURLINFO_REQUEST_SIZE, &bytes);
  return bytes > 0;
}

Result<ClientResponse> Transfer::result() {
  long opened = 0;
  curl_easy_getinfo(handle_, CURLINFO_NUM_CONNECTS, &opened);
  engine_.connections_opened += static_cast<std::size_t>(opened);
  if (too_large_)
    return fail(ErrorCode::too_large, "the answer is longer than the " +
                                          std::to_string(request_.response_bytes_max) +
                                          " bytes allowed");
  if (!code_) return fail(ErrorCode::cancelled, "the HTTP client is being stopped");
  if (*code_ != CURLE_OK)
    return std::unexpected(error_of({.code = *code_,
                                     .anything_sent = anything_sent(),
                                     .message = message_.data(),
                                     .url = request_.url}));
  long status = 0;
  curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
  ClientResponse response;
  response.status = narrow<int>(status);
  response.headers = std::move(headers_);
  response.body = SharedBytes(std::move(body_));
  if (response.body.size() > body_bytes_) response.body = response.body.slice(0, body_bytes_);
  return response;
}

}  // namespace weir::http::curl
