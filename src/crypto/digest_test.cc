#include "crypto/digest.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "crypto/limits.h"

namespace weir::crypto {
namespace {

TEST(Sha1, HasThePublishedDigest) {
  EXPECT_EQ(to_hex(sha1(as_bytes("abc"))), "a9993e364706816aba3e25717850c26c9cd0d89d");
}

TEST(Digest, MatchesThePublishedVectors) {
  EXPECT_EQ(to_hex(sha256(as_bytes("abc"))),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(to_hex(sha256(Bytes())),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(sha512(as_bytes("abc"))),
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
            "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
}

TEST(Digest, OfPiecesIsThatOfTheirConcatenation) {
  std::array<Bytes, 4> pieces = {as_bytes("a"), Bytes(), as_bytes("b"), as_bytes("c")};
  EXPECT_EQ(sha256(pieces), sha256(as_bytes("abc")));
  EXPECT_EQ(sha256(std::span<const Bytes>()), sha256(Bytes()));
}

// RFC 4231, test cases 2 and 6 (a key longer than the block).
TEST(Hmac, MatchesThePublishedVectors) {
  HmacInput jefe{.key = as_bytes("Jefe"), .message = as_bytes("what do ya want for nothing?")};
  EXPECT_EQ(to_hex(hmac_sha256(jefe)),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(to_hex(hmac_sha512(jefe)),
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
            "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737");
  std::string key(131, '\xaa');
  HmacInput long_key{.key = as_bytes(key),
                     .message = as_bytes("Test Using Larger Than Block-Size Key - Hash Key First")};
  EXPECT_EQ(to_hex(hmac_sha256(long_key)),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Hmac, TakesAnEmptyKeyAndMessage) {
  EXPECT_EQ(to_hex(hmac_sha256({})),
            "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

// RFC 7914, section 11 (the first half of its 64 bytes), and a known value for SHA-512.
TEST(Pbkdf2, MatchesThePublishedVectors) {
  Pbkdf2Input once{.password = as_bytes("passwd"), .salt = as_bytes("salt"), .iterations = 1};
  EXPECT_EQ(to_hex(pbkdf2_sha256(once).value()),
            "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc");
  Pbkdf2Input password{.password = as_bytes("password"), .salt = as_bytes("salt"), .iterations = 1};
  EXPECT_EQ(to_hex(pbkdf2_sha512(password).value()),
            "867f70cf1ade02cff3752599a3a53dc4af34c7a669815ae5d513554e1c8cf252"
            "c02d470a285a0501bad999bfe943c08f050235d7d68b1da55e63f73b60a57fce");
}

TEST(Pbkdf2, RefusesBadInput) {
  EXPECT_TRUE(pbkdf2_sha256({}).error().is(ErrorCode::invalid_argument));
  Pbkdf2Input many{.iterations = limits::pbkdf2_iterations_max + 1};
  EXPECT_TRUE(pbkdf2_sha256(many).error().is(ErrorCode::too_large));
  std::string text(limits::pbkdf2_input_bytes_max + 1, 'x');
  EXPECT_TRUE(pbkdf2_sha512({.password = as_bytes(text), .iterations = 1})
                  .error()
                  .is(ErrorCode::too_large));
}

TEST(EqualInConstantTime, Compares) {
  EXPECT_TRUE(equal_in_constant_time(Bytes(), Bytes()));
  EXPECT_TRUE(equal_in_constant_time(as_bytes("secret"), as_bytes("secret")));
  EXPECT_FALSE(equal_in_constant_time(as_bytes("secret"), as_bytes("secreT")));
  EXPECT_FALSE(equal_in_constant_time(as_bytes("secret"), as_bytes("secre")));
}

TEST(Sha256Hasher, gives_what_sha256_gives_again_and_again) {
  Sha256Hasher hasher;
  for (const char* text :
       {"", "abc", "", "a longer text than one block of the digest, which is 64 bytes long"})
    EXPECT_EQ(hasher(as_bytes(text)), sha256(as_bytes(text)));
}

}  // namespace
}  // namespace weir::crypto
