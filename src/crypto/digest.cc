#include "crypto/digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <memory>

#include "base/narrow.h"
#include "crypto/limits.h"

namespace weir::crypto {
namespace {

const unsigned char* as_openssl(Bytes bytes) {
  // OpenSSL treats a null pointer as "not given", so that an empty string needs an address.
  static constexpr unsigned char kEmpty = 0;
  return bytes.empty() ? &kEmpty : reinterpret_cast<const unsigned char*>(bytes.data());
}

unsigned char* as_openssl(MutableBytes bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

template <class Digest>
Digest digest_of(std::span<const Bytes> pieces, const EVP_MD* kind) {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                  &EVP_MD_CTX_free);
  ENSURE(context != nullptr);
  ENSURE(EVP_DigestInit_ex(context.get(), kind, nullptr) == 1);
  for (Bytes piece : pieces)
    ENSURE(EVP_DigestUpdate(context.get(), as_openssl(piece), piece.size()) == 1);
  Digest digest;
  unsigned int size = 0;
  ENSURE(EVP_DigestFinal_ex(context.get(), as_openssl(MutableBytes(digest)), &size) == 1);
  ENSURE(size == digest.size());
  return digest;
}

template <class Digest>
Digest hmac(const HmacInput& input, const EVP_MD* kind) {
  Digest digest;
  unsigned int size = 0;
  ENSURE(HMAC(kind, as_openssl(input.key), narrow<int>(input.key.size()), as_openssl(input.message),
              input.message.size(), as_openssl(MutableBytes(digest)), &size) != nullptr);
  ENSURE(size == digest.size());
  return digest;
}

template <class Digest>
Result<Digest> pbkdf2(const Pbkdf2Input& input, const EVP_MD* kind) {
  if (input.iterations == 0)
    return fail(ErrorCode::invalid_argument, "PBKDF2 needs at least one iteration");
  if (input.iterations > limits::pbkdf2_iterations_max)
    return fail(ErrorCode::too_large, "too many PBKDF2 iterations");
  if (input.password.size() > limits::pbkdf2_input_bytes_max ||
      input.salt.size() > limits::pbkdf2_input_bytes_max)
    return fail(ErrorCode::too_large, "PBKDF2: password or salt is too long");
  Digest digest;
  const auto* password = reinterpret_cast<const char*>(as_openssl(input.password));
  if (PKCS5_PBKDF2_HMAC(password, narrow<int>(input.password.size()), as_openssl(input.salt),
                        narrow<int>(input.salt.size()), narrow<int>(input.iterations), kind,
                        narrow<int>(digest.size()), as_openssl(MutableBytes(digest))) != 1)
    return fail(ErrorCode::internal, "OpenSSL: PBKDF2 failed");
  return digest;
}

}  // namespace

Sha1 sha1(Bytes bytes) { return digest_of<Sha1>(std::span(&bytes, 1), EVP_sha1()); }
struct Sha256Hasher::Impl {
  std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)> kind{EVP_MD_fetch(nullptr, "SHA256", nullptr),
                                                       &EVP_MD_free};
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(),
                                                                  &EVP_MD_CTX_free};
};

Sha256Hasher::Sha256Hasher() : impl_(std::make_unique<Impl>()) {
  ENSURE(impl_->kind != nullptr);
  ENSURE(impl_->context != nullptr);
}

Sha256Hasher::~Sha256Hasher() = default;

Sha256 Sha256Hasher::operator()(Bytes bytes) {
  EVP_MD_CTX* context = impl_->context.get();
  ENSURE(EVP_DigestInit_ex(context, impl_->kind.get(), nullptr) == 1);
  ENSURE(EVP_DigestUpdate(context, as_openssl(bytes), bytes.size()) == 1);
  Sha256 digest;
  ENSURE(EVP_DigestFinal_ex(context, as_openssl(MutableBytes(digest)), nullptr) == 1);
  return digest;
}

Sha256 sha256(Bytes bytes) { return sha256(std::span(&bytes, 1)); }
Sha256 sha256(std::span<const Bytes> pieces) { return digest_of<Sha256>(pieces, EVP_sha256()); }
Sha512 sha512(Bytes bytes) { return digest_of<Sha512>(std::span(&bytes, 1), EVP_sha512()); }

Sha256 hmac_sha256(const HmacInput& input) { return hmac<Sha256>(input, EVP_sha256()); }
Sha512 hmac_sha512(const HmacInput& input) { return hmac<Sha512>(input, EVP_sha512()); }

Result<Sha256> pbkdf2_sha256(const Pbkdf2Input& input) {
  return pbkdf2<Sha256>(input, EVP_sha256());
}
Result<Sha512> pbkdf2_sha512(const Pbkdf2Input& input) {
  return pbkdf2<Sha512>(input, EVP_sha512());
}

bool equal_in_constant_time(Bytes a, Bytes b) {
  if (a.size() != b.size()) return false;
  return a.empty() || CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace weir::crypto
