// weir_machine_limit: what this machine can do at best, so that a broker's processor time has
// something to be compared with.
//
// One process receives over loopback what another sends, and does a little more with each
// measurement: nothing; CRC32C; a write to the page cache; fdatasync after every 8 MiB. Prints one
// JSON line: MB/s and CPU seconds per GiB of the receiver alone, and how long an fdatasync takes.
// Arguments: a directory for the file, MiB to move.
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "codec/crc32c.h"

namespace weir {
namespace {

constexpr std::size_t kPieceBytes = 256u << 10;
constexpr std::size_t kSyncBytes = 8u << 20;

enum class Work { receive, crc, write, sync };

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

[[noreturn]] void send_all(const sockaddr_in& to, std::size_t bytes) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) die("connect");
  std::vector<std::byte> piece(kPieceBytes, std::byte{7});
  while (bytes != 0) {
    ssize_t put = send(fd, piece.data(), std::min(bytes, piece.size()), 0);
    if (put <= 0) die("send");
    bytes -= static_cast<std::size_t>(put);
  }
  _exit(0);
}

struct Figures {
  double mb_per_s = 0;
  double cpu_s_per_gib = 0;
  std::vector<double> sync_ms;
};

Figures measure(Work work, const std::string& path, std::size_t bytes) {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  if (bind(listener, reinterpret_cast<sockaddr*>(&at), size) != 0 || listen(listener, 1) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&at), &size) != 0)
    die("listen");
  pid_t child = fork();
  if (child == 0) send_all(at, bytes);
  int from = accept(listener, nullptr, nullptr);
  int file = open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  if (from < 0 || file < 0) die("open");

  Figures figures;
  std::vector<std::byte> buffer(kPieceBytes);
  std::size_t got_all = 0, unsynced = 0;
  std::uint32_t crc = 0;
  const double begun = now(), cpu = cpu_seconds();
  while (got_all < bytes) {
    ssize_t got = recv(from, buffer.data(), std::min(buffer.size(), bytes - got_all), MSG_WAITALL);
    if (got <= 0) die("recv");
    Bytes piece = Bytes(buffer).first(static_cast<std::size_t>(got));
    got_all += piece.size();
    if (work >= Work::crc) crc = codec::crc32c(piece, crc);
    if (work >= Work::write && write(file, piece.data(), piece.size()) != got) die("write");
    unsynced += piece.size();
    if (work == Work::sync && unsynced >= kSyncBytes) {
      const double before = now();
      if (fdatasync(file) != 0) die("fdatasync");
      figures.sync_ms.push_back((now() - before) * 1000);
      unsynced = 0;
    }
  }
  const double took = now() - begun;
  figures.cpu_s_per_gib = (cpu_seconds() - cpu) / static_cast<double>(bytes) * (1u << 30);
  figures.mb_per_s = static_cast<double>(bytes) / took / 1e6;
  // Used, so that it is computed.
  if (crc == 1) std::fprintf(stderr, "checksum 1\n");
  close(file);
  close(from);
  close(listener);
  unlink(path.c_str());
  waitpid(child, nullptr, 0);
  return figures;
}

/// Of appending 64 KiB to a file and syncing it: what an acknowledgement waits for with
/// sync=always.
std::vector<double> small_syncs(const std::string& path) {
  constexpr int kSyncs = 200;
  int file = open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  std::vector<std::byte> piece(64u << 10, std::byte{7});
  std::vector<double> took;
  for (int i = 0; i < kSyncs; ++i) {
    const double before = now();
    if (write(file, piece.data(), piece.size()) < 0 || fdatasync(file) != 0) die("fdatasync");
    took.push_back((now() - before) * 1000);
  }
  close(file);
  unlink(path.c_str());
  return took;
}

double percentile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1,
                         static_cast<std::size_t>(part * static_cast<double>(values.size())))];
}

}  // namespace
}  // namespace weir

int main(int argc, char** argv) {
  using namespace weir;
  if (argc != 3) {
    std::fprintf(stderr, "usage: weir_machine_limit DIRECTORY MIB\n");
    return 2;
  }
  const std::string path = std::string(argv[1]) + "/machine-limit.tmp";
  const std::size_t bytes = std::strtoull(argv[2], nullptr, 10) << 20;
  std::printf("{");
  for (auto [name, work] : {std::pair{"receive", Work::receive}, std::pair{"crc", Work::crc},
                            std::pair{"write", Work::write}, std::pair{"sync", Work::sync}}) {
    Figures figures = measure(work, path, bytes);
    std::printf("\"%s_mb_per_s\":%.1f,\"%s_cpu_s_per_gib\":%.4f,", name, figures.mb_per_s, name,
                figures.cpu_s_per_gib);
  }
  std::vector<double> syncs = small_syncs(path);
  std::printf("\"fdatasync_p50_ms\":%.3f,\"fdatasync_p99_ms\":%.3f}\n", percentile(syncs, 0.5),
              percentile(syncs, 0.99));
  return 0;
}
