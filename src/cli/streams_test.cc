// The pieces of produce and consume that need no cluster.
#include <gtest/gtest.h>

#include "cli/stream_commands.h"
#include "record/builder.h"

namespace weir::cli {
namespace {

std::vector<std::string> split(std::string_view text, std::size_t piece) {
  LineSplitter lines(1000);
  std::vector<std::string> all;
  auto take_all = [&] {
    for (;;) {
      Result<std::optional<std::string>> line = lines.next();
      EXPECT_TRUE(line);
      if (!line || !*line) return;
      all.push_back(**line);
    }
  };
  for (std::size_t at = 0; at < text.size(); at += piece) {
    lines.feed(as_bytes(text.substr(at, piece)));
    take_all();
  }
  lines.end();
  take_all();
  take_all();
  return all;
}

TEST(LineSplitter, GivesTheSameLinesForEverySplit) {
  std::string_view text = "one\n\ntwo\r\nthree \r three\nlast";
  std::vector<std::string> lines{"one", "", "two\r", "three \r three", "last"};
  for (std::size_t piece = 1; piece <= text.size(); ++piece) EXPECT_EQ(split(text, piece), lines);
  EXPECT_EQ(split("a\n", 1), std::vector<std::string>{"a"});
  EXPECT_EQ(split("", 1), std::vector<std::string>{});
}

TEST(LineSplitter, RefusesEndlessLines) {
  LineSplitter lines(10);
  lines.feed(as_bytes("0123456789"));
  EXPECT_TRUE(lines.next());
  lines.feed(as_bytes("x"));
  EXPECT_TRUE(lines.next().error().is(ErrorCode::too_large));
}

TEST(ParsePlace, UnderstandsEveryForm) {
  using Kind = Place::Kind;
  auto is = [](std::string_view text, Kind kind, std::int64_t value) {
    Result<Place> place = parse_place(text);
    ASSERT_TRUE(place) << text;
    EXPECT_EQ(place->kind, kind) << text;
    EXPECT_EQ(place->value, value) << text;
  };
  is("beginning", Kind::beginning, 0);
  is("end", Kind::end, 0);
  is("42", Kind::offset, 42);
  is("-10", Kind::before_end, 10);
  is("@1700000000000", Kind::time, 1'700'000'000'000);
  is("2026-01-31T12:34:56.789Z", Kind::time, 1'769'862'896'789);
  is("1970-01-02", Kind::time, 86'400'000);
  for (const char* text : {"", "begin", "1x", "@-1", "2026-13-01", "2026-01-31T25:00:00Z",
                           "2026-01-31T12:00:00", "2026-02-30"}) {
    Result<Place> place = parse_place(text);
    ASSERT_FALSE(place) << text;
    EXPECT_NE(place.error().message.find("beginning, end"), std::string::npos);
  }
}

/// One record, as a consumer sees it.
class RecordPrinterTest : public testing::Test {
 protected:
  std::string line(const RecordPrinter& printer, std::optional<std::string_view> key,
                   std::optional<std::string_view> value) {
    record::BatchBuilder builder({.base_offset = Offset(7)});
    record::NewHeader headers[] = {{"h", as_bytes("1")}, {"n", std::nullopt}};
    record::NewRecord record{.timestamp = WallMillis(99), .headers = headers};
    if (key) record.key = as_bytes(*key);
    if (value) record.value = as_bytes(*value);
    builder.append(record);
    Buffer batch = std::move(builder).finish().value();
    auto view = record::BatchView::front_of(batch.data());
    auto reader = record::RecordReader::open(*view);
    auto read = reader->next();
    return printer.line({"t", PartitionIndex(3)}, **read);
  }
};

TEST_F(RecordPrinterTest, PrintsTheValueAlone) {
  EXPECT_EQ(line({}, "k", "v"), "v\n");
  EXPECT_EQ(line({}, "k", std::nullopt), "\n");
}

TEST_F(RecordPrinterTest, PrintsTheFieldsInTheOrderAsked) {
  RecordPrinter printer{.fields = parse_fields("partition,offset,timestamp,key,headers").value()};
  EXPECT_EQ(line(printer, "k", "v"), "3\t7\t99\tk\th=1,n=\tv\n");
  EXPECT_FALSE(parse_fields("key,colour"));
}

TEST_F(RecordPrinterTest, JsonHoldsEverythingAndSurvivesBytesThatAreNoText) {
  RecordPrinter printer{.json = true};
  EXPECT_EQ(line(printer, std::nullopt, "a\"\xc3\xa4"),
            "{\"topic\":\"t\",\"partition\":3,\"offset\":7,\"timestamp\":99,\"key\":null,"
            "\"value\":\"a\\\"\xc3\xa4\",\"headers\":[{\"key\":\"h\",\"value\":\"1\"},"
            "{\"key\":\"n\",\"value\":null}]}\n");
  for (const char* bytes : {"\xff\xfe", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"})
    EXPECT_NE(line(printer, std::nullopt, bytes).find("\"value_base64\":"), std::string::npos);
}

}  // namespace
}  // namespace weir::cli
