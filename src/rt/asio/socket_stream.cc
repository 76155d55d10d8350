#include "rt/asio/socket_stream.h"

#include <errno.h>
#include <netinet/tcp.h>

#include "base/narrow.h"
#include "rt/asio/gather.h"
#include "rt/asio/limits.h"
#include "rt/asio/system_error.h"

namespace weir::rt::asio {

namespace {

std::unexpected<Error> closed_error() { return fail(ErrorCode::closed, "connection closed"); }

bool would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

/// The socket is held by the coroutine, so the stream need not outlive it.
Task<Result<std::size_t>> read_from(std::shared_ptr<Socket> socket, MutableBytes into) {
  while (socket->descriptor.is_open()) {
    ssize_t got = ::recv(socket->descriptor.fd(), into.data(), into.size(), 0);
    if (got >= 0) {
      // A peer that sends as fast as we read may not keep the loop to itself.
      if (++socket->direct_reads % kDirectOperationsMax == 0) co_await yield(socket->loop);
      co_return narrow<std::size_t>(got);
    }
    if (errno == EINTR) continue;
    if (!would_block(errno)) co_return std::unexpected(stream_error(errno, "read"));
    socket->direct_reads = 0;
    socket->descriptor.arm(Descriptor::For::reading, socket->reading, socket);
    // Without a deadline: `close` ends it, and connections have their own idle limit.
    co_await socket->readable.wait();
  }
  co_return closed_error();
}

ssize_t send_some(int fd, const GatherCursor& cursor) {
  std::array<iovec, kVectorPartsMax> vector;
  msghdr message{};
  message.msg_iov = vector.data();
  message.msg_iovlen = cursor.next(vector);
  return ::sendmsg(fd, &message, MSG_NOSIGNAL);
}

Task<Result<void>> write_to(std::shared_ptr<Socket> socket, std::span<const Bytes> parts) {
  GatherCursor cursor(parts);
  while (socket->descriptor.is_open()) {
    if (cursor.done()) co_return Result<void>{};
    ssize_t put = send_some(socket->descriptor.fd(), cursor);
    if (put >= 0) {
      cursor.advance(narrow<std::size_t>(put));
      if (++socket->direct_writes % kDirectOperationsMax == 0) co_await yield(socket->loop);
      continue;
    }
    if (errno == EINTR) continue;
    if (!would_block(errno)) co_return std::unexpected(stream_error(errno, "write"));
    socket->direct_writes = 0;
    socket->descriptor.arm(Descriptor::For::writing, socket->writing, socket);
    // Without a deadline: `close` ends it, and connections have their own idle limit.
    co_await socket->writable.wait();
  }
  co_return closed_error();
}

}  // namespace

SocketStream::SocketStream(std::shared_ptr<Socket> socket) : socket_(std::move(socket)) {
  int on = 1;
  // Best effort: a connection works without them.
  ::setsockopt(socket_->descriptor.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(socket_->descriptor.fd(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

Task<Result<std::size_t>> SocketStream::read_some(MutableBytes into) {
  ENSURE(!into.empty());
  return read_from(socket_, into);
}

Task<Result<void>> SocketStream::write(std::span<const Bytes> parts) {
  return write_to(socket_, parts);
}

void SocketStream::close() {
  if (!socket_->descriptor.is_open()) return;
  socket_->descriptor.close();
  socket_->readable.notify_all();
  socket_->writable.notify_all();
}

}  // namespace weir::rt::asio
