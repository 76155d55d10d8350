#include "http/request_parser.h"

#include <gtest/gtest.h>

namespace weir::http {
namespace {

using State = RequestParser::State;

constexpr std::string_view kTwoRequests =
    "POST /a/b?x=1&y HTTP/1.1\r\nHost: h\r\nX-Thing: One\r\nContent-Length: 5\r\n\r\nhello"
    "GET /next HTTP/1.0\r\n\r\n";

void expect_both(const std::vector<Request>& requests) {
  ASSERT_EQ(requests.size(), 2u);
  const Request& first = requests[0];
  EXPECT_EQ(first.method, "POST");
  EXPECT_EQ(first.path, "/a/b");
  EXPECT_EQ(first.query, "x=1&y");
  EXPECT_EQ(first.query_value("x"), "1");
  EXPECT_NE(first.query_value("y").data(), nullptr);
  EXPECT_EQ(first.query_value("z").data(), nullptr);
  EXPECT_EQ(first.body, "hello");
  ASSERT_NE(first.header("x-thing"), nullptr);
  EXPECT_EQ(*first.header("x-thing"), "One");
  EXPECT_EQ(first.header("absent"), nullptr);
  EXPECT_TRUE(first.keep_alive);
  EXPECT_EQ(requests[1].path, "/next");
  EXPECT_FALSE(requests[1].keep_alive);
}

/// Feeds `text` in pieces of `size` and takes all requests.
std::vector<Request> parse_in_pieces(std::string_view text, std::size_t size) {
  RequestParser parser{ServerLimits{}};
  std::vector<Request> requests;
  for (std::size_t at = 0; at < text.size(); at += size) {
    State state = parser.feed(as_bytes(text.substr(at, size)));
    while (state == State::complete) {
      requests.push_back(parser.take());
      state = parser.feed({});
    }
    EXPECT_NE(state, State::failed) << "pieces of " << size;
  }
  EXPECT_FALSE(parser.has_begun());
  return requests;
}

TEST(RequestParser, UnderstandsRequestsInPiecesOfAnySize) {
  for (std::size_t size = 1; size <= kTwoRequests.size(); ++size)
    expect_both(parse_in_pieces(kTwoRequests, size));
}

TEST(RequestParser, JoinsChunkedBodies) {
  for (std::size_t size : {1u, 3u, 1000u}) {
    std::vector<Request> requests = parse_in_pieces(
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        "4\r\nabcd\r\n2\r\nef\r\n0\r\n\r\n",
        size);
    ASSERT_EQ(requests.size(), 1u);
    EXPECT_EQ(requests[0].body, "abcdef");
  }
}

TEST(RequestParser, TakesTheTargetsThatProxiesAreSent) {
  const auto path_of = [](const std::string& target) {
    RequestParser parser{ServerLimits{}};
    EXPECT_EQ(parser.feed(as_bytes("GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n")),
              State::complete);
    const Request request = parser.take();
    return request.path + "|" + request.query;
  };
  EXPECT_EQ(path_of("http://h:1/readyz?a=b"), "/readyz|a=b");
  EXPECT_EQ(path_of("HTTPS://h/x"), "/x|");
  EXPECT_EQ(path_of("http://h"), "/|");
  EXPECT_EQ(path_of("http://h?a"), "/|a");
  EXPECT_EQ(path_of("/to?u=http://h/x"), "/to|u=http://h/x");
}

TEST(RequestParser, KnowsWhetherARequestHasBegun) {
  RequestParser parser{ServerLimits{}};
  EXPECT_FALSE(parser.has_begun());
  EXPECT_EQ(parser.feed(as_bytes("G")), State::need_more);
  EXPECT_TRUE(parser.has_begun());
}

int status_after(std::string_view text, std::size_t piece = 1 << 20) {
  RequestParser parser{ServerLimits{.header_bytes_max = 256, .body_bytes_max = 16}};
  for (std::size_t at = 0; at < text.size(); at += piece)
    if (parser.feed(as_bytes(text.substr(at, piece))) == State::failed)
      return parser.error_status();
  return 0;
}

TEST(RequestParser, RefusesWhatIsTooLargeOrNotHttp) {
  std::string long_header = "GET / HTTP/1.1\r\nX: " + std::string(1000, 'x') + "\r\n\r\n";
  std::string endless = "GET /" + std::string(10'000, 'y');
  for (std::size_t piece : {1u, 7u, 100'000u}) {
    EXPECT_EQ(status_after(long_header, piece), 431) << piece;
    EXPECT_EQ(status_after(endless, piece), 431) << piece;
    EXPECT_EQ(status_after("POST / HTTP/1.1\r\nContent-Length: 17\r\n\r\n", piece), 413);
    EXPECT_EQ(status_after("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
                           "11\r\n01234567890123456\r\n0\r\n\r\n",
                           piece),
              413);
    EXPECT_EQ(status_after("GET / HTTP/2.0\r\n\r\n", piece), 505);
    EXPECT_EQ(status_after("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", piece), 400);
    EXPECT_EQ(status_after("GET / HTTP/1.1\r\nBad Name: x\r\n\r\n", piece), 400);
    EXPECT_EQ(status_after("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", piece), 400);
  }
}

}  // namespace
}  // namespace weir::http
