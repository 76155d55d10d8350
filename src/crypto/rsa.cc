#include "crypto/rsa.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>

#include "base/narrow.h"
#include "crypto/limits.h"

namespace weir::crypto {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;
using Memory = std::unique_ptr<BIO, decltype(&BIO_free)>;

/// In place of OpenSSL's own, which would ask on the terminal.
int no_passphrase(char*, int, int, void*) { return 0; }

using Reader = EVP_PKEY* (*)(BIO*, EVP_PKEY**, pem_password_cb*, void*);

Result<Key> read_key(const std::string& pem, Reader reader, const char* what) {
  if (pem.size() > limits::pem_bytes_max) return fail(ErrorCode::too_large, "key is too long");
  Memory memory(BIO_new_mem_buf(pem.data(), narrow<int>(pem.size())), &BIO_free);
  ENSURE(memory != nullptr);
  Key key(reader(memory.get(), nullptr, &no_passphrase, nullptr), &EVP_PKEY_free);
  if (!key || EVP_PKEY_base_id(key.get()) != EVP_PKEY_RSA)
    return fail(ErrorCode::invalid_argument,
                std::string("this is no RSA ") + what + " in PEM form without a passphrase");
  return key;
}

}  // namespace

Result<std::string> rsa_sha256_signature(const Secret& pem_key, Bytes message) {
  auto key = read_key(pem_key.reveal(), &PEM_read_bio_PrivateKey, "private key");
  if (!key) return std::unexpected(key.error());
  Context context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  ENSURE(context != nullptr);
  const auto* input = reinterpret_cast<const unsigned char*>(message.data());
  std::size_t size = 0;
  if (EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key->get()) != 1 ||
      EVP_DigestSign(context.get(), nullptr, &size, input, message.size()) != 1)
    return fail(ErrorCode::invalid_argument, "the key cannot sign");
  std::string signature(size, '\0');
  if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                     input, message.size()) != 1)
    return fail(ErrorCode::invalid_argument, "the key cannot sign");
  signature.resize(size);
  return signature;
}

Result<bool> verify_rsa_sha256(const RsaSignature& input) {
  auto key = read_key(input.pem_public_key, &PEM_read_bio_PUBKEY, "public key");
  if (!key) return std::unexpected(key.error());
  Context context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  ENSURE(context != nullptr);
  if (EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key->get()) != 1)
    return fail(ErrorCode::invalid_argument, "the key cannot verify");
  return EVP_DigestVerify(
             context.get(), reinterpret_cast<const unsigned char*>(input.signature.data()),
             input.signature.size(), reinterpret_cast<const unsigned char*>(input.message.data()),
             input.message.size()) == 1;
}

}  // namespace weir::crypto
