// SocketAddress: one address of one family, and how names become such.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "rt/stream.h"

namespace weir::rt::asio {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
  std::uint16_t port() const;
  void set_port(std::uint16_t port);
  /// The address as a literal. IPv4 inside IPv6 is shown as IPv4.
  Endpoint endpoint() const;

  static SocketAddress any_v4(std::uint16_t port);
  static SocketAddress any_v6(std::uint16_t port);
};

/// What needs no look-up: literals, and "localhost", which is 127.0.0.1 and then ::1.
std::optional<std::vector<SocketAddress>> literal_addresses(const Endpoint& endpoint);

/// Asks the system's resolver; blocks. At most kAddressesMax answers, at least one.
Result<std::vector<SocketAddress>> look_up(const Endpoint& endpoint);

}  // namespace weir::rt::asio
