// ShellCommands: rt::Commands by /bin/sh. Thread-safe; children are waited for, none is left
// behind.
#pragma once

#include "rt/commands.h"

namespace weir::rt::asio {

class ShellCommands final : public Commands {
 public:
  Result<std::string> run(const std::string& line, Bounds bounds) override;
};

}  // namespace weir::rt::asio
