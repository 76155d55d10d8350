// `weir config describe` and `weir config alter`.
#pragma once

#include "cli/session.h"

namespace weir::cli {

rt::Task<ExitStatus> describe_configs(Session& session);
rt::Task<ExitStatus> alter_configs(Session& session);

}  // namespace weir::cli
