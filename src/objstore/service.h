// What sources of credentials share: asking a service, reading a small file.
#pragma once

#include <string>

#include "http/client.h"
#include "rt/files.h"
#include "rt/workers.h"

namespace weir::objstore {

/// Sends, and makes errors of what is no 200. `who` begins messages: "instance metadata". Answers
/// may hold secrets, so messages have the status and nothing of the body. Errors: not_found (404),
/// unavailable (no answer, 429, 5xx), configuration (other statuses).
rt::Task<Result<http::ClientResponse>> ask_service(http::Client& client,
                                                   http::ClientRequest request, std::string who);

struct FileReader {
  rt::Loop& loop;
  rt::Workers& workers;
  rt::FileSystem& files;
};
/// Errors: not_found, configuration (cannot be read, too large).
rt::Task<Result<std::string>> read_small_file(FileReader reader, std::string path);

}  // namespace weir::objstore
