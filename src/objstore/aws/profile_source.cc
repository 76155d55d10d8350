#include "objstore/aws/profile_source.h"

#include "objstore/aws/limits.h"
#include "objstore/aws/metadata_sources.h"
#include "objstore/aws/token_services.h"

namespace weir::objstore::aws {
namespace {

std::string property(const Properties& properties, std::string_view name) {
  auto found = properties.find(name);
  return found == properties.end() ? std::string() : found->second;
}

}  // namespace

rt::Task<Result<Credentials>> EnvironmentSource::fetch() {
  Credentials out;
  out.access_key_id = variable(in_, "AWS_ACCESS_KEY_ID");
  out.secret_access_key = Secret(variable(in_, "AWS_SECRET_ACCESS_KEY"));
  out.session_token = Secret(variable(in_, "AWS_SESSION_TOKEN"));
  if (out.access_key_id.empty() && out.secret_access_key.empty())
    co_return fail(ErrorCode::not_found, "environment: AWS_ACCESS_KEY_ID is not set");
  if (out.access_key_id.empty() || out.secret_access_key.empty())
    co_return fail(ErrorCode::configuration,
                   "environment: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY belong together");
  co_return out;
}

ProfileSource::ProfileSource(Surroundings in, std::string name, std::string region)
    : in_(in), name_(std::move(name)), region_(std::move(region)) {
  if (name_.empty()) name_ = variable(in_, "AWS_PROFILE");
  named_ = !name_.empty();
  if (!named_) name_ = "default";
}

rt::Task<Result<ProfileFiles>> ProfileSource::read_files() {
  ProfileFiles files;
  std::string home = variable(in_, "HOME");
  std::string credentials_path = variable(in_, "AWS_SHARED_CREDENTIALS_FILE");
  if (credentials_path.empty()) credentials_path = home + "/.aws/credentials";
  std::string config_path = variable(in_, "AWS_CONFIG_FILE");
  if (config_path.empty()) config_path = home + "/.aws/config";
  auto credentials = co_await read_small_file(in_, credentials_path);
  if (!credentials && !credentials.error().is(ErrorCode::not_found))
    co_return std::unexpected(std::move(credentials).error());
  if (credentials) {
    auto added = files.add_credentials(*credentials);
    if (!added) co_return with_context(added.error(), credentials_path);
  }
  auto config = co_await read_small_file(in_, config_path);
  if (!config && !config.error().is(ErrorCode::not_found))
    co_return std::unexpected(std::move(config).error());
  if (config) {
    auto added = files.add_config(*config);
    if (!added) co_return with_context(added.error(), config_path);
  }
  co_return files;
}

rt::Task<Result<Credentials>> ProfileSource::run_process(std::string line) {
  Result<std::string> out = co_await rt::run_blocking(in_.client.loop(), in_.workers, [&] {
    return in_.commands.run(line, {kProcessMax, kProcessOutputBytesMax});
  });
  if (!out) co_return with_context(std::move(out).error(), "credential_process");
  co_return credentials_of_json(*out, "credential_process");
}

rt::Task<Result<Credentials>> ProfileSource::base_credentials(const ProfilePlan& plan,
                                                              std::string region) {
  const Properties& properties = plan.properties;
  switch (plan.base) {
    case ProfileBase::keys:
      co_return Credentials{
          .access_key_id = property(properties, "aws_access_key_id"),
          .secret_access_key = Secret(property(properties, "aws_secret_access_key")),
          .session_token = Secret(property(properties, "aws_session_token"))};
    case ProfileBase::process:
      co_return co_await run_process(property(properties, "credential_process"));
    case ProfileBase::web_identity:
      co_return co_await assume_with_web_identity(
          in_, sts_place(in_, region),
          {property(properties, "role_arn"), property(properties, "role_session_name"),
           property(properties, "web_identity_token_file")});
    case ProfileBase::sso: co_return co_await sso_credentials(in_, properties);
    case ProfileBase::environment: {
      EnvironmentSource source(in_);
      co_return co_await source.fetch();
    }
    case ProfileBase::container: {
      ContainerSource source(in_);
      co_return co_await source.fetch();
    }
    case ProfileBase::instance: {
      InstanceSource source(in_);
      co_return co_await source.fetch();
    }
  }
  co_return fail(ErrorCode::internal, "a profile with an unknown base");
}

rt::Task<Result<Credentials>> ProfileSource::fetch() {
  auto files = co_await read_files();
  if (!files) co_return std::unexpected(std::move(files).error());
  auto plan = plan_of(*files, name_);
  if (!plan) {
    Error error = std::move(plan).error();
    if (named_) error.code = ErrorCode::configuration;
    co_return std::unexpected(std::move(error));
  }
  std::string region = plan->region.empty() ? region_ : plan->region;
  auto credentials = co_await base_credentials(*plan, region);
  for (const RoleStep& role : plan->roles) {
    if (!credentials) break;
    credentials = co_await assume_role(in_, sts_place(in_, region), role, std::move(*credentials));
  }
  if (credentials) co_return credentials;
  Error error = std::move(credentials).error();
  // The profile says that there are some.
  if (error.is(ErrorCode::not_found)) error.code = ErrorCode::configuration;
  co_return with_context(std::move(error), describe());
}

}  // namespace weir::objstore::aws
