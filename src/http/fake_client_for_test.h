// For tests only: an http::Client that answers from a script and remembers what it was asked.
//
// Answers that were queued come first, in order; then the handler, if there is one. Asked for more
// than it has, it fails the test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "http/client.h"
#include "rt/loop.h"

namespace weir::http {

class FakeClient final : public Client {
 public:
  using Handler = std::function<Result<ClientResponse>(const ClientRequest&)>;

  explicit FakeClient(rt::Loop& loop) : loop_(loop) {}

  rt::Loop& loop() override { return loop_; }
  rt::Task<Result<ClientResponse>> send(ClientRequest request) override {
    requests.push_back(request);
    co_await rt::sleep_for(loop_, delay);
    if (!queued_.empty()) {
      Result<ClientResponse> next = std::move(queued_.front());
      queued_.pop_front();
      co_return next;
    }
    if (handler) co_return handler(request);
    ADD_FAILURE() << "nobody said what to answer to " << to_string(request.method) << " "
                  << request.url;
    co_return fail(ErrorCode::internal, "no answer in the script");
  }

  /// Header names in lower case.
  static ClientResponse response(int status, std::string_view body = "",
                                 HeaderFields headers = {}) {
    return {.status = status,
            .headers = std::move(headers),
            .body = SharedBytes::copy_of(as_bytes(body))};
  }
  void answer(int status, std::string_view body = "", HeaderFields headers = {}) {
    queued_.push_back(response(status, body, std::move(headers)));
  }
  void answer_error(ErrorCode code) { queued_.push_back(fail(code, "scripted")); }
  std::size_t answers_left() const { return queued_.size(); }

  /// The value of a header field of request `i`, whatever the case of its name; "none".
  std::string sent_header(std::size_t i, std::string_view wanted) const {
    for (const auto& [name, value] : requests.at(i).headers)
      if (std::ranges::equal(name, wanted, [](unsigned char a, unsigned char b) {
            return std::tolower(a) == std::tolower(b);
          }))
        return value;
    return "none";
  }
  std::string sent_body(std::size_t i) const {
    return std::string(as_text(requests.at(i).body.flatten().view()));
  }

  std::vector<ClientRequest> requests;
  Handler handler;
  /// Before each answer.
  Duration delay = 1ms;

 private:
  rt::Loop& loop_;
  std::deque<Result<ClientResponse>> queued_;
};

}  // namespace weir::http
