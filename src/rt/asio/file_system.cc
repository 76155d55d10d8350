#include "rt/asio/file_system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cstdio>

#include "base/narrow.h"
#include "rt/asio/posix_file.h"
#include "rt/asio/system_error.h"

namespace weir::rt::asio {

namespace {

std::unexpected<Error> failed(int error, const char* what, const std::string& path) {
  return std::unexpected(file_error(error, what, path));
}

int open_retrying(const std::string& path, int flags) {
  for (;;) {
    int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EINTR) return descriptor;
  }
}

int open_flags(OpenMode mode) {
  switch (mode) {
    case OpenMode::read: return O_RDONLY;
    case OpenMode::read_write: return O_RDWR;
    case OpenMode::create_or_open: return O_RDWR | O_CREAT;
    case OpenMode::create_new: return O_RDWR | O_CREAT | O_EXCL;
  }
  return O_RDONLY;
}

struct DirectoryCloser {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

/// Numbers of statfs(2).
const char* kind_name(std::uint64_t magic) {
  switch (magic) {
    case 0xef53: return "ext4";
    case 0x58465342: return "xfs";
    case 0x9123683e: return "btrfs";
    case 0x01021994: return "tmpfs";
    case 0x794c7630: return "overlay";
    case 0x2fc12fc1: return "zfs";
    case 0x6969: return "nfs";
    case 0x517b: return "smb";
    case 0xff534d42: return "cifs";
    case 0xfe534d42: return "smb2";
    case 0x65735546: return "fuse";
    case 0x01021997: return "9p";
    case 0x00c36400: return "ceph";
    case 0x0bd00bd0: return "lustre";
    case 0x6a656a63: return "virtiofs";
    default: return nullptr;
  }
}

}  // namespace

Result<std::unique_ptr<File>> PosixFileSystem::open(const std::string& path, OpenMode mode) {
  int descriptor = open_retrying(path, open_flags(mode));
  if (descriptor < 0) return failed(errno, "open", path);
  return std::make_unique<PosixFile>(descriptor, path);
}

Result<void> PosixFileSystem::rename(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return failed(errno, "rename", from + " to " + to);
  return {};
}

Result<void> PosixFileSystem::link(const std::string& from, const std::string& to) {
  if (::link(from.c_str(), to.c_str()) != 0) return failed(errno, "link", from + " to " + to);
  return {};
}

Result<void> PosixFileSystem::remove(const std::string& path) {
  if (std::remove(path.c_str()) != 0) return failed(errno, "remove", path);
  return {};
}

Result<void> PosixFileSystem::make_directories(const std::string& path) {
  for (std::size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    std::string prefix = path.substr(0, end);
    if (prefix.empty() || ::mkdir(prefix.c_str(), 0777) == 0) continue;
    int error = errno;
    struct stat status{};
    bool present = ::stat(prefix.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
    if (!present) return failed(error == EEXIST ? ENOTDIR : error, "make directory", prefix);
  }
  return {};
}

Result<void> PosixFileSystem::sync_directory(const std::string& path) {
  int descriptor = open_retrying(path, O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) return failed(errno, "open directory", path);
  int error = 0;
  while (::fsync(descriptor) != 0) {
    error = errno;
    if (error != EINTR) break;
    error = 0;
  }
  ::close(descriptor);
  if (error != 0) return failed(error, "sync directory", path);
  return {};
}

Result<std::vector<FileSystem::Item>> PosixFileSystem::list(const std::string& path) {
  std::unique_ptr<DIR, DirectoryCloser> directory(::opendir(path.c_str()));
  if (!directory) return failed(errno, "list", path);
  std::vector<Item> items;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(directory.get());
    if (entry == nullptr) break;
    std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct stat status{};
    if (::fstatat(::dirfd(directory.get()), name.c_str(), &status, 0) != 0) {
      // Removed meanwhile, or a dangling link: not there.
      if (errno == ENOENT) continue;
      return failed(errno, "stat", path + "/" + name);
    }
    bool is_directory = S_ISDIR(status.st_mode);
    items.push_back(
        {std::move(name), is_directory, is_directory ? 0 : narrow<std::uint64_t>(status.st_size)});
  }
  if (errno != 0) return failed(errno, "list", path);
  return items;
}

Result<std::string> PosixFileSystem::kind(const std::string& path) {
  struct statfs status{};
  while (::statfs(path.c_str(), &status) != 0) {
    if (errno != EINTR) return failed(errno, "stat file system of", path);
  }
  auto magic = static_cast<std::uint64_t>(static_cast<std::uint32_t>(status.f_type));
  if (const char* name = kind_name(magic)) return name;
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(magic));
  return std::string(text);
}

}  // namespace weir::rt::asio
