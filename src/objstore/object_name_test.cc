#include "objstore/object_name.h"

#include <gtest/gtest.h>

#include "objstore/limits.h"

namespace weir::objstore {
namespace {

TEST(ObjectName, OrdinaryNamesAreTheirOwnPaths) {
  EXPECT_EQ(path_of_name("data/3f/00000000000000000042-ab-1").value(),
            "data/3f/00000000000000000042-ab-1");
}

TEST(ObjectName, EscapesWhatAFileSystemCouldMisunderstand) {
  EXPECT_EQ(path_of_name(".tmp/a b").value(), "%2Etmp/a%20b");
  EXPECT_EQ(path_of_name("%2Etmp").value(), "%252Etmp");
  EXPECT_EQ(path_of_name("...").value(), "%2E..");
  EXPECT_EQ(path_of_name("\xc3\xa9").value(), "%C3%A9");
}

TEST(ObjectName, TheWayBackIsExact) {
  for (int c = 0x20; c < 0x7f; ++c) {
    if (c == '/') continue;
    std::string part = std::string("x") + static_cast<char>(c);
    EXPECT_EQ(name_part_of_file(path_of_name(part).value()), part);
  }
}

TEST(ObjectName, FilesThatNoNameHasAreNoObjects) {
  for (const char* file : {".tmp", ".lock", "%2e", "%41", "%", "%4", "a b", ""})
    EXPECT_EQ(name_part_of_file(file), std::nullopt) << file;
}

TEST(ObjectName, HasLimits) {
  EXPECT_TRUE(check_name(std::string(kNamePartBytesMax, 'a')));
  EXPECT_FALSE(check_name(std::string(kNamePartBytesMax + 1, 'a')));
  std::string deep = "a";
  for (std::size_t i = 1; i < kNamePartsMax; ++i) deep += "/a";
  EXPECT_TRUE(check_name(deep));
  EXPECT_FALSE(check_name(deep + "/a"));
  // Fits as a name, not as an escaped file name.
  EXPECT_FALSE(path_of_name(std::string(100, ' ')));
}

}  // namespace
}  // namespace weir::objstore
