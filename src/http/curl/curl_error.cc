#include "http/curl/curl_error.h"

namespace weir::http::curl {
namespace {

/// "host:port" of a URL; neither user names nor paths belong into messages.
std::string host_of(std::string_view url) {
  std::size_t begin = url.find("://");
  if (begin == std::string_view::npos) return "a malformed URL";
  url.remove_prefix(begin + 3);
  url = url.substr(0, url.find_first_of("/?#"));
  std::size_t at = url.rfind('@');
  return std::string(at == std::string_view::npos ? url : url.substr(at + 1));
}

ErrorCode code_of(CURLcode code, bool anything_sent) {
  ErrorCode broken = anything_sent ? ErrorCode::unknown_outcome : ErrorCode::unavailable;
  switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_NOT_BUILT_IN:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH: return ErrorCode::configuration;
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR: return ErrorCode::unavailable;
    case CURLE_OPERATION_TIMEDOUT:
      return anything_sent ? ErrorCode::timed_out : ErrorCode::unavailable;
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING: return anything_sent ? ErrorCode::corrupt : broken;
    default: return broken;
  }
}

/// What a person can check.
std::string_view advice(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST: return "check the name and the DNS";
    case CURLE_COULDNT_RESOLVE_PROXY: return "check the proxy's name";
    case CURLE_COULDNT_CONNECT: return "check host, port and firewall";
    case CURLE_PEER_FAILED_VERIFICATION:
      return "the server's certificate is not trusted; name its authority with the option ca_file";
    case CURLE_SSL_CACERT_BADFILE: return "check the file of trusted authorities";
    case CURLE_SSL_CONNECT_ERROR: return "check that the port speaks TLS (https) and not http";
    default: return "";
  }
}

}  // namespace

Error error_of(const Failure& failure) {
  std::string text = host_of(failure.url) + ": ";
  if (failure.code == CURLE_SEND_FAIL_REWIND)
    // libcurl's own words are about the repetition that we refuse.
    text += "the connection was closed before an answer came";
  else
    text += failure.message.empty() ? curl_easy_strerror(failure.code) : failure.message;
  if (std::string_view more = advice(failure.code); !more.empty()) text.append("; ").append(more);
  return {code_of(failure.code, failure.anything_sent), std::move(text)};
}

}  // namespace weir::http::curl
