#include "engine/audit/inventory.h"

#include <gtest/gtest.h>

#include "engine/segment.h"
#include "engine/snapshotter.h"
#include "state/testing/log_builder.h"

namespace weir::engine::audit {
namespace {

TEST(Identify, takes_only_names_that_weir_writes) {
  Incarnation writer = state::testing::broker_id(1);
  std::string segment = segment_name(Position(7), writer, 12);
  ObjectIdentity identity = identify(segment);
  EXPECT_EQ(identity.kind, ObjectKind::segment);
  EXPECT_EQ(identity.position, Position(7));
  EXPECT_EQ(identity.writer, writer);
  EXPECT_EQ(identity.counter, 12u);
  EXPECT_EQ(identify(snapshot_name(Position(9), writer, 1)).kind, ObjectKind::snapshot);
  EXPECT_EQ(identify("log/0/00000000000000000009").kind, ObjectKind::log_entry);
  for (const char* name :
       {"log/0/floor", "log/0/lock", "log/0/mark", "log/0/00000000000000000000.wlog"})
    EXPECT_EQ(identify(name).kind, ObjectKind::log_file) << name;
  for (const char* name : {"probe/passed", "probe/00112233445566778899aabbccddeeff/3"})
    EXPECT_EQ(identify(name).kind, ObjectKind::probe) << name;
  std::string wrong_hash = segment;
  wrong_hash[5] = wrong_hash[5] == '0' ? '1' : '0';
  for (std::string name : {wrong_hash, segment + "x", segment + "99999999999999999999",
                           std::string("data/"), std::string("x"), std::string("log/9"),
                           std::string("snapshot/1"), std::string("probe/x"), std::string()})
    EXPECT_EQ(identify(name).kind, ObjectKind::foreign) << name;
}

}  // namespace
}  // namespace weir::engine::audit
