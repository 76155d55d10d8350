#include "rt/asio/addresses.h"

#include <arpa/inet.h>
#include <netdb.h>

#include <cstring>

#include "rt/asio/limits.h"
#include "rt/asio/system_error.h"

namespace weir::rt::asio {

namespace {

sockaddr_in& v4(SocketAddress& address) {
  return *reinterpret_cast<sockaddr_in*>(&address.storage);
}
sockaddr_in6& v6(SocketAddress& address) {
  return *reinterpret_cast<sockaddr_in6*>(&address.storage);
}

std::optional<SocketAddress> parse_literal(const std::string& host, std::uint16_t port) {
  SocketAddress address = SocketAddress::any_v4(port);
  if (inet_pton(AF_INET, host.c_str(), &v4(address).sin_addr) == 1) return address;
  address = SocketAddress::any_v6(port);
  if (inet_pton(AF_INET6, host.c_str(), &v6(address).sin6_addr) == 1) return address;
  return std::nullopt;
}

struct AddressListDeleter {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

}  // namespace

std::uint16_t SocketAddress::port() const {
  // The port lies at the same place in both families.
  return ntohs(reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
}

void SocketAddress::set_port(std::uint16_t port) { v4(*this).sin_port = htons(port); }

Endpoint SocketAddress::endpoint() const {
  char text[INET6_ADDRSTRLEN] = "";
  if (family() == AF_INET6) {
    const auto& address = *reinterpret_cast<const sockaddr_in6*>(&storage);
    if (IN6_IS_ADDR_V4MAPPED(&address.sin6_addr)) {
      inet_ntop(AF_INET, &address.sin6_addr.s6_addr[12], text, sizeof text);
    } else {
      inet_ntop(AF_INET6, &address.sin6_addr, text, sizeof text);
    }
  } else {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&storage)->sin_addr, text,
              sizeof text);
  }
  return {text, port()};
}

SocketAddress SocketAddress::any_v4(std::uint16_t port) {
  SocketAddress address;
  address.length = sizeof(sockaddr_in);
  v4(address).sin_family = AF_INET;
  v4(address).sin_addr.s_addr = htonl(INADDR_ANY);
  address.set_port(port);
  return address;
}

SocketAddress SocketAddress::any_v6(std::uint16_t port) {
  SocketAddress address;
  address.length = sizeof(sockaddr_in6);
  v6(address).sin6_family = AF_INET6;
  v6(address).sin6_addr = in6addr_any;
  address.set_port(port);
  return address;
}

std::optional<std::vector<SocketAddress>> literal_addresses(const Endpoint& endpoint) {
  if (endpoint.host == "localhost") {
    return std::vector{*parse_literal("127.0.0.1", endpoint.port),
                       *parse_literal("::1", endpoint.port)};
  }
  auto address = parse_literal(endpoint.host, endpoint.port);
  if (!address) return std::nullopt;
  return std::vector{*address};
}

Result<std::vector<SocketAddress>> look_up(const Endpoint& endpoint) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* raw = nullptr;
  int error = getaddrinfo(endpoint.host.c_str(), nullptr, &hints, &raw);
  std::unique_ptr<addrinfo, AddressListDeleter> list(raw);
  if (error != 0) {
    std::string reason = error == EAI_SYSTEM ? system_message(errno) : gai_strerror(error);
    // A name server that does not answer may do so later; a name that it denies stays denied.
    bool unknown = error == EAI_NONAME || error == EAI_NODATA;
    return fail(unknown ? ErrorCode::configuration : ErrorCode::unavailable,
                "look up host " + endpoint.host + ": " + reason);
  }
  std::vector<SocketAddress> addresses;
  for (const addrinfo* item = list.get(); item != nullptr; item = item->ai_next) {
    if (item->ai_family != AF_INET && item->ai_family != AF_INET6) continue;
    if (addresses.size() == kAddressesMax) break;
    SocketAddress& address = addresses.emplace_back();
    std::memcpy(&address.storage, item->ai_addr, item->ai_addrlen);
    address.length = item->ai_addrlen;
    address.set_port(endpoint.port);
  }
  if (addresses.empty()) {
    return fail(ErrorCode::unavailable, "look up host " + endpoint.host + ": no address");
  }
  return addresses;
}

}  // namespace weir::rt::asio
