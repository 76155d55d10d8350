// The contract of file systems, in both worlds.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "rt/asio/contract_test_support.h"

namespace weir::rt::asio {
namespace {

template <class World>
class FileContract : public Contract<World> {};
TYPED_TEST_SUITE(FileContract, Worlds, WorldNames);

ErrorCode code_of(const auto& result) {
  EXPECT_FALSE(result.has_value());
  return result ? ErrorCode::internal : result.error().code;
}

void write_file(FileSystem& files, const std::string& path, std::string_view text) {
  auto file = files.open(path, OpenMode::create_or_open);
  ASSERT_TRUE(file.has_value()) << describe(file.error());
  Bytes part = as_bytes(text);
  ASSERT_TRUE((*file)->write_at(0, std::span(&part, 1)).has_value());
}

std::string read_file(FileSystem& files, const std::string& path) {
  auto file = files.open(path, OpenMode::read);
  if (!file) return "absent";
  std::string text((*file)->size().value_or(0), '\0');
  auto got = (*file)->read_at(0, std::as_writable_bytes(std::span(text)));
  return got ? text.substr(0, *got) : "unreadable";
}

Task<void> open_modes(Parts& parts) {
  FileSystem& files = parts.files;
  std::string path = parts.directory + "/a";
  EXPECT_EQ(code_of(files.open(path, OpenMode::read)), ErrorCode::not_found);
  EXPECT_EQ(code_of(files.open(path, OpenMode::read_write)), ErrorCode::not_found);
  EXPECT_TRUE(files.open(path, OpenMode::create_new).has_value());
  EXPECT_EQ(code_of(files.open(path, OpenMode::create_new)), ErrorCode::already_exists);
  EXPECT_TRUE(files.open(path, OpenMode::create_or_open).has_value());
  EXPECT_TRUE(files.open(path, OpenMode::read).has_value());
  EXPECT_EQ(code_of(files.open(parts.directory + "/none/a", OpenMode::create_new)),
            ErrorCode::not_found);
  auto error = files.open(parts.directory + "/none", OpenMode::read).error();
  EXPECT_NE(error.message.find(parts.directory + "/none"), std::string::npos);
  co_return;
}
TYPED_TEST(FileContract, OpenModes) { this->run(open_modes); }

Task<void> reads_and_writes(Parts& parts) {
  auto file = parts.files.open(parts.directory + "/a", OpenMode::create_new);
  EXPECT_TRUE(file.has_value());
  if (!file) co_return;
  std::string text = "0123456789";
  std::vector<Bytes> views;
  for (int i = 0; i < 1000; ++i) views.push_back(as_bytes(text).subspan(i % 10, 1));
  views.push_back({});
  EXPECT_TRUE((*file)->write_at(5, views).has_value());
  EXPECT_EQ((*file)->size().value_or(0), 1005u);
  EXPECT_TRUE((*file)->sync().has_value());
  std::string got(20, 'x');
  EXPECT_EQ((*file)->read_at(0, std::as_writable_bytes(std::span(got))).value_or(0), 20u);
  EXPECT_EQ(got, std::string(5, '\0') + "012345678901234");
  EXPECT_EQ((*file)->read_at(1000, std::as_writable_bytes(std::span(got))).value_or(0), 5u);
  EXPECT_EQ((*file)->read_at(2000, std::as_writable_bytes(std::span(got))).value_or(9), 0u);
  EXPECT_TRUE((*file)->truncate(7).has_value());
  EXPECT_EQ((*file)->size().value_or(0), 7u);
  EXPECT_TRUE((*file)->truncate(9).has_value());
  EXPECT_EQ((*file)->read_at(5, std::as_writable_bytes(std::span(got))).value_or(0), 4u);
  EXPECT_EQ(got.substr(0, 4), std::string("01\0\0", 4));
}
TYPED_TEST(FileContract, ReadsAndWrites) { this->run(reads_and_writes); }

/// A piece of memory that a transfer without the page cache may use.
struct alignas(kDirectBlockBytes) AlignedBlocks {
  std::array<std::byte, 3 * kDirectBlockBytes> bytes{};
};

Task<void> transfers_without_the_cache(Parts& parts) {
  auto file = parts.files.open(parts.directory + "/a", OpenMode::create_new);
  EXPECT_TRUE(file.has_value());
  if (!file) co_return;
  if (auto off = (*file)->set_caching(Caching::off); !off) {
    // Which some file systems answer; all others must do it.
    EXPECT_EQ(off.error().code, ErrorCode::unsupported);
    EXPECT_NE(parts.files.kind(parts.directory).value_or(""), "ext4");
    co_return;
  }
  auto blocks = std::make_unique<AlignedBlocks>();
  MutableBytes memory(blocks->bytes);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i / 7);
  std::string expected(as_text(memory.first(2 * kDirectBlockBytes)));
  Bytes two = memory.first(2 * kDirectBlockBytes);
  EXPECT_TRUE((*file)->write_at(0, std::span(&two, 1)).has_value());
  EXPECT_TRUE((*file)->set_caching(Caching::on).has_value());
  Bytes tail = as_bytes("tail");
  EXPECT_TRUE((*file)->write_at(two.size(), std::span(&tail, 1)).has_value());
  EXPECT_TRUE((*file)->sync().has_value());
  expected += "tail";
  EXPECT_EQ(read_file(parts.files, parts.directory + "/a"), expected);
  // With the end of the file inside of a block, and past it.
  EXPECT_TRUE((*file)->set_caching(Caching::off).has_value());
  std::ranges::fill(memory, std::byte{0});
  EXPECT_EQ((*file)->read_at(0, memory).value_or(0), expected.size());
  EXPECT_TRUE(as_text(memory).starts_with(expected));
  EXPECT_EQ((*file)->read_at(memory.size(), memory).value_or(1), 0u);
  EXPECT_EQ((*file)->read_at(kDirectBlockBytes, memory.first(kDirectBlockBytes)).value_or(0),
            kDirectBlockBytes);
}
TYPED_TEST(FileContract, TransfersWithoutTheCache) { this->run(transfers_without_the_cache); }

Task<void> link_creates_only_if_absent(Parts& parts) {
  FileSystem& files = parts.files;
  std::string a = parts.directory + "/a";
  std::string b = parts.directory + "/b";
  write_file(files, a, "first");
  EXPECT_TRUE(files.link(a, b).has_value());
  write_file(files, parts.directory + "/c", "second");
  EXPECT_EQ(code_of(files.link(parts.directory + "/c", b)), ErrorCode::already_exists);
  EXPECT_EQ(code_of(files.link(parts.directory + "/none", parts.directory + "/d")),
            ErrorCode::not_found);
  EXPECT_TRUE(files.remove(a).has_value());
  EXPECT_EQ(read_file(files, b), "first");
  co_return;
}
TYPED_TEST(FileContract, LinkCreatesOnlyIfAbsent) { this->run(link_creates_only_if_absent); }

Task<void> rename_replaces(Parts& parts) {
  FileSystem& files = parts.files;
  std::string a = parts.directory + "/a";
  std::string b = parts.directory + "/b";
  write_file(files, a, "new");
  write_file(files, b, "old");
  auto old = files.open(b, OpenMode::read);
  EXPECT_TRUE(old.has_value());
  EXPECT_TRUE(files.rename(a, b).has_value());
  EXPECT_EQ(read_file(files, b), "new");
  EXPECT_EQ(read_file(files, a), "absent");
  // An open file stays what it was, and can tell that its name is another's now.
  auto fresh = files.open(b, OpenMode::read);
  if (!old || !fresh) co_return;
  EXPECT_NE((*old)->inode().value_or(0), (*fresh)->inode().value_or(0));
  EXPECT_FALSE((*old)->is_named().value_or(true));
  EXPECT_TRUE((*fresh)->is_named().value_or(false));
  EXPECT_EQ((*old)->size().value_or(0), 3u);
  EXPECT_EQ(code_of(files.rename(a, b)), ErrorCode::not_found);
}
TYPED_TEST(FileContract, RenameReplaces) { this->run(rename_replaces); }

Task<void> directories(Parts& parts) {
  FileSystem& files = parts.files;
  std::string deep = parts.directory + "/x/y/z";
  EXPECT_TRUE(files.make_directories(deep).has_value());
  EXPECT_TRUE(files.make_directories(deep).has_value());
  write_file(files, deep + "/f", "12345");
  write_file(files, parts.directory + "/x/g", "");
  EXPECT_EQ(code_of(files.make_directories(parts.directory + "/x/g/h")), ErrorCode::configuration);
  EXPECT_TRUE(files.sync_directory(deep).has_value());
  EXPECT_EQ(code_of(files.sync_directory(parts.directory + "/none")), ErrorCode::not_found);
  auto inner = files.list(deep);
  EXPECT_TRUE(inner.has_value());
  if (!inner || inner->size() != 1) co_return;
  EXPECT_EQ((*inner)[0].name, "f");
  EXPECT_EQ((*inner)[0].size, 5u);
  EXPECT_FALSE((*inner)[0].is_directory);
  auto outer = files.list(parts.directory + "/x");
  EXPECT_TRUE(outer.has_value());
  if (!outer || outer->size() != 2) co_return;
  std::sort(outer->begin(), outer->end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  EXPECT_EQ((*outer)[0].name, "g");
  EXPECT_EQ((*outer)[1].name, "y");
  EXPECT_TRUE((*outer)[1].is_directory);
  EXPECT_EQ(code_of(files.list(parts.directory + "/none")), ErrorCode::not_found);
  EXPECT_EQ(code_of(files.remove(deep)), ErrorCode::configuration);
  auto open = files.open(deep + "/f", OpenMode::read);
  EXPECT_TRUE(open && (*open)->is_named().value_or(false));
  EXPECT_TRUE(files.remove(deep + "/f").has_value());
  EXPECT_FALSE((*open)->is_named().value_or(true));
  EXPECT_TRUE(files.remove(deep).has_value());
  EXPECT_EQ(code_of(files.remove(deep)), ErrorCode::not_found);
  EXPECT_FALSE(files.kind(parts.directory).value_or("").empty());
}
TYPED_TEST(FileContract, Directories) { this->run(directories); }

Task<void> locks_exclude_each_other(Parts& parts) {
  std::string path = parts.directory + "/lock";
  auto a = parts.files.open(path, OpenMode::create_or_open);
  auto b = parts.files.open(path, OpenMode::create_or_open);
  EXPECT_TRUE(a && b);
  if (!a || !b) co_return;
  EXPECT_TRUE((*a)->try_lock_exclusive().value_or(false));
  EXPECT_TRUE((*a)->try_lock_exclusive().value_or(false));
  EXPECT_FALSE((*b)->try_lock_exclusive().value_or(true));
  EXPECT_TRUE((*a)->unlock().has_value());
  EXPECT_TRUE((*b)->try_lock_exclusive().value_or(false));
  EXPECT_FALSE((*a)->try_lock_exclusive().value_or(true));
  // The lock dies with its file.
  b->reset();
  EXPECT_TRUE((*a)->lock_shared().has_value());
  auto c = parts.files.open(path, OpenMode::read_write);
  EXPECT_TRUE(c && (*c)->lock_shared().has_value());
  EXPECT_FALSE((*a)->try_lock_exclusive().value_or(true));
}
TYPED_TEST(FileContract, LocksExcludeEachOther) { this->run(locks_exclude_each_other); }

Result<void> add_one_under_lock(FileSystem& files, const std::string& path) {
  auto file = files.open(path, OpenMode::read_write);
  if (!file) return std::unexpected(file.error());
  WEIR_TRY((*file)->lock_exclusive());
  std::uint64_t count = 0;
  WEIR_TRY((*file)->read_at(0, std::as_writable_bytes(std::span(&count, 1))));
  ++count;
  Bytes part = std::as_bytes(std::span(&count, 1));
  return (*file)->write_at(0, std::span(&part, 1));
}

Task<void> add_many(Parts& parts, const std::string& path) {
  for (int i = 0; i < 25; ++i) {
    auto added = co_await run_blocking(parts.loop, parts.workers,
                                       [&] { return add_one_under_lock(parts.files, path); });
    EXPECT_TRUE(added.has_value()) << describe(added.error());
  }
}

Task<void> blocking_locks_wait(Parts& parts) {
  std::string path = parts.directory + "/count";
  std::uint64_t count = 0;
  write_file(parts.files, path, as_text(std::as_bytes(std::span(&count, 1))));
  Scope scope(parts.loop);
  for (int i = 0; i < 4; ++i) scope.spawn(add_many(parts, path));
  co_await scope.join();
  std::string text = read_file(parts.files, path);
  EXPECT_EQ(text.size(), 8u);
  std::memcpy(&count, text.data(), std::min<std::size_t>(text.size(), 8));
  EXPECT_EQ(count, 100u);
}
TYPED_TEST(FileContract, BlockingLocksWaitForEachOther) { this->run(blocking_locks_wait); }

}  // namespace
}  // namespace weir::rt::asio
