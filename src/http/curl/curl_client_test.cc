#include "http/curl/curl_client.h"

#include <gtest/gtest.h>

#include <list>

#include "http/curl/curl_error.h"
#include "http/curl/script_server_for_test.h"
#include "rt/asio/network.h"
#include "rt/asio/workers.h"

namespace weir::http::curl {
namespace {

std::string ok(std::string_view body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\nX-Kind:  Plain \r\n\r\n" + std::string(body);
}

class CurlClientTest : public testing::Test {
 protected:
  CurlClientTest() : workers_("resolver", 1), network_(workers_), client_(loop_, {.proxy = ""}) {}
  ~CurlClientTest() override { rt::asio::block_on(loop_, finish()); }

  ScriptServer& serve(ScriptServer::Script script) {
    servers_.push_back(std::make_unique<ScriptServer>(loop_, network_, std::move(script)));
    return *servers_.back();
  }
  Result<ClientResponse> send(ClientRequest request) {
    return rt::asio::block_on(loop_, client_.send(std::move(request)));
  }
  ErrorCode code(ClientRequest request) {
    auto response = send(std::move(request));
    EXPECT_FALSE(response);
    return response ? ErrorCode::internal : response.error().code;
  }
  rt::Task<bool> finish() {
    co_await client_.stop();
    for (auto& server : servers_) co_await server->close();
    co_return true;
  }

  rt::asio::AsioLoop loop_;
  rt::asio::ThreadWorkers workers_;
  rt::asio::AsioNetwork network_;
  std::list<std::unique_ptr<ScriptServer>> servers_;
  CurlClient client_;
};

BytesChain chain_of(std::initializer_list<std::string> parts) {
  BytesChain chain;
  for (const std::string& part : parts) chain.append(SharedBytes::copy_of(as_bytes(part)));
  return chain;
}

TEST_F(CurlClientTest, SendsExactlyWhatItWasGivenAndReadsTheAnswer) {
  ScriptServer& server =
      serve([](int, const std::string&) { return ScriptServer::Reply{ok("hello")}; });
  auto response = send({.method = Method::put,
                        .url = server.url("/a%2Fb/../c?x=%20&y"),
                        .headers = {{"X-One", "1"}, {"X-Empty", ""}},
                        .body = chain_of({"ab", "", "cde"})});
  ASSERT_TRUE(response) << describe(response.error());
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->text(), "hello");
  ASSERT_NE(response->header("x-kind"), nullptr);
  EXPECT_EQ(*response->header("x-kind"), "Plain");
  EXPECT_EQ(response->header("x-none"), nullptr);
  std::string host = server.url("").substr(7);
  EXPECT_EQ(server.requests().at(0),
            "PUT /a%2Fb/../c?x=%20&y HTTP/1.1\r\nHost: " + host +
                "\r\nX-One: 1\r\nX-Empty:\r\nContent-Length: 5\r\n\r\nabcde");
}

TEST_F(CurlClientTest, SendsEveryMethod) {
  ScriptServer& server = serve([](int, const std::string& request) {
    return ScriptServer::Reply{
        request.starts_with("HEAD") ? "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n" : ok("x")};
  });
  for (Method method :
       {Method::get, Method::head, Method::put, Method::post, Method::patch, Method::remove}) {
    auto response = send({.method = method, .url = server.url("/m")});
    ASSERT_TRUE(response) << describe(response.error());
    EXPECT_EQ(response->text(), method == Method::head ? "" : "x");
    EXPECT_TRUE(server.requests().back().starts_with(std::string(to_string(method)) + " /m "));
  }
}

TEST_F(CurlClientTest, EveryStatusIsAnAnswer) {
  ScriptServer& server = serve([](int, const std::string&) {
    return ScriptServer::Reply{
        "HTTP/1.1 503 Slow Down\r\nContent-Length: 4\r\nLocation: /x\r\n\r\nwait"};
  });
  auto response = send({.url = server.url()});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 503);
  EXPECT_EQ(response->text(), "wait");
}

