#include "objstore/aws/default_chain.h"

#include "objstore/aws/metadata_sources.h"
#include "objstore/aws/profile_source.h"
#include "objstore/aws/token_services.h"

namespace weir::objstore::aws {
namespace {

class FixedSource final : public CredentialsSource {
 public:
  explicit FixedSource(Credentials fixed) : fixed_(std::move(fixed)) {}
  rt::Task<Result<Credentials>> fetch() override { co_return fixed_; }
  std::string describe() const override { return "store URL"; }

 private:
  Credentials fixed_;
};

class WebIdentitySource final : public CredentialsSource {
 public:
  WebIdentitySource(Surroundings in, std::string region) : in_(in), region_(std::move(region)) {}
  rt::Task<Result<Credentials>> fetch() override {
    WebIdentity identity{variable(in_, "AWS_ROLE_ARN"), variable(in_, "AWS_ROLE_SESSION_NAME"),
                         variable(in_, "AWS_WEB_IDENTITY_TOKEN_FILE")};
    if (identity.token_file.empty() || identity.role_arn.empty())
      co_return fail(ErrorCode::not_found,
                     "web identity: AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN are not set");
    co_return co_await assume_with_web_identity(in_, sts_place(in_, region_), std::move(identity));
  }
  std::string describe() const override { return "web identity"; }

 private:
  Surroundings in_;
  std::string region_;
};

std::unique_ptr<CredentialsSource> source_of(const Surroundings& in, CredentialsOptions options) {
  if (options.fixed) return std::make_unique<FixedSource>(std::move(*options.fixed));
  std::vector<std::unique_ptr<CredentialsSource>> sources;
  // A profile that the URL names comes before what the environment happens to hold.
  bool named = !options.profile.empty();
  if (!named) {
    sources.push_back(std::make_unique<EnvironmentSource>(in));
    sources.push_back(std::make_unique<WebIdentitySource>(in, options.region));
  }
  sources.push_back(std::make_unique<ProfileSource>(in, options.profile, options.region));
  if (!named) {
    sources.push_back(std::make_unique<ContainerSource>(in));
    sources.push_back(std::make_unique<InstanceSource>(in));
  }
  return std::make_unique<FirstOf>(std::move(sources));
}

std::string option(const StoreUrl& url, std::string_view name) {
  auto found = url.options.find(name);
  return found == url.options.end() ? std::string() : found->second;
}

}  // namespace

Result<CredentialsOptions> credentials_options(const StoreUrl& url) {
  CredentialsOptions out;
  out.profile = option(url, "profile");
  out.region = option(url, "region");
  std::string id = option(url, "access_key_id");
  std::string secret = option(url, "secret_access_key");
  if (id.empty() != secret.empty() || (id.empty() && !option(url, "session_token").empty()))
    return fail(ErrorCode::invalid_argument,
                "access_key_id and secret_access_key belong together (with "
                "session_token for temporary ones)");
  if (!id.empty())
    out.fixed = Credentials{.access_key_id = id,
                            .secret_access_key = Secret(secret),
                            .session_token = Secret(option(url, "session_token"))};
  if (out.fixed && !out.profile.empty())
    return fail(ErrorCode::invalid_argument, "either access_key_id or profile, not both");
  return out;
}

rt::Task<Result<Credentials>> FirstOf::fetch() {
  if (chosen_) co_return co_await sources_[*chosen_]->fetch();
  std::string tried;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    Result<Credentials> found = co_await sources_[i]->fetch();
    if (found) chosen_ = i;
    if (found || !found.error().is(ErrorCode::not_found)) co_return found;
    tried += (tried.empty() ? "" : "; ") + found.error().message;
  }
  co_return fail(ErrorCode::configuration, "no AWS credentials found: " + tried +
                                               ". Set AWS_ACCESS_KEY_ID and "
                                               "AWS_SECRET_ACCESS_KEY, or name a profile");
}

std::string FirstOf::describe() const {
  return chosen_ ? sources_[*chosen_]->describe() : "AWS credentials";
}

ChainCredentials::ChainCredentials(Parts parts, CredentialsOptions options)
    : refreshed_({parts.in.client.loop(), parts.random, parts.logger},
                 source_of(parts.in, std::move(options))) {}

}  // namespace weir::objstore::aws
