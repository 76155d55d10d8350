#include "objstore/null_store.h"

#include "objstore/object_name.h"

namespace weir::objstore {
namespace {

Result<std::string> swallow(const std::string& name) {
  WEIR_TRY(check_name(name));
  return std::string("null");
}

std::unexpected<Error> absent(const std::string& name) {
  return fail(ErrorCode::not_found, "no object " + name + " (null:// keeps nothing)");
}

}  // namespace

rt::Task<Result<std::string>> NullStore::put(std::string name, BytesChain) {
  co_return swallow(name);
}

rt::Task<Result<std::string>> NullStore::put_if_absent(std::string name, BytesChain) {
  co_return swallow(name);
}

rt::Task<Result<std::string>> NullStore::put_if_match(std::string name, BytesChain, std::string) {
  co_return fail(ErrorCode::precondition, "no object " + name + " (null:// keeps nothing)");
}

rt::Task<Result<SharedBytes>> NullStore::get(std::string name) { co_return absent(name); }

rt::Task<Result<SharedBytes>> NullStore::get_range(std::string name, std::uint64_t, std::uint64_t) {
  co_return absent(name);
}

rt::Task<Result<ObjectInfo>> NullStore::head(std::string name) { co_return absent(name); }

rt::Task<Result<ObjectStore::Page>> NullStore::list(std::string, std::string) { co_return Page{}; }

rt::Task<Result<ObjectStore::RemoveFailures>> NullStore::remove(std::vector<std::string>) {
  co_return RemoveFailures{};
}

}  // namespace weir::objstore
