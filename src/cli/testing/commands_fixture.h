// CommandsTest: a console that remembers, a small broker, and `run` for a command line.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/session.h"
#include "client/test_broker.h"

namespace weir::cli::testing {

class TestConsole final : public Console {
 public:
  Result<void> out(std::string_view text) override {
    if (output.size() + text.size() > output_max) {
      closed = true;
      return fail(ErrorCode::closed, "nobody reads");
    }
    output.append(text);
    return {};
  }
  Result<void> flush() override { return {}; }
  bool is_closed() const override { return closed; }
  bool is_interrupted() const override { return interrupted; }
  void err(std::string_view text) override { errors.append(text); }
  rt::Task<Result<std::size_t>> read_some(MutableBytes into) override {
    std::size_t size = std::min(into.size(), std::min<std::size_t>(input.size(), 7));
    std::memcpy(into.data(), input.data(), size);
    input.erase(0, size);
    co_return size;
  }
  std::string input, output, errors;
  std::size_t output_max = SIZE_MAX;
  bool closed = false;
  bool interrupted = false;
};

class CommandsTest : public ::testing::Test {
 protected:
  ~CommandsTest() override {
    bool closed = false;
    client_.spawn(close(closed));
    world_.run_for(60s);
    EXPECT_TRUE(closed);
  }
  rt::Task<void> close(bool& closed) {
    co_await cluster_.close();
    closed = true;
  }
  /// Runs `weir WORDS…`; -1 if it does not end.
  int run(std::vector<std::string> words) {
    std::vector<Command> commands = cluster_commands();
    std::vector<const CommandSpec*> specs;
    for (const Command& command : commands) specs.push_back(&command.spec);
    FoundCommand found = find_command(specs, words);
    EXPECT_NE(found.command, nullptr);
    Result<Arguments> arguments =
        parse_arguments(*found.command, std::span(words).subspan(found.words));
    EXPECT_TRUE(arguments) << arguments.error().message;
    Environment none;
    std::vector<FileEntry> no_file;
    Result<Settings> settings = resolve_settings(
        *found.command,
        {.arguments = *arguments, .environment = none, .dotenv = none, .file = no_file});
    EXPECT_TRUE(settings) << settings.error().message;
    console_.output.clear();
    console_.errors.clear();
    Session session{.settings = *settings,
                    .names = arguments->positionals,
                    .console = console_,
                    .cluster = cluster_,
                    .random = client_.random()};
    std::optional<ExitStatus> status;
    for (const Command& command : commands)
      if (&command.spec == found.command) client_.spawn(store(command.run(session), status));
    bool ended = world_.run_while([&] { return !status.has_value(); }, 300s);
    EXPECT_TRUE(ended);
    return ended ? static_cast<int>(*status) : -1;
  }
  static rt::Task<void> store(rt::Task<ExitStatus> task, std::optional<ExitStatus>& status) {
    status = co_await std::move(task);
  }
  void expect_error(const char* part) {
    EXPECT_NE(console_.errors.find(part), std::string::npos) << console_.errors;
  }

  TestConsole console_;
  rt::sim::SimWorld world_{3};
  rt::sim::SimNode& broker_node_ = world_.start_node({.host = "broker"});
  rt::sim::SimNode& client_ = world_.start_node({.host = "client"});
  client::TestBroker& broker_ = broker_node_.make<client::TestBroker>(broker_node_, "broker");
  client::Cluster cluster_{
      client_.loop(), client_.network(), client_.random(), {.bootstrap = {{"broker", 9092}}}};
};

}  // namespace weir::cli::testing
