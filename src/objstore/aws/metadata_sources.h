// Sources that ask a service of the machine: instance metadata (EC2, version 2 only, with a session
// token) and the container endpoint (ECS tasks, EKS pod identity).
//
// They answer not_found where there is no such service or where it has no role for us.
#pragma once

#include "objstore/aws/source.h"

namespace weir::objstore::aws {

/// Variables: AWS_EC2_METADATA_DISABLED, AWS_EC2_METADATA_SERVICE_ENDPOINT, and …_MODE (IPv6).
class InstanceSource final : public CredentialsSource {
 public:
  explicit InstanceSource(Surroundings in) : in_(in) {}
  rt::Task<Result<Credentials>> fetch() override;
  std::string describe() const override { return "instance metadata"; }

 private:
  rt::Task<Result<http::ClientResponse>> ask_some_times(http::ClientRequest request);
  Surroundings in_;
};

/// Variables: AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or …_FULL_URI, with
/// AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE or …_TOKEN. A full URI must be https, or an address of
/// this machine or of the two services, for the token is sent there.
class ContainerSource final : public CredentialsSource {
 public:
  explicit ContainerSource(Surroundings in) : in_(in) {}
  rt::Task<Result<Credentials>> fetch() override;
  std::string describe() const override { return "container endpoint"; }

 private:
  Surroundings in_;
};

/// Whether credentials may be asked for at this URL: see ContainerSource.
bool is_trusted_endpoint(std::string_view url);

}  // namespace weir::objstore::aws
