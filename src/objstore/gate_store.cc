#include "objstore/gate_store.h"

#include "objstore/decorator_impl.h"

namespace weir::objstore {

RequestClass class_of(Verb verb) {
  switch (verb) {
    case Verb::put_if_absent:
    case Verb::put_if_match: return RequestClass::commit;
    case Verb::put: return RequestClass::produce;
    case Verb::get:
    case Verb::get_range:
    case Verb::head: return RequestClass::tail_read;
    case Verb::list:
    case Verb::remove: return RequestClass::maintenance;
  }
  return RequestClass::maintenance;
}

template <class T>
rt::Task<Result<T>> GateStore::around(Request request) {
  auto ticket = co_await gate_.enter(class_.value_or(class_of(request.verb)));
  if (!ticket) co_return std::unexpected(std::move(ticket).error());
  co_return co_await send<T>(inner(), std::move(request));
}

template class Decorator<GateStore>;

}  // namespace weir::objstore
