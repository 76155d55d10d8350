#include "app/machine.h"

#include <gtest/gtest.h>

#include <map>

namespace weir::app {
namespace {

using Files = std::map<std::string, std::string>;

std::optional<std::uint64_t> limit_in(const Files& files) {
  return memory_of_group([&](const std::string& path) -> Result<std::string> {
    const auto found = files.find(path);
    if (found == files.end()) return fail(ErrorCode::not_found, path);
    return found->second;
  });
}

TEST(MachineMemory, without_control_groups_nothing_limits_it) {
  EXPECT_EQ(limit_in({}), std::nullopt);
  EXPECT_EQ(limit_in({{"/proc/self/cgroup", "0::/\n"}}), std::nullopt);
}

TEST(MachineMemory, the_least_limit_of_a_group_and_those_around_it_counts) {
  const Files files{{"/proc/self/cgroup", "0::/pods/one/broker\n"},
                    {"/sys/fs/cgroup/pods/one/broker/memory.max", "max\n"},
                    {"/sys/fs/cgroup/pods/one/memory.max", "2147483648\n"},
                    {"/sys/fs/cgroup/pods/memory.max", "8589934592\n"}};
  EXPECT_EQ(limit_in(files), 2147483648u);
}

TEST(MachineMemory, a_container_whose_name_is_of_its_host_has_the_limit_at_the_root) {
  EXPECT_EQ(limit_in({{"/proc/self/cgroup", "0::/system.slice/docker-1.scope\n"},
                      {"/sys/fs/cgroup/memory.max", "536870912\n"}}),
            536870912u);
}

TEST(MachineMemory, the_older_hierarchy_is_known) {
  const Files files{{"/proc/self/cgroup", "12:cpu,cpuacct:/a\n9:hugetlb,memory:/b\n0::/c\n"},
                    {"/sys/fs/cgroup/memory/b/memory.limit_in_bytes", "1073741824\n"},
                    {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"},
                    {"/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1\n"}};
  EXPECT_EQ(limit_in(files), 1073741824u);
}

TEST(MachineMemory, odd_lines_are_passed_over) {
  EXPECT_EQ(
      limit_in({{"/proc/self/cgroup", "\n:\nnothing\n0::x"}, {"/sys/fs/cgroup/memory.max", "7"}}),
      7u);
}

TEST(MachineMemory, a_machine_has_some) { EXPECT_GT(memory_of_machine(), 1u << 20); }

}  // namespace
}  // namespace weir::app
