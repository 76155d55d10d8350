// Decorator: a store around another, whose verbs all go through one function.
//
// A decorator derives from Decorator<itself> and defines
//
//   template <class T> rt::Task<Result<T>> around(Request request);
//
// which usually calls `send<T>(inner(), …)` somewhere in its middle. The function is defined in the
// decorator's source file, which includes objstore/decorator_impl.h and ends with
// `template class Decorator<It>;`; its header announces that with `extern template class
// Decorator<It>;`.
//
// The inner store is borrowed and outlives the decorator.
#pragma once

#include "objstore/request.h"

namespace weir::objstore {

template <class Self>
class Decorator : public ObjectStore {
 public:
  rt::Task<Result<std::string>> put(std::string name, BytesChain body) override;
  rt::Task<Result<std::string>> put_if_absent(std::string name, BytesChain body) override;
  rt::Task<Result<std::string>> put_if_match(std::string name, BytesChain body,
                                             std::string etag) override;
  rt::Task<Result<SharedBytes>> get(std::string name) override;
  rt::Task<Result<SharedBytes>> get_range(std::string name, std::uint64_t offset,
                                          std::uint64_t length) override;
  rt::Task<Result<ObjectInfo>> head(std::string name) override;
  rt::Task<Result<Page>> list(std::string prefix, std::string continuation) override;
  rt::Task<Result<RemoveFailures>> remove(std::vector<std::string> names) override;
  std::string describe() const override { return inner_.describe(); }

 protected:
  explicit Decorator(ObjectStore& inner) : inner_(inner) {}
  ObjectStore& inner() { return inner_; }

 private:
  Self& self() { return static_cast<Self&>(*this); }

  ObjectStore& inner_;
};

}  // namespace weir::objstore
