// AdminServer: the admin pages on a port. Owned by `app`; runs on one loop.
#pragma once

#include <memory>

#include "admin/admin_handler.h"
#include "http/server.h"

namespace weir::admin {

class AdminServer {
 public:
  /// Binds and begins to serve. Errors: those of rt::Network::listen. `loop`, `log` and what
  /// `sources` refers to outlive the server; it is stopped before it dies.
  static Result<std::unique_ptr<AdminServer>> start(rt::Loop& loop, rt::Network& network,
                                                    const rt::Endpoint& at, AdminSources sources,
                                                    Logger& log);

  /// See AdminHandler.
  void set_engine(engine::Engine* engine) { handler_.set_engine(engine); }
  /// The bound address, for the ready line.
  rt::Endpoint local() const { return server_.local(); }
  rt::Task<void> stop() { return server_.stop(); }

 private:
  AdminServer(rt::Loop& loop, std::unique_ptr<rt::Listener> listener, AdminSources sources,
              Logger& log)
      : handler_(loop, std::move(sources)), server_(loop, std::move(listener), handler_, log) {}

  AdminHandler handler_;
  http::Server server_;
};

}  // namespace weir::admin
