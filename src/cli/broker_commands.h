// The `weir broker …` commands that ask a cluster; `weir broker` itself is in `app`.
#pragma once

#include "cli/session.h"

namespace weir::cli {

rt::Task<ExitStatus> list_brokers(Session& session);

}  // namespace weir::cli