TEST_F(CurlClientTest, FollowsNoRedirect) {
  ScriptServer& server = serve([](int, const std::string&) {
    return ScriptServer::Reply{
        "HTTP/1.1 307 Temporary\r\nContent-Length: 0\r\nLocation: /x\r\n\r\n"};
  });
  auto response = send({.url = server.url()});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 307);
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(CurlClientTest, ReusesAConnection) {
  ScriptServer& server =
      serve([](int, const std::string&) { return ScriptServer::Reply{ok("x")}; });
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(send({.method = Method::put, .url = server.url(), .body = chain_of({"b"})}));
  EXPECT_EQ(server.connections(), 1);
  EXPECT_EQ(client_.connections_opened(), 1u);
}

rt::Task<int> send_many(Client& client, std::string url, int count) {
  rt::Scope scope(client.loop());
  int good = 0;
  struct One {
    static rt::Task<void> run(Client& client, std::string url, int i, int& good) {
      std::string body(static_cast<std::size_t>(i) * 1000, static_cast<char>('a' + i % 26));
      auto response = co_await client.send({.method = Method::put,
                                            .url = std::move(url),
                                            .body = chain_of({body}),
                                            .response_bytes_max = 1u << 20});
      if (response && response->text().ends_with("\r\n\r\n" + body)) ++good;
    }
  };
  for (int i = 0; i < count; ++i) scope.spawn(One::run(client, url, i, good));
  co_await scope.join();
  co_return good;
}

TEST_F(CurlClientTest, KeepsManyRequestsApart) {
  ScriptServer& server =
      serve([](int, const std::string& request) { return ScriptServer::Reply{ok(request)}; });
  EXPECT_EQ(rt::asio::block_on(loop_, send_many(client_, server.url(), 200)), 200);
}

