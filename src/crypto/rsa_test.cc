#include "crypto/rsa.h"

#include <gtest/gtest.h>

#include "crypto/test_key_for_test.h"

namespace weir::crypto {
namespace {

TEST(Rsa, SignsAsOpensslDoes) {
  auto signature = rsa_sha256_signature(Secret(std::string(kTestPrivateKey)), as_bytes("weir"));
  ASSERT_TRUE(signature) << describe(signature.error());
  EXPECT_EQ(to_hex(as_bytes(*signature)), kTestSignature);
}

TEST(Rsa, VerifiesAndNoticesAChange) {
  auto signature = rsa_sha256_signature(Secret(std::string(kTestPrivateKey)), as_bytes("weir"));
  ASSERT_TRUE(signature);
  std::string pub(kTestPublicKey);
  EXPECT_TRUE(verify_rsa_sha256({pub, as_bytes("weir"), as_bytes(*signature)}).value());
  EXPECT_FALSE(verify_rsa_sha256({pub, as_bytes("weird"), as_bytes(*signature)}).value());
  EXPECT_FALSE(verify_rsa_sha256({pub, as_bytes("weir"), as_bytes("short")}).value());
}

TEST(Rsa, ABadKeyIsRefusedWithoutBeingShown) {
  for (const char* key : {"", "hunter2", "-----BEGIN PRIVATE KEY-----\nhunter2\n"}) {
    auto signature = rsa_sha256_signature(Secret(key), as_bytes("weir"));
    ASSERT_FALSE(signature);
    EXPECT_EQ(signature.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(signature.error().message.find("hunter2"), std::string::npos);
  }
}

}  // namespace
}  // namespace weir::crypto
