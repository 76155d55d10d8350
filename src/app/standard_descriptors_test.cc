#include "app/standard_descriptors.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

namespace weir::app {
namespace {

TEST(StandardDescriptors, AreDevNullWhereTheyWereClosed) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const int closed = ::dup(pipe[0]);
  ::close(closed);
  ASSERT_EQ(::fcntl(closed, F_GETFD), -1);
  const int open = pipe[0];
  EXPECT_TRUE(open_closed_descriptors(std::array{open, closed}));
  char byte = 'x';
  EXPECT_EQ(::read(closed, &byte, 1), 0) << "input is at its end";
  EXPECT_EQ(::write(closed, &byte, 1), 1) << "output goes nowhere";
  EXPECT_EQ(::write(pipe[1], &byte, 1), 1);
  EXPECT_EQ(::read(open, &byte, 1), 1) << "what was open stays what it was";
  for (const int each : {closed, pipe[0], pipe[1]}) ::close(each);
}

}  // namespace
}  // namespace weir::app
