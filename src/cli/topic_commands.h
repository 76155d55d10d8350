// The `weir topic …` commands; their tables are in commands.cc.
#pragma once

#include "cli/session.h"

namespace weir::cli {

rt::Task<ExitStatus> create_topics(Session& session);
rt::Task<ExitStatus> list_topics(Session& session);
rt::Task<ExitStatus> describe_topics(Session& session);
rt::Task<ExitStatus> alter_topics(Session& session);
rt::Task<ExitStatus> delete_topics(Session& session);

}  // namespace weir::cli
