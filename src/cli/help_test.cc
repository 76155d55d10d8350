#include "cli/help.h"

#include <gtest/gtest.h>

#include <unistd.h>
#include <cstdio>

namespace weir::cli {
namespace {

constexpr OptionSpec kOptions[] = {
    {.name = "output",
     .kind = OptionKind::choice,
     .value_name = "FORM",
     .help = "For whom the output is.",
     .fallback = "text",
     .choices = "text|json",
     .from_environment = true},
    {.name = "internal", .kind = OptionKind::flag, .help = "Also internal ones."},
};
constexpr CommandSpec kList{.path = "topic list",
                            .summary = "List topics.",
                            .options = kOptions,
                            .examples = "weir topic list"};
constexpr CommandSpec kCreate{.path = "topic create", .summary = "Create topics."};
constexpr const CommandSpec* kCommands[] = {&kCreate, &kList};

TEST(Help, NamesEveryOptionItsDefaultAndItsVariable) {
  std::string help = command_help(kList);
  for (const char* part : {"usage: weir topic list", "--output FORM", "Default: text.",
                           "[WEIR_OUTPUT]", "--internal\n", "examples:\n  weir topic list\n"})
    EXPECT_NE(help.find(part), std::string::npos) << help;
  EXPECT_NE(program_help(kCommands).find("  topic create  Create topics.\n"), std::string::npos);
}

/// What bash offers after `line`.
std::string complete(const std::string& line, int word) {
  std::string script = bash_completion(kCommands) + "COMP_WORDS=(" + line +
                       ")\nCOMP_CWORD=" + std::to_string(word) +
                       "\n_weir\necho \"${COMPREPLY[@]}\"\n";
  std::string path = testing::TempDir() + "/weir_completion_" + std::to_string(getpid());
  FILE* file = std::fopen(path.c_str(), "w");
  std::fputs(script.c_str(), file);
  std::fclose(file);
  FILE* shell = popen(("bash " + path).c_str(), "r");
  std::string out;
  for (int c; (c = std::fgetc(shell)) != EOF;) out.push_back(static_cast<char>(c));
  pclose(shell);
  std::remove(path.c_str());
  return out;
}

TEST(BashCompletion, OffersCommandsOptionsAndValues) {
  EXPECT_EQ(complete("weir ''", 1), "topic\n");
  EXPECT_EQ(complete("weir topic ''", 2), "create list\n");
  EXPECT_EQ(complete("weir topic list --", 3), "--output --internal --help\n");
  EXPECT_EQ(complete("weir topic list --output ''", 4), "text json\n");
  EXPECT_EQ(complete("weir topic create name --", 4), "--help\n");
}

TEST(FishAndZshCompletion, ListEveryOption) {
  std::string fish = fish_completion(kCommands);
  EXPECT_NE(fish.find("-l output -r -a 'text json'"), std::string::npos) << fish;
  EXPECT_NE(zsh_completion(kCommands).find("--internal"), std::string::npos);
}

}  // namespace
}  // namespace weir::cli
