// ExpressSession: the short-lived keys with which a directory bucket is used.
//
// CreateSession, signed with the real credentials, gives keys for five minutes; everything else is
// signed with those, which spares the store a look-up of permissions. One request at a time renews
// a session, early, while the others go on with the old one.
//
// Lives on the client's loop.
#pragma once

#include <optional>

#include "objstore/aws/credentials.h"
#include "objstore/s3/connection.h"
#include "rt/event.h"

namespace weir::objstore::s3 {

class ExpressSession final : public aws::CredentialsProvider {
 public:
  /// All outlive it.
  ExpressSession(http::Client& client, aws::CredentialsProvider& credentials,
                 const S3Options& options);

  rt::Task<Result<aws::Credentials>> credentials(MonoTime deadline) override;
  void refused(const aws::Credentials& used) override;
  std::string describe() const override { return "a session by " + credentials_.describe(); }

 private:
  bool good() const;
  bool fresh() const;
  rt::Task<Result<aws::Credentials>> create();

  rt::Loop& loop_;
  aws::CredentialsProvider& credentials_;
  Connection connection_;
  std::optional<aws::Credentials> session_;
  bool creating_ = false;
  /// Of the last attempt, for those who waited for it.
  Error last_error_;
  rt::Event created_;
};

}  // namespace weir::objstore::s3
