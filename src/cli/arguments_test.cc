#include "cli/arguments.h"

#include <gtest/gtest.h>

namespace weir::cli {
namespace {

constexpr OptionSpec kOptions[] = {
    {.name = "partitions", .kind = OptionKind::integer, .value_name = "N", .help = "How many."},
    {.name = "config", .value_name = "KEY=VALUE", .help = "A setting.", .repeat = Repeat::list},
    {.name = "if-not-exists", .kind = OptionKind::flag, .help = "No error."},
};
constexpr CommandSpec kCreate{.path = "topic create",
                              .summary = "Create.",
                              .positionals = "NAME…",
                              .positionals_min = 1,
                              .positionals_max = 2,
                              .options = kOptions};
constexpr CommandSpec kTopic{.path = "topic", .summary = "Topics."};

Result<Arguments> parse(std::vector<std::string> words) { return parse_arguments(kCreate, words); }

TEST(ParseArguments, TakesBothFormsFlagsAndNames) {
  Result<Arguments> arguments =
      parse({"a", "--partitions", "3", "--config=x=y", "--config", "z=", "--if-not-exists", "b"});
  ASSERT_TRUE(arguments) << arguments.error().message;
  EXPECT_EQ(arguments->positionals, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(arguments->options.size(), 4u);
  EXPECT_EQ(arguments->options[0].value, "3");
  EXPECT_EQ(arguments->options[1].value, "x=y");
  EXPECT_EQ(arguments->options[2].value, "z=");
  EXPECT_EQ(arguments->options[3].value, "true");
}

TEST(ParseArguments, TwoDashesEndTheOptions) {
  Result<Arguments> arguments = parse({"--", "--partitions"});
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments->positionals, std::vector<std::string>{"--partitions"});
}

TEST(ParseArguments, HelpWinsOverEverythingWrongAfterIt) {
  EXPECT_TRUE(parse({"--help", "--nonsense"}).value().help);
  EXPECT_TRUE(parse({"-h"}).value().help);
}

TEST(ParseArguments, SaysWhatIsWrong) {
  struct Case {
    std::vector<std::string> words;
    const char* part;
  };
  const Case cases[] = {
      {{"a", "--partition", "3"}, "did you mean --partitions?"},
      {{"a", "--zzzzzzzzzz"}, "there is no option --zzzzzzzzzz"},
      {{"a", "--partitions"}, "--partitions needs a value: --partitions N"},
      {{}, "needs NAME…"},
      {{"a", "b", "c"}, "'c' is one word too many"},
      {{"a", "-p"}, "'-p' is no option"},
  };
  for (const Case& c : cases) {
    Result<Arguments> arguments = parse(c.words);
    ASSERT_FALSE(arguments) << c.part;
    EXPECT_NE(arguments.error().message.find(c.part), std::string::npos)
        << arguments.error().message;
  }
}

TEST(FindCommand, TakesTheLongestPath) {
  const CommandSpec* commands[] = {&kTopic, &kCreate};
  std::vector<std::string> words{"topic", "create", "x"};
  EXPECT_EQ(find_command(commands, words).command, &kCreate);
  EXPECT_EQ(find_command(commands, words).words, 2u);
  words = {"topic", "--help"};
  EXPECT_EQ(find_command(commands, words).command, &kTopic);
  words = {"--store", "x"};
  EXPECT_EQ(find_command(commands, words).command, nullptr);
}

TEST(Closest, OffersOnlyWhatIsNear) {
  std::string_view names[] = {"store", "listen", "flush-interval-max"};
  EXPECT_EQ(closest("stroe", names), "store");
  EXPECT_EQ(closest("flush-interval-mx", names), "flush-interval-max");
  EXPECT_EQ(closest("bananas", names), "");
}

}  // namespace
}  // namespace weir::cli
