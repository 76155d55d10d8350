#include "cli/settings.h"

#include <gtest/gtest.h>

namespace weir::cli {
namespace {

constexpr OptionSpec kOptions[] = {
    {.name = "memory",
     .kind = OptionKind::size,
     .value_name = "SIZE",
     .help = "Budget.",
     .fallback = "1GiB",
     .from_environment = true},
    {.name = "listen",
     .value_name = "HOST:PORT",
     .help = "Listen.",
     .repeat = Repeat::list,
     .from_environment = true},
    {.name = "set",
     .value_name = "KEY=VALUE",
     .help = "Set.",
     .repeat = Repeat::merge,
     .separator = ';',
     .from_environment = true},
    {.name = "store",
     .kind = OptionKind::url,
     .value_name = "URL",
     .help = "Store.",
     .from_environment = true},
    {.name = "identity",
     .kind = OptionKind::choice,
     .value_name = "WHICH",
     .help = "Identity.",
     .choices = "own|shared"},
    {.name = "lanes",
     .kind = OptionKind::integer,
     .value_name = "N",
     .help = "Threads.",
     .least = 1,
     .most = 64},
};
constexpr CommandSpec kBroker{.path = "broker", .summary = "Run.", .options = kOptions};

struct Inputs {
  std::vector<std::string> words;
  Environment environment;
  Environment dotenv;
  std::vector<FileEntry> file;

  Result<Settings> resolve() const {
    Result<Arguments> arguments = parse_arguments(kBroker, words);
    EXPECT_TRUE(arguments);
    return resolve_settings(kBroker, {.arguments = *arguments,
                                      .environment = environment,
                                      .dotenv = dotenv,
                                      .file = file,
                                      .file_name = "weir.properties"});
  }
};

TEST(Settings, StrongerSourcesWinAndAreNamed) {
  Inputs in;
  auto memory = [&in] { return in.resolve().value().one("memory"); };
  EXPECT_EQ(memory().source, "default");
  EXPECT_EQ(in.resolve()->size("memory"), 1u << 30);
  in.file = {{"memory", "2MiB", 7}};
  EXPECT_EQ(memory().source, "weir.properties line 7");
  in.dotenv["WEIR_MEMORY"] = "3MiB";
  EXPECT_EQ(memory().source, "WEIR_MEMORY in .env");
  in.environment["WEIR_MEMORY"] = "4MiB";
  EXPECT_EQ(memory().source, "WEIR_MEMORY");
  in.words = {"--memory", "5MiB", "--memory=6MiB"};
  EXPECT_EQ(memory().source, "--memory");
  EXPECT_EQ(memory().text, "6MiB");
}

TEST(Settings, AnEmptyVariableCountsAsUnset) {
  Inputs in;
  in.environment["WEIR_MEMORY"] = "";
  EXPECT_EQ(in.resolve()->one("memory").source, "default");
}

TEST(Settings, AListComesWhollyFromItsStrongestSource) {
  Inputs in;
  in.environment["WEIR_LISTEN"] = "a:1,b:2";
  EXPECT_EQ(in.resolve()->all("listen").size(), 2u);
  in.words = {"--listen", "c:3"};
  ASSERT_EQ(in.resolve()->all("listen").size(), 1u);
  EXPECT_EQ(in.resolve()->text("listen"), "c:3");
}

TEST(Settings, MergedOptionsComeWeakestFirst) {
  Inputs in;
  in.environment["WEIR_SET"] = "a=1;b=x,y";
  in.file = {{"set", "c=3", 1}};
  in.words = {"--set", "a=2"};
  std::vector<std::string> texts;
  Result<Settings> settings = in.resolve();
  for (const Setting& setting : settings->all("set")) texts.push_back(setting.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"c=3", "a=1", "b=x,y", "a=2"}));
}

TEST(Settings, OptionsThatAreNotForTheEnvironmentIgnoreIt) {
  Inputs in;
  in.environment["WEIR_LANES"] = "7";
  EXPECT_FALSE(in.resolve()->has("lanes"));
}

TEST(Settings, UrlsExpandVariables) {
  Inputs in;
  in.environment["BUCKET"] = "prod";
  in.dotenv["BUCKET"] = "other";
  in.dotenv["REGION"] = "eu-1";
  in.words = {"--store", "s3://${BUCKET}/x?region=${REGION}"};
  EXPECT_EQ(in.resolve()->text("store"), "s3://prod/x?region=eu-1");
}

TEST(Settings, ABadValueIsNamedWithItsSource) {
  struct Case {
    Inputs in;
    std::vector<const char*> parts;
  };
  const Case cases[] = {
      {{.environment = {{"WEIR_MEMORY", "12 bananas"}}}, {"WEIR_MEMORY", "12 bananas", "64MiB"}},
      {{.dotenv = {{"WEIR_MEMORY", "x"}}}, {"WEIR_MEMORY in .env", "'x' is not a size"}},
      {{.file = {{"memory", "y", 3}}}, {"weir.properties line 3", "'y' is not a size"}},
      {{.words = {"--identity", "both"}}, {"--identity", "is none of own and shared"}},
      {{.words = {"--lanes", "0"}}, {"--lanes", "less than 1"}},
      {{.words = {"--lanes", "65"}}, {"--lanes", "more than 64"}},
      {{.words = {"--store", "bucket"}}, {"--store", "is not a URL"}},
      {{.words = {"--store", "s3://${NO_SUCH}"}}, {"--store", "NO_SUCH is not set"}},
      {{.words = {"--store", "s3://${X"}}, {"--store", "closing brace"}},
      {{.words = {"--memory="}}, {"--memory", "the value is empty"}},
  };
  for (const Case& c : cases) {
    Result<Settings> settings = c.in.resolve();
    ASSERT_FALSE(settings) << c.parts.front();
    for (const char* part : c.parts)
      EXPECT_NE(settings.error().message.find(part), std::string::npos) << settings.error().message;
  }
}

TEST(Settings, AreDescribedWithSourcesAndWithoutSecrets) {
  Inputs in;
  in.words = {"--store", "s3://id:hunter2@bucket/p?region=x&secret_key=hunter2", "--set",
              "ssl.key.password=hunter2"};
  std::string text = describe_settings(in.resolve().value());
  EXPECT_EQ(text.find("hunter2"), std::string::npos) << text;
  EXPECT_NE(text.find("store = s3://id:********@bucket/p?region=x&secret_key=********  # --store"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("memory = 1GiB  # default"), std::string::npos) << text;
}

TEST(MaskSecrets, HidesWhatStandsInAQuery) {
  EXPECT_EQ(mask_secrets("s3://b/p?endpont=x&session_token=hunter2&proxy=http://a:hunter2@p:1"),
            "s3://b/p?endpont=x&session_token=********&proxy=********");
}

TEST(MaskSecrets, LeavesHarmlessTextAlone) {
  for (const char* text : {"file:///var/lib/weir", "localhost:9092", "s3://b?path_style=true"})
    EXPECT_EQ(mask_secrets(text), text);
}

}  // namespace
}  // namespace weir::cli
