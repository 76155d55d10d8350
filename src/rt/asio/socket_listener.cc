#include "rt/asio/socket_listener.h"

#include <errno.h>
#include <unistd.h>

#include <optional>

#include "rt/asio/addresses.h"
#include "rt/asio/limits.h"
#include "rt/asio/socket_stream.h"
#include "rt/asio/system_error.h"

namespace weir::rt::asio {

namespace {

/// A descriptor that is closed unless released.
class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

struct Acceptor {
  Acceptor(AsioLoop& loop, Event& event) : descriptor(loop), readiness{event} {}
  Descriptor descriptor;
  Readiness readiness;
};

struct Acceptors {
  explicit Acceptors(AsioLoop& owner) : loop(owner), incoming(owner) {}
  AsioLoop& loop;
  Event incoming;
  std::vector<std::unique_ptr<Acceptor>> items;
  bool open = true;
  unsigned direct_accepts = 0;
};

bool is_passing(int error) {
  // The connection died before we took it, or the network hiccuped: look for the next one.
  return error == EINTR || error == ECONNABORTED || error == EPROTO || error == ENETDOWN ||
         error == EHOSTDOWN || error == EHOSTUNREACH || error == ENETUNREACH;
}

/// A connection of one of the sockets; nothing if none waits.
std::optional<Result<std::unique_ptr<Stream>>> take_one(Acceptors& acceptors, AsioLoop& target) {
  for (auto& acceptor : acceptors.items) {
    for (;;) {
      SocketAddress peer;
      peer.length = sizeof peer.storage;
      int fd = ::accept4(acceptor->descriptor.fd(), peer.get(), &peer.length,
                         SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd >= 0) {
        auto socket = std::make_shared<Socket>(target, peer);
        if (auto adopted = socket->descriptor.adopt(fd); !adopted) {
          return std::unexpected(std::move(adopted).error());
        }
        return std::make_unique<SocketStream>(std::move(socket));
      }
      if (is_passing(errno)) continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK) break;
      return fail(ErrorCode::unavailable, "accept: " + system_message(errno));
    }
  }
  return std::nullopt;
}

Task<Result<std::unique_ptr<Stream>>> accept_from(std::shared_ptr<Acceptors> acceptors,
                                                  AsioLoop& target) {
  while (acceptors->open) {
    if (auto taken = take_one(*acceptors, target)) {
      if (++acceptors->direct_accepts % kDirectOperationsMax == 0) co_await yield(acceptors->loop);
      co_return std::move(*taken);
    }
    acceptors->direct_accepts = 0;
    for (auto& acceptor : acceptors->items) {
      acceptor->descriptor.arm(Descriptor::For::reading, acceptor->readiness, acceptors);
    }
    // Without a deadline: `close` ends it.
    co_await acceptors->incoming.wait();
  }
  co_return fail(ErrorCode::closed, "listener closed");
}

class SocketListener final : public Listener {
 public:
  SocketListener(std::shared_ptr<Acceptors> acceptors, Endpoint local)
      : acceptors_(std::move(acceptors)), local_(std::move(local)) {}
  ~SocketListener() override { close(); }

  Task<Result<std::unique_ptr<Stream>>> accept(Loop& loop) override {
    return accept_from(acceptors_, asio_loop(loop));
  }
  void close() override {
    if (!acceptors_->open) return;
    acceptors_->open = false;
    for (auto& acceptor : acceptors_->items) acceptor->descriptor.close();
    acceptors_->incoming.notify_all();
  }
  Endpoint local() const override { return local_; }

