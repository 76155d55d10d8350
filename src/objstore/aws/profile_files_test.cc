#include "objstore/aws/profile_files.h"

#include <gtest/gtest.h>

namespace weir::objstore::aws {
namespace {

ProfileFiles files_of(std::string_view config, std::string_view credentials) {
  ProfileFiles files;
  EXPECT_TRUE(files.add_credentials(credentials));
  EXPECT_TRUE(files.add_config(config));
  return files;
}

ErrorCode code_of(const ProfileFiles& files, std::string_view profile) {
  auto plan = plan_of(files, profile);
  EXPECT_FALSE(plan);
  return plan ? ErrorCode::internal : plan.error().code;
}

TEST(ProfileFiles, ReadsBothFilesAndTheCredentialsFileWins) {
  ProfileFiles files = files_of(
      "# a comment\r\n[default]\nregion = eu-west-1 ; where\ns3 =\n  max_concurrent = 3\n"
      "[profile dev]\naws_access_key_id = old\naws_secret_access_key=x\n[services a]\nb = c\n",
      "[dev]\nAWS_ACCESS_KEY_ID = new\n[default]\naws_access_key_id=AKID\n"
      "aws_secret_access_key = a=b#c\n");
  auto plan = plan_of(files, "default");
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_EQ(plan->base, ProfileBase::keys);
  EXPECT_EQ(plan->region, "eu-west-1");
  EXPECT_EQ(plan->properties.at("aws_secret_access_key"), "a=b#c");
  EXPECT_EQ(plan_of(files, "dev")->properties.at("aws_access_key_id"), "new");
}

TEST(ProfileFiles, ALineThatIsNothingIsNamedByNumberAndNotShown) {
  ProfileFiles files;
  auto added = files.add_config("[default]\nhunter2\n");
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, ErrorCode::configuration);
  EXPECT_NE(added.error().message.find("line 2"), std::string::npos);
  EXPECT_EQ(added.error().message.find("hunter2"), std::string::npos);
}

TEST(ProfileFiles, FollowsSourceProfilesToTheBase) {
  ProfileFiles files = files_of(
      "[profile outer]\nrole_arn = arn:2\nsource_profile = inner\nregion = us-west-2\n"
      "[profile inner]\nrole_arn = arn:1\nsource_profile = base\nexternal_id = e\n",
      "[base]\naws_access_key_id = a\naws_secret_access_key = b\n");
  auto plan = plan_of(files, "outer");
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_EQ(plan->base, ProfileBase::keys);
  ASSERT_EQ(plan->roles.size(), 2u);
  EXPECT_EQ(plan->roles[0].role_arn, "arn:1");
  EXPECT_EQ(plan->roles[0].external_id, "e");
  EXPECT_EQ(plan->roles[1].role_arn, "arn:2");
  EXPECT_EQ(plan->region, "us-west-2");
}

TEST(ProfileFiles, AProfileMayBeItsOwnSource) {
  ProfileFiles files = files_of(
      "[profile me]\nrole_arn = arn:1\nsource_profile = me\naws_access_key_id = a\n"
      "aws_secret_access_key = b\n",
      "");
  auto plan = plan_of(files, "me");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->roles.size(), 1u);
  EXPECT_EQ(plan->base, ProfileBase::keys);
}

TEST(ProfileFiles, ACircleIsAnError) {
  ProfileFiles files = files_of(
      "[profile a]\nrole_arn = x\nsource_profile = b\n[profile b]\nrole_arn = y\n"
      "source_profile = a\n",
      "");
  EXPECT_EQ(code_of(files, "a"), ErrorCode::configuration);
}

TEST(ProfileFiles, KnowsTheOtherBases) {
  ProfileFiles files = files_of(
      "[profile p]\ncredential_process = /bin/helper --x\n"
      "[profile w]\nrole_arn = r\nweb_identity_token_file = /t\n"
      "[profile i]\nrole_arn = r\ncredential_source = Ec2InstanceMetadata\n"
      "[profile s]\nsso_session = mine\nsso_account_id = 1\nsso_role_name = admin\n"
      "[sso-session mine]\nsso_region = eu-west-1\nsso_start_url = https://x\n",
      "");
  EXPECT_EQ(plan_of(files, "p")->base, ProfileBase::process);
  EXPECT_EQ(plan_of(files, "w")->base, ProfileBase::web_identity);
  EXPECT_TRUE(plan_of(files, "w")->roles.empty());
  EXPECT_EQ(plan_of(files, "i")->base, ProfileBase::instance);
  EXPECT_EQ(plan_of(files, "i")->roles.size(), 1u);
  auto sso = plan_of(files, "s");
  ASSERT_TRUE(sso);
  EXPECT_EQ(sso->base, ProfileBase::sso);
  EXPECT_EQ(sso->properties.at("sso_region"), "eu-west-1");
}

TEST(ProfileFiles, SaysWhatIsWrong) {
  ProfileFiles files = files_of(
      "[profile half]\naws_access_key_id = a\n[profile mfa]\nrole_arn = r\nmfa_serial = m\n"
      "source_profile = half\n[profile no]\nrole_arn = r\n[profile bad]\nrole_arn = r\n"
      "credential_source = Moon\n[profile gone]\nrole_arn = r\nsource_profile = none\n"
      "[profile sso]\nsso_session = none\n[profile empty]\nregion = x\n",
      "");
  for (const char* name : {"half", "mfa", "no", "bad", "gone", "sso"})
    EXPECT_EQ(code_of(files, name), ErrorCode::configuration) << name;
  EXPECT_EQ(code_of(files, "empty"), ErrorCode::not_found);
  EXPECT_EQ(code_of(files, "absent"), ErrorCode::not_found);
}

}  // namespace
}  // namespace weir::objstore::aws
