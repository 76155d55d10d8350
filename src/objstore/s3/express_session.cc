#include "objstore/s3/express_session.h"

#include "objstore/s3/answers.h"
#include "objstore/s3/limits.h"

namespace weir::objstore::s3 {

ExpressSession::ExpressSession(http::Client& client, aws::CredentialsProvider& credentials,
                               const S3Options& options)
    : loop_(client.loop()),
      credentials_(credentials),
      connection_(client, credentials, options, {.service = "s3express"}),
      created_(client.loop()) {}

bool ExpressSession::good() const {
  return session_ && loop_.wall_now() < session_->expires_at.value_or(WallMillis{});
}

bool ExpressSession::fresh() const {
  WallMillis soon(loop_.wall_now().value + kSessionRenewBefore / 1ms);
  return session_ && soon < session_->expires_at.value_or(WallMillis{});
}

void ExpressSession::refused(const aws::Credentials& used) {
  if (session_ == used) session_.reset();
}

rt::Task<Result<aws::Credentials>> ExpressSession::create() {
  Trip trip;
  Result<http::ClientResponse> answer =
      co_await connection_.send({.call = Call::create_session,
                                 .method = http::Method::get,
                                 .key = "",
                                 .query = "session",
                                 .headers = {{"x-amz-create-session-mode", "ReadWrite"}},
                                 .answer_bytes_max = kAnswerBytesMax,
                                 .timeout = kRequestTimeout},
                                trip);
  Result<aws::Credentials> session =
      answer ? parse_session(answer->text())
             : Result<aws::Credentials>(std::unexpected(answer.error()));
  // The request that wants a session was not sent, so its outcome is known.
  if (!session && !session.error().is(ErrorCode::configuration))
    session.error().code = ErrorCode::unavailable;
  co_return session;
}

rt::Task<Result<aws::Credentials>> ExpressSession::credentials(MonoTime deadline) {
  if (fresh() || (good() && creating_)) co_return *session_;
  if (creating_) {
    if (!co_await created_.wait_until(deadline))
      co_return fail(ErrorCode::unavailable, "no session with the bucket in time");
    if (good()) co_return *session_;
    co_return fail(last_error_.code, last_error_.message);
  }
  creating_ = true;
  Result<aws::Credentials> made = co_await create();
  creating_ = false;
  if (made) session_ = *made;
  if (!made) last_error_ = made.error();
  created_.notify_all();
  // The old one serves to its end.
  if (!made && good()) co_return *session_;
  co_return made;
}

}  // namespace weir::objstore::s3
