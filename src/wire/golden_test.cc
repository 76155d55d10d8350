// Compares our bytes with those that the reference client wrote for the same messages.
//
// tests/wire/java/GoldenWriter.java made the files; its head describes the lines. A sample is
// committed; WEIR_WIRE_GOLDEN_FILE names the full set, which tests/wire/full_golden.sh makes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "wire/api_table.h"
#include "wire/recode_table.h"

namespace weir::wire {
namespace {

std::string golden_path() {
  const char* full = std::getenv("WEIR_WIRE_GOLDEN_FILE");
  return full != nullptr ? full : WEIR_WIRE_GOLDEN "/messages.txt";
}

SharedBytes from_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(digit(hex[i]) << 4 | digit(hex[i + 1])));
  }
  return SharedBytes::copy_of(as_bytes(bytes));
}

const Recoder* find_recoder(std::string_view name) {
  for (const Recoder& recoder : kRecoders) {
    if (recoder.name == name) return &recoder;
  }
  return nullptr;
}

struct Golden {
  const Recoder* recoder = nullptr;
  std::string name;
  std::int16_t version = 0;
  std::string variant;
  SharedBytes bytes;
};

/// The messages of the file. Lines of other kinds are passed over.
std::optional<Golden> next_message(std::istream& file) {
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind, hex;
    Golden golden;
    words >> kind >> golden.name >> golden.version >> golden.variant >> hex;
    if (kind != "message") continue;
    golden.recoder = find_recoder(golden.name);
    golden.bytes = from_hex(hex);
    return golden;
  }
  return std::nullopt;
}

/// What is wrong with our reading and writing of these bytes; empty if nothing is.
std::string problem_with(const Golden& golden) {
  if (golden.recoder == nullptr) return "no such message";
  serial::Reader reader(golden.bytes);
  serial::Writer writer;
  if (!golden.recoder->recode(reader, writer, golden.version)) return reader.error().message;
  if (!reader.expect_end()) return reader.error().message;
  const Result<BytesChain> ours = writer.finish();
  if (!ours) return ours.error().message;
  if (ours->flatten() == golden.bytes) return {};
  return "ours " + to_hex(ours->flatten().view()) + ", theirs " + to_hex(golden.bytes.view());
}

TEST(Golden, WhatKafkaWroteIsReadWhollyAndWrittenAlike) {
  std::ifstream file(golden_path());
  ASSERT_TRUE(file) << golden_path();
  std::size_t count = 0;
  while (const std::optional<Golden> golden = next_message(file)) {
    ASSERT_EQ(problem_with(*golden), "")
        << golden->name << " " << golden->version << " " << golden->variant;
    ++count;
  }
  EXPECT_GT(count, 700U);
}

TEST(Golden, CanariesAreNoticed) {
  const auto metadata = [](std::string_view hex) {
    return Golden{find_recoder("MetadataRequest"), "MetadataRequest", 4, "canary", from_hex(hex)};
  };
  EXPECT_EQ(problem_with(metadata("00000000"
                                  "01")),
            "");
  EXPECT_NE(problem_with(metadata("00000000"
                                  "0100")),
            "")
      << "a byte too many";
  EXPECT_NE(problem_with(metadata("00000000")), "") << "a byte too few";
  EXPECT_NE(problem_with(metadata("00000000"
                                  "02")),
            "")
      << "a value that we write otherwise";
  EXPECT_NE(problem_with(Golden{.name = "NoSuchMessage"}), "");
}

TEST(Golden, UntouchedMessagesHaveKafkasDefaults) {
  std::ifstream file(golden_path());
  std::size_t count = 0;
  while (const std::optional<Golden> golden = next_message(file)) {
    if (golden->variant != "default") continue;
    SCOPED_TRACE(golden->name + " " + std::to_string(golden->version));
    ASSERT_NE(golden->recoder, nullptr);
    serial::Writer writer;
    golden->recoder->encode_default(writer, golden->version);
    const Result<BytesChain> ours = writer.finish();
    ASSERT_TRUE(ours) << ours.error().message;
    ASSERT_EQ(to_hex(ours->flatten().view()), to_hex(golden->bytes.view()));
    ++count;
  }
  EXPECT_GT(count, 500U);
}

TEST(Golden, EveryTruncationIsRefusedAndNothingElseHappens) {
  std::ifstream file(golden_path());
  while (const std::optional<Golden> golden = next_message(file)) {
    SCOPED_TRACE(golden->name + " " + std::to_string(golden->version) + " " + golden->variant);
    ASSERT_NE(golden->recoder, nullptr);
    for (std::size_t size = 0; size < golden->bytes.size(); ++size) {
      serial::Reader reader(golden->bytes.slice(0, size));
      serial::Writer writer;
      ASSERT_FALSE(golden->recoder->recode(reader, writer, golden->version)) << size;
    }
  }
}

TEST(Golden, EveryMessageAndVersionIsCovered) {
  std::ifstream file(golden_path());
  std::size_t defaults = 0;
  while (const std::optional<Golden> golden = next_message(file)) {
    if (golden->variant == "default") ++defaults;
  }
  std::size_t served = 0;
  for (const Recoder& recoder : kRecoders) {
    served += static_cast<std::size_t>(recoder.version_max - recoder.version_min + 1);
  }
  EXPECT_EQ(defaults, served);
}

TEST(Golden, TheTableSaysWhatKafkaAdvertises) {
  std::ifstream file(golden_path());
  std::size_t rows = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind, name;
    int key = 0, a = 0, b = 0, c = 0, d = 0;
    words >> kind >> key;
    const ApiInfo* api = find_api(static_cast<std::int16_t>(key));
    if (kind == "api") {
      words >> name >> a >> b >> c >> d;
      ASSERT_NE(api, nullptr) << line;
      EXPECT_EQ(api->name, name);
      EXPECT_EQ(api->version_min, a) << line;
      EXPECT_EQ(api->version_max, b) << line;
      EXPECT_EQ(api->advertised_min, c) << line;
      EXPECT_EQ(std::max(api->flexible_min, api->version_min), d) << line;
      ++rows;
    } else if (kind == "header") {
      words >> a >> b >> c;
      ASSERT_NE(api, nullptr) << line;
      EXPECT_EQ(api->request_header_version(static_cast<std::int16_t>(a)), b) << line;
      EXPECT_EQ(api->response_header_version(static_cast<std::int16_t>(a)), c) << line;
    }
  }
  EXPECT_EQ(rows, api_table().size());
}

}  // namespace
}  // namespace weir::wire
