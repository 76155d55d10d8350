#include "admin/admin_server.h"

namespace weir::admin {

Result<std::unique_ptr<AdminServer>> AdminServer::start(rt::Loop& loop, rt::Network& network,
                                                        const rt::Endpoint& at,
                                                        AdminSources sources, Logger& log) {
  Result<std::unique_ptr<rt::Listener>> listener = network.listen(loop, at);
  if (!listener && listener.error().is(ErrorCode::already_exists))
    return fail(ErrorCode::configuration,
                "admin: " + listener.error().message +
                    ", maybe another weir; --admin localhost:0 takes any free port, --admin off "
                    "serves no admin pages");
  if (!listener) return with_context(listener.error(), "admin");
  std::unique_ptr<AdminServer> server(
      new AdminServer(loop, std::move(*listener), std::move(sources), log));
  server->server_.start();
  return server;
}

}  // namespace weir::admin