TEST_F(CurlClientTest, ReadsAnAnswerWithoutALength) {
  std::string body(300'000, 'z');
  ScriptServer& server = serve([&](int, const std::string&) {
    return ScriptServer::Reply{"HTTP/1.1 200 OK\r\n\r\n" + body, true};
  });
  auto response = send({.url = server.url()});
  ASSERT_TRUE(response) << describe(response.error());
  EXPECT_EQ(response->text(), body);
}

TEST_F(CurlClientTest, ReadsChunks) {
  ScriptServer& server = serve([&](int, const std::string&) {
    return ScriptServer::Reply{
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"};
  });
  EXPECT_EQ(send({.url = server.url()}).value().text(), "abcde");
}

TEST_F(CurlClientTest, ALongAnswerIsTooLarge) {
  ScriptServer& server = serve([](int i, const std::string&) {
    return i == 0 ? ScriptServer::Reply{ok(std::string(1001, 'x'))}
                  : ScriptServer::Reply{"HTTP/1.1 200 OK\r\n\r\n" + std::string(1001, 'x'), true};
  });
  EXPECT_EQ(code({.url = server.url(), .response_bytes_max = 1000}), ErrorCode::too_large);
  EXPECT_EQ(code({.url = server.url(), .response_bytes_max = 1000}), ErrorCode::too_large);
}

TEST_F(CurlClientTest, LongHeaderFieldsAreTooLarge) {
  ScriptServer& server = serve([](int, const std::string&) {
    std::string head = "HTTP/1.1 200 OK\r\n";
    for (int i = 0; i < 100; ++i)
      head += "X-" + std::to_string(i) + ": " + std::string(1000, 'v') + "\r\n";
    return ScriptServer::Reply{head + "Content-Length: 0\r\n\r\n"};
  });
  EXPECT_EQ(code({.url = server.url()}), ErrorCode::too_large);
}

TEST_F(CurlClientTest, ARefusedConnectionLeftNothingApplied) {
  ScriptServer& server = serve([](int, const std::string&) { return ScriptServer::Reply{}; });
  std::string url = server.url();
  rt::asio::block_on(loop_, finish());
  servers_.clear();
  CurlClient other(loop_, {.proxy = ""});
  auto response = rt::asio::block_on(loop_, other.send({.method = Method::put, .url = url}));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::unavailable);
  EXPECT_NE(response.error().message.find("check host, port and firewall"), std::string::npos)
      << response.error().message;
  struct Stop {
    static rt::Task<bool> run(CurlClient& client) {
      co_await client.stop();
      co_return true;
    }
  };
  rt::asio::block_on(loop_, Stop::run(other));
}

TEST_F(CurlClientTest, ALostReplyIsAnUnknownOutcome) {
  ScriptServer& server =
      serve([](int, const std::string&) { return ScriptServer::Reply{"", true}; });
  EXPECT_EQ(code({.method = Method::put, .url = server.url(), .body = chain_of({"x"})}),
            ErrorCode::unknown_outcome);
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(CurlClientTest, ATornAnswerIsAnUnknownOutcome) {
  ScriptServer& server = serve([](int, const std::string&) {
    return ScriptServer::Reply{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", true};
  });
  EXPECT_EQ(code({.url = server.url()}), ErrorCode::unknown_outcome);
}

// A server that closes an idle connection just as we send: the body may have been applied.
TEST_F(CurlClientTest, NeverSendsABodyTwice) {
  ScriptServer& server = serve([](int i, const std::string&) {
    return i == 0 ? ScriptServer::Reply{ok("first")} : ScriptServer::Reply{"", true};
  });
  ASSERT_TRUE(send({.method = Method::put, .url = server.url(), .body = chain_of({"one"})}));
  EXPECT_EQ(code({.method = Method::put, .url = server.url(), .body = chain_of({"two"})}),
            ErrorCode::unknown_outcome);
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST_F(CurlClientTest, NeverSendsAnEmptyPutTwice) {
  ScriptServer& server = serve([](int i, const std::string&) {
    return i == 0 ? ScriptServer::Reply{ok("first")} : ScriptServer::Reply{"", true};
  });
  ASSERT_TRUE(send({.url = server.url()}));
  EXPECT_EQ(code({.method = Method::put, .url = server.url()}), ErrorCode::unknown_outcome);
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST_F(CurlClientTest, AnswersTimedOutWhenNothingComes) {
  ScriptServer& server = serve(
      [](int, const std::string&) { return ScriptServer::Reply{.bytes = "", .silent = true}; });
  MonoTime begin = loop_.now();
  EXPECT_EQ(
      code({.method = Method::put, .url = server.url(), .body = chain_of({"x"}), .timeout = 100ms}),
      ErrorCode::timed_out);
  EXPECT_LT(loop_.now() - begin, 5s);
}

TEST_F(CurlClientTest, AnAnswerBeforeTheEndOfTheBodyIsRead) {
  // Answers at once, while 64 MiB are still to come, and closes.
  auto listener = std::move(network_.listen(loop_, {"127.0.0.1", 0}).value());
  struct Early {
    static rt::Task<void> run(rt::Listener& listener, rt::asio::AsioLoop& loop) {
      auto stream = co_await listener.accept(loop);
      std::array<std::byte, 4096> bytes;
      (void)co_await (*stream)->read_some(bytes);
      Bytes part = as_bytes("HTTP/1.1 412 Precondition Failed\r\nContent-Length: 2\r\n\r\nno");
      (void)co_await (*stream)->write(std::span(&part, 1));
      while (true) {
        auto got = co_await (*stream)->read_some(bytes);
        if (!got || *got == 0) break;
      }
    }
  };
  rt::Scope scope(loop_);
  scope.spawn(Early::run(*listener, loop_));
  auto response = send({.method = Method::put,
                        .url = "http://127.0.0.1:" + std::to_string(listener->local().port) + "/",
                        .body = BytesChain(SharedBytes(Buffer::make(64u << 20)))});
  ASSERT_TRUE(response) << describe(response.error());
  EXPECT_EQ(response->status, 412);
  EXPECT_EQ(response->text(), "no");
  struct Join {
    static rt::Task<bool> run(rt::Scope& scope) {
      co_await scope.join();
      co_return true;
    }
  };
  rt::asio::block_on(loop_, Join::run(scope));
}

TEST_F(CurlClientTest, StopEndsWhatIsUnderWay) {
  ScriptServer& server = serve(
      [](int, const std::string&) { return ScriptServer::Reply{.bytes = "", .silent = true}; });
  struct Both {
    static rt::Task<void> send(CurlClient& client, std::string url,
                               std::optional<ErrorCode>& code) {
      auto response = co_await client.send({.url = std::move(url)});
      if (!response) code = response.error().code;
    }
    static rt::Task<ErrorCode> run(CurlClient& client, ScriptServer& server, rt::Loop& loop) {
      std::optional<ErrorCode> code;
      rt::Scope scope(loop);
      scope.spawn(send(client, server.url(), code));
      while (server.requests().empty()) co_await rt::sleep_for(loop, 1ms);
      co_await client.stop();
      co_await scope.join();
      co_return code.value_or(ErrorCode::internal);
    }
  };
  EXPECT_EQ(rt::asio::block_on(loop_, Both::run(client_, server, loop_)), ErrorCode::cancelled);
  EXPECT_EQ(code({.url = server.url()}), ErrorCode::unavailable);
}

TEST_F(CurlClientTest, ATaskThatIsDestroyedGivesItsRequestUp) {
  ScriptServer& server = serve(
      [](int, const std::string&) { return ScriptServer::Reply{.bytes = "", .silent = true}; });
  struct Give {
    struct Starter {
      struct promise_type {
        Starter get_return_object() {
          return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
      };
      std::coroutine_handle<promise_type> handle;
    };
    static Starter start(CurlClient& client, std::string url) {
      (void)co_await client.send({.url = std::move(url)});
    }
    static rt::Task<bool> run(CurlClient& client, ScriptServer& server, rt::Loop& loop) {
      Starter starter = start(client, server.url());
      while (server.requests().empty()) co_await rt::sleep_for(loop, 1ms);
      starter.handle.destroy();
      co_return true;
    }
  };
  EXPECT_TRUE(rt::asio::block_on(loop_, Give::run(client_, server, loop_)));
}

TEST_F(CurlClientTest, TlsToAPlainPortLeftNothingApplied) {
  ScriptServer& server =
      serve([](int, const std::string&) { return ScriptServer::Reply{ok("x")}; });
  std::string url = "https" + server.url().substr(4);
  // The server waits for a request that never comes; the handshake ends by the time allowed.
  auto response = send({.url = url, .timeout = 300ms});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::unavailable) << response.error().message;
}

TEST_F(CurlClientTest, RefusesWhatIsNoRequest) {
  EXPECT_EQ(code({.url = "ftp://127.0.0.1/"}), ErrorCode::configuration);
  EXPECT_EQ(code({.url = "no url at all"}), ErrorCode::configuration);
  EXPECT_EQ(code({.url = "http://127.0.0.1:1/", .headers = {{"a", "b\r\nc: d"}}}),
            ErrorCode::invalid_argument);
}

TEST(CurlError, SaysWhatMayBeConcluded) {
  auto code = [](CURLcode what, bool sent) {
    return error_of(
               {.code = what, .anything_sent = sent, .message = "", .url = "http://h:1/?secret"})
        .code;
  };
  for (CURLcode what : {CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_SSL_CONNECT_ERROR,
                        CURLE_OPERATION_TIMEDOUT, CURLE_SEND_ERROR, CURLE_RECV_ERROR,
                        CURLE_GOT_NOTHING, CURLE_OUT_OF_MEMORY})
    EXPECT_EQ(code(what, false), ErrorCode::unavailable) << what;
  for (CURLcode what : {CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE,
                        CURLE_SEND_FAIL_REWIND, CURLE_OUT_OF_MEMORY})
    EXPECT_EQ(code(what, true), ErrorCode::unknown_outcome) << what;
  EXPECT_EQ(code(CURLE_OPERATION_TIMEDOUT, true), ErrorCode::timed_out);
  EXPECT_EQ(code(CURLE_PEER_FAILED_VERIFICATION, false), ErrorCode::configuration);
  EXPECT_EQ(code(CURLE_URL_MALFORMAT, false), ErrorCode::configuration);
  EXPECT_EQ(code(CURLE_WEIRD_SERVER_REPLY, true), ErrorCode::corrupt);
}

TEST(CurlError, NamesTheHostAndNoSecret) {
  Error error = error_of({.code = CURLE_COULDNT_RESOLVE_HOST,
                          .anything_sent = false,
                          .message = "",
                          .url = "https://user:pass@store.example:9000/path?X-Amz-Signature=abc"});
  EXPECT_TRUE(error.message.starts_with("store.example:9000: ")) << error.message;
  for (const char* secret : {"pass", "path", "abc"})
    EXPECT_EQ(error.message.find(secret), std::string::npos) << error.message;
}

}  // namespace
}  // namespace weir::http::curl
