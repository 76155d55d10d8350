// What became of each of the names that a command was given.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "cli/session.h"
#include "client/admin_client.h"

namespace weir::cli {

struct ReportWords {
  /// What is named: the field in JSON, as "topic".
  std::string_view thing;
  /// "created".
  std::string_view done;
  /// An error that is what was wished for, too.
  std::optional<ErrorCode> accepted;
  Advice advice = {};
};

/// Prints a line for each; failures to standard error.
ExitStatus report(Session& session, const std::vector<client::ItemOutcome>& outcomes,
                  const ReportWords& words);

}  // namespace weir::cli
