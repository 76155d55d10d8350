#include "cli/report.h"

#include <boost/json/object.hpp>
#include <set>

#include "cli/json_line.h"

namespace weir::cli {

ExitStatus report(Session& session, const std::vector<client::ItemOutcome>& outcomes,
                  const ReportWords& words) {
  ExitStatus status = ExitStatus::success;
  std::set<std::string> told;
  for (const client::ItemOutcome& item : outcomes) {
    bool as_wished = !item.error || (words.accepted && item.error->is(*words.accepted));
    if (!as_wished) {
      Error error = *item.error;
      error.message = item.name + ": " + error.message;
      // What was named twice may fail twice in the same way.
      if (told.insert(error.message).second) (void)session.fail(error, words.advice);
      status = ExitStatus::failed;
    }
    if (session.json()) {
      boost::json::object object{{words.thing, json_text(item.name)}, {"done", !item.error}};
      if (item.error) object["error"] = json_text(item.error->message);
      (void)print_json(session, object);
    } else if (!item.error) {
      (void)session.console.out(std::string(words.done) + " " + item.name + "\n");
    }
  }
  return status;
}

}  // namespace weir::cli
