// SocketListener: one or two listening sockets (one per address family) behind one Listener.
#pragma once

#include <memory>
#include <vector>

#include "rt/asio/descriptor.h"
#include "rt/stream.h"

namespace weir::rt::asio {

/// Binds what `at` means; see Network::listen.
Result<std::unique_ptr<Listener>> listen_on(AsioLoop& loop, const Endpoint& at);

}  // namespace weir::rt::asio