 private:
  std::shared_ptr<Acceptors> acceptors_;
  Endpoint local_;
};

struct BindFailure {
  int error = 0;
  const char* what = "";
};

/// A listening socket at `address`, whose port is filled in. Both families only if `dual`.
std::expected<Fd, BindFailure> bind_one(SocketAddress& address, bool dual) {
  Fd fd(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (fd.get() < 0) return std::unexpected(BindFailure{errno, "socket"});
  int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address.family() == AF_INET6) {
    int v6_only = dual ? 0 : 1;
    ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &v6_only, sizeof v6_only);
  }
  if (::bind(fd.get(), address.get(), address.length) != 0) {
    return std::unexpected(BindFailure{errno, "bind"});
  }
  if (::listen(fd.get(), kListenBacklog) != 0) {
    return std::unexpected(BindFailure{errno, "listen"});
  }
  address.length = sizeof address.storage;
  if (::getsockname(fd.get(), address.get(), &address.length) != 0) {
    return std::unexpected(BindFailure{errno, "getsockname"});
  }
  return fd;
}

std::string_view advice_for(int error) {
  switch (error) {
    case EACCES:
      return "; take a port from 1024 on, or give the program the right to lower ones "
             "(CAP_NET_BIND_SERVICE)";
    case EADDRNOTAVAIL:
      return "; no interface of this machine has that address; `ip address` lists them, and \"*\" "
             "is all of them";
    default: return "";
  }
}

bool is_family_missing(int error) { return error == EAFNOSUPPORT || error == EADDRNOTAVAIL; }

/// All addresses on one port. A family that the machine lacks is left out if another remains.
std::expected<std::vector<Fd>, BindFailure> bind_all(std::vector<SocketAddress> addresses,
                                                     std::uint16_t& port) {
  std::vector<Fd> bound;
  BindFailure failure;
  for (SocketAddress& address : addresses) {
    address.set_port(port);
    auto fd = bind_one(address, false);
    if (!fd) {
      failure = fd.error();
      if (is_family_missing(failure.error)) continue;
      return std::unexpected(failure);
    }
    port = address.port();
    bound.push_back(std::move(*fd));
  }
  if (bound.empty()) return std::unexpected(failure);
  return bound;
}

std::expected<std::vector<Fd>, BindFailure> bind_everywhere(std::uint16_t& port) {
  SocketAddress any = SocketAddress::any_v6(port);
  auto fd = bind_one(any, true);
  if (!fd && is_family_missing(fd.error().error)) {
    any = SocketAddress::any_v4(port);
    fd = bind_one(any, false);
  }
  if (!fd) return std::unexpected(fd.error());
  port = any.port();
  std::vector<Fd> bound;
  bound.push_back(std::move(*fd));
  return bound;
}

}  // namespace

Result<std::unique_ptr<Listener>> listen_on(AsioLoop& loop, const Endpoint& at) {
  std::vector<SocketAddress> addresses;
  bool everywhere = at.host.empty() || at.host == "*";
  if (!everywhere) {
    auto literal = literal_addresses(at);
    Result<std::vector<SocketAddress>> found = literal ? *std::move(literal) : look_up(at);
    if (!found) return fail(ErrorCode::configuration, found.error().message);
    addresses = *std::move(found);
  }
  std::uint16_t port = at.port;
  auto bound = everywhere ? bind_everywhere(port) : bind_all(addresses, port);
  // The kernel's choice for one family may be taken in the other: choose again.
  for (int i = 0; at.port == 0 && !bound && i < kDualPortAttempts; ++i) {
    if (bound.error().error != EADDRINUSE) break;
    port = 0;
    bound = everywhere ? bind_everywhere(port) : bind_all(addresses, port);
  }
  if (!bound && bound.error().error == EADDRINUSE) {
    return fail(ErrorCode::already_exists,
                "listen on " + at.text() + ": another program listens there already");
  }
  if (!bound) {
    return fail(ErrorCode::configuration, "listen on " + at.text() + ": " + bound.error().what +
                                              ": " + system_message(bound.error().error) +
                                              std::string(advice_for(bound.error().error)));
  }
  auto acceptors = std::make_shared<Acceptors>(loop);
  for (Fd& fd : *bound) {
    auto& acceptor =
        acceptors->items.emplace_back(std::make_unique<Acceptor>(loop, acceptors->incoming));
    WEIR_TRY(acceptor->descriptor.adopt(fd.release()));
  }
  return std::make_unique<SocketListener>(std::move(acceptors), Endpoint{at.host, port});
}

}  // namespace weir::rt::asio
