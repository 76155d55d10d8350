// Credentials: what signs a request to AWS, and where drivers get it from.
//
// A driver asks for credentials once per request; a provider answers from memory while they are
// good and renews them in the background. A driver that is told ExpiredToken, InvalidAccessKeyId or
// the like calls `refused` with what it used, and asks again for its next attempt.
//
// The secret parts are Secrets: they print as ***. The access key id is not secret (it is in every
// signed request and in the provider's own audit logs).
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/secret.h"
#include "base/time.h"
#include "rt/task.h"

namespace weir::objstore::aws {

struct Credentials {
  std::string access_key_id;
  Secret secret_access_key;
  /// Sent as x-amz-security-token; empty for long-lived keys.
  Secret session_token;
  /// By the wall clock. Nothing: they do not expire.
  std::optional<WallMillis> expires_at;

  friend bool operator==(const Credentials&, const Credentials&) = default;
};

/// Used on one loop. Outlives the tasks that it handed out.
class CredentialsProvider {
 public:
  virtual ~CredentialsProvider() = default;
  /// Good ones. Suspends only while there are none. Errors: configuration (no source has any, with
  /// what was tried), unavailable (a source did not answer by `deadline`; nothing was sent).
  virtual rt::Task<Result<Credentials>> credentials(MonoTime deadline) = 0;
  /// The store did not accept `used`. What is newer stays; the same are fetched anew.
  virtual void refused(const Credentials& used) = 0;
  /// Where they come from, without secrets: "environment", "profile 'dev'", "instance metadata".
  virtual std::string describe() const = 0;
};

/// Keys from a URL or the environment, which never change.
class StaticCredentials final : public CredentialsProvider {
 public:
  StaticCredentials(Credentials fixed, std::string source)
      : fixed_(std::move(fixed)), source_(std::move(source)) {}
  rt::Task<Result<Credentials>> credentials(MonoTime) override { co_return fixed_; }
  void refused(const Credentials&) override {}
  std::string describe() const override { return source_; }

 private:
  Credentials fixed_;
  std::string source_;
};

}  // namespace weir::objstore::aws
