#include "rt/asio/network.h"

#include <errno.h>
#include <string.h>

#include <boost/asio/post.hpp>
#include <optional>

#include "rt/asio/addresses.h"
#include "rt/asio/loop_impl.h"
#include "rt/asio/socket_listener.h"
#include "rt/asio/socket_stream.h"
#include "rt/asio/system_error.h"

namespace weir::rt::asio {

namespace {

using StreamResult = Result<std::unique_ptr<Stream>>;

std::unexpected<Error> failed(const Endpoint& to, int error) {
  ErrorCode code = error == ECONNREFUSED ? ErrorCode::closed : ErrorCode::unavailable;
  return fail(code, "connect to " + to.text() + ": " + system_message(error));
}

std::unexpected<Error> late(const Endpoint& to) {
  return fail(ErrorCode::timed_out, "connect to " + to.text() + ": no answer in time");
}

/// Shared with the worker, which may still be looking when nobody waits any more.
struct LookUp {
  explicit LookUp(AsioLoop& owner) : loop(owner), done(owner) {}
  AsioLoop& loop;
  Event done;
  std::optional<Result<std::vector<SocketAddress>>> answer;
};

Task<Result<std::vector<SocketAddress>>> resolve(AsioLoop& loop, Workers& workers, Endpoint to,
                                                 MonoTime deadline) {
  if (auto literal = literal_addresses(to)) co_return std::move(*literal);
  auto look = std::make_shared<LookUp>(loop);
  workers.submit([look, to] {
    auto answer = look_up(to);
    boost::asio::post(look->loop.impl().context, [look, answer = std::move(answer)]() mutable {
      look->answer = std::move(answer);
      look->done.notify_all();
    });
  });
  while (!look->answer) {
    if (!co_await look->done.wait_until(deadline)) break;
  }
  if (!look->answer) co_return late(to);
  co_return std::move(*look->answer);
}

/// A connection from a port of ours to itself: nobody listens there, but TCP allows it.
bool is_connected_to_itself(int fd, const SocketAddress& to) {
  SocketAddress local;
  local.length = sizeof local.storage;
  if (::getsockname(fd, local.get(), &local.length) != 0) return false;
  return local.port() == to.port() && local.endpoint() == to.endpoint();
}

Task<StreamResult> try_address(AsioLoop& loop, Endpoint to, SocketAddress address,
                               MonoTime deadline) {
  int fd = ::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) co_return failed(to, errno);
  auto socket = std::make_shared<Socket>(loop, address);
  WEIR_CO_TRY(socket->descriptor.adopt(fd));
  int error = ::connect(fd, address.get(), address.length) == 0 ? 0 : errno;
  if (error == EINPROGRESS || error == EINTR) {
    socket->descriptor.arm(Descriptor::For::writing, socket->writing, socket);
    while (socket->writing.armed) {
      if (!co_await socket->writable.wait_until(deadline)) {
        socket->descriptor.close();
        co_return late(to);
      }
    }
    socklen_t length = sizeof error;
    if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0) error = errno;
  }
  if (error == 0 && is_connected_to_itself(fd, address)) error = ECONNREFUSED;
  if (error != 0) co_return failed(to, error);
  co_return std::make_unique<SocketStream>(std::move(socket));
}

Task<StreamResult> connect_to(AsioLoop& loop, Workers& workers, Endpoint to, MonoTime deadline) {
  auto addresses = co_await resolve(loop, workers, to, deadline);
  if (!addresses) co_return std::unexpected(std::move(addresses).error());
  StreamResult result = fail(ErrorCode::unavailable, "connect to " + to.text() + ": no address");
  for (std::size_t i = 0; i < addresses->size(); ++i) {
    MonoTime now = loop.now();
    if (i > 0 && now >= deadline) break;
    // A dead first address may not use up the time of the others.
    auto left = static_cast<std::int64_t>(addresses->size() - i);
    auto tried = co_await try_address(loop, to, (*addresses)[i], now + (deadline - now) / left);
    // A name is refused only if each of its addresses refuses.
    if (i == 0 || tried || !tried.error().is(ErrorCode::closed)) result = std::move(tried);
    if (result) break;
  }
  co_return result;
}

}  // namespace

Result<std::unique_ptr<Listener>> AsioNetwork::listen(Loop& loop, const Endpoint& at) {
  return listen_on(asio_loop(loop), at);
}

Task<StreamResult> AsioNetwork::connect(Loop& loop, Endpoint to, MonoTime deadline) {
  return connect_to(asio_loop(loop), resolvers_, std::move(to), deadline);
}

}  // namespace weir::rt::asio
