#include "http/request_parser.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <exception>
#include <optional>

#include "base/ensure.h"

namespace weir::http {

namespace beast = boost::beast;

struct RequestParser::Impl {
  std::optional<beast::http::request_parser<beast::http::string_body>> parser;
};

namespace {

int status_of(const beast::error_code& error) {
  if (error == beast::http::error::header_limit || error == beast::http::error::buffer_overflow)
    return 431;
  if (error == beast::http::error::body_limit) return 413;
  if (error == beast::http::error::bad_version) return 505;
  return 400;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

/// Path and query of a request target; what proxies are sent (`http://host/path`, RFC 9112, 3.2.2)
/// must be understood by all servers.
std::string_view without_authority(std::string_view target) {
  const std::size_t colon = target.find("://");
  if (colon == std::string_view::npos) return target;
  const std::string scheme = lower_case(target.substr(0, colon));
  if (scheme != "http" && scheme != "https") return target;
  const std::size_t path = target.find_first_of("/?", colon + 3);
  return path == std::string_view::npos ? "/" : target.substr(path);
}

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

RequestParser::RequestParser(const ServerLimits& limits)
    : limits_(limits), impl_(std::make_unique<Impl>()) {
  restart();
}

RequestParser::~RequestParser() = default;

void RequestParser::restart() {
  impl_->parser.emplace();
  impl_->parser->eager(true);
  impl_->parser->header_limit(static_cast<std::uint32_t>(limits_.header_bytes_max));
  impl_->parser->body_limit(limits_.body_bytes_max);
  state_ = State::need_more;
}

bool RequestParser::has_begun() const { return !pending_.empty() || impl_->parser->got_some(); }

RequestParser::State RequestParser::feed(Bytes bytes) {
  ENSURE(state_ != State::complete || bytes.empty());
  if (state_ != State::need_more) return state_;
  pending_.append(as_text(bytes));
  while (!pending_.empty() && state_ == State::need_more) {
    beast::error_code error;
    std::size_t used = 0;
    try {
      used = impl_->parser->put(boost::asio::buffer(pending_), error);
    } catch (const std::exception&) {
      error = beast::http::error::bad_field;
    }
    pending_.erase(0, used);
    if (error == beast::http::error::need_more) break;
    if (error) {
      state_ = State::failed;
      error_status_ = status_of(error);
    } else if (impl_->parser->is_done()) {
      state_ = State::complete;
    } else if (used == 0) {
      break;
    }
  }
  return state_;
}

Request RequestParser::take() {
  ENSURE(state_ == State::complete);
  auto message = impl_->parser->release();
  Request request;
  request.method = view(message.method_string());
  std::string_view target = without_authority(view(message.target()));
  std::size_t question = target.find('?');
  request.path = question == 0 ? "/" : target.substr(0, question);
  if (question != std::string_view::npos) request.query = target.substr(question + 1);
  for (const auto& field : message)
    request.headers.emplace_back(lower_case(view(field.name_string())), view(field.value()));
  request.keep_alive = message.keep_alive();
  request.body = std::move(message.body());
  restart();
  return request;
}

}  // namespace weir::http
