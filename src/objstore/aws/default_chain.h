// The usual places where credentials of AWS are, in the usual order (that of the SDK for Java 2):
//
//   environment (AWS_ACCESS_KEY_ID, …), web identity (AWS_WEB_IDENTITY_TOKEN_FILE, as EKS sets it),
//   profile files (AWS_PROFILE), container endpoint (ECS, EKS pod identity), instance metadata
//
// A place that is not set up is passed over; one that is set up wrongly ends the search, for
// credentials of somebody else would only confuse. The place that had some is asked again for
// renewals, and only it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "objstore/aws/source.h"

namespace weir::objstore::aws {

struct CredentialsOptions {
  /// From the URL; they win over everything.
  std::optional<Credentials> fixed;
  /// From the URL; else AWS_PROFILE, else "default".
  std::string profile;
  /// Of the bucket, for STS; empty = from the environment.
  std::string region;
};

/// Query options of a store URL that say who we are.
inline constexpr std::array<std::string_view, 4> kCredentialOptions = {
    "access_key_id", "secret_access_key", "session_token", "profile"};
/// Errors: invalid_argument for half a key pair.
Result<CredentialsOptions> credentials_options(const StoreUrl& url);

/// A provider on the client's loop. `stop` before it ends.
class ChainCredentials final : public CredentialsProvider {
 public:
  struct Parts {
    Surroundings in;
    rt::Random& random;
    Logger& logger;
  };
  ChainCredentials(Parts parts, CredentialsOptions options);

  rt::Task<Result<Credentials>> credentials(MonoTime deadline) override {
    return refreshed_.get(deadline);
  }
  void refused(const Credentials& used) override { refreshed_.refused(used); }
  std::string describe() const override { return refreshed_.describe(); }
  rt::Task<void> stop() { return refreshed_.stop(); }

 private:
  Refreshed<Credentials> refreshed_;
};

/// The first source that has credentials. For tests; see ChainCredentials.
class FirstOf final : public CredentialsSource {
 public:
  explicit FirstOf(std::vector<std::unique_ptr<CredentialsSource>> sources)
      : sources_(std::move(sources)) {}
  rt::Task<Result<Credentials>> fetch() override;
  std::string describe() const override;

 private:
  std::vector<std::unique_ptr<CredentialsSource>> sources_;
  std::optional<std::size_t> chosen_;
};

}  // namespace weir::objstore::aws
