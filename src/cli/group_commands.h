// The `weir group …` commands.
#pragma once

#include "cli/session.h"

namespace weir::cli {

rt::Task<ExitStatus> list_groups(Session& session);
rt::Task<ExitStatus> describe_groups(Session& session);
rt::Task<ExitStatus> reset_group(Session& session);
rt::Task<ExitStatus> delete_groups(Session& session);
rt::Task<ExitStatus> show_lag(Session& session);

}  // namespace weir::cli
