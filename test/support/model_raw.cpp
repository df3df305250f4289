// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "test/support/model_parts.h"

namespace sluice::test {
namespace {

int port_of(const sockaddr_in& address) { return ntohs(address.sin_port); }

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

// A connection that is dissolved sends a reset at once, whatever the library does with the descriptor afterwards.
void reset(int fd) {
  sockaddr nobody{};
  nobody.sa_family = AF_UNSPEC;
  (void)connect(fd, &nobody, sizeof nobody);
}

// Until the other side goes, or the server ends.
void hang(int fd, const std::atomic<bool>& stop) {
  while (!stop) {
    pollfd p{fd, POLLRDHUP, 0};
    if (poll(&p, 1, 20) != 0) return;
  }
}

std::string as_chunk(const std::string& bytes) { return fmt::format("{:x}\r\n", bytes.size()) + bytes + "\r\n"; }

}  // namespace

int socket_of(int local_port, int remote_port) {
  DIR* directory = opendir("/proc/self/fd");
  if (directory == nullptr) return -1;
  int found = -1;
  while (const dirent* entry = readdir(directory)) {
    const int fd = std::atoi(entry->d_name);
    sockaddr_in here{}, there{};
    socklen_t a = sizeof here, b = sizeof there;
    if (getsockname(fd, reinterpret_cast<sockaddr*>(&here), &a) != 0 || here.sin_family != AF_INET) continue;
    if (getpeername(fd, reinterpret_cast<sockaddr*>(&there), &b) != 0) continue;
    if (port_of(here) == local_port && port_of(there) == remote_port) found = fd;
  }
  closedir(directory);
  return found;
}

std::vector<std::string> pieces_of(const std::vector<std::string>& events, const Wire& wire) {
  if (wire.piece == 0 && wire.cuts.empty() && !wire.crlf && !wire.bom) return events;
  std::string all = wire.bom ? "\xEF\xBB\xBF" : "";
  for (const std::string& event : events) {
    for (const char c : event) {
      if (c == '\n' && wire.crlf) all += '\r';
      all += c;
    }
  }
  std::vector<std::string> out;
  std::size_t at = 0;
  const auto cut = [&](std::size_t to) {
    if (to <= at || to > all.size()) return;
    out.push_back(all.substr(at, to - at));
    at = to;
  };
  for (const std::size_t to : wire.cuts) cut(to);
  while (wire.piece > 0 && at + wire.piece < all.size()) cut(at + wire.piece);
  cut(all.size());
  return out;
}

std::string gzip_stored(const std::string& bytes) {
  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
  const auto little = [&](std::uint32_t value, int size) {
    for (int i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
  };
  std::size_t at = 0;
  do {
    const std::size_t size = std::min<std::size_t>(bytes.size() - at, 0xffff);
    out += static_cast<char>(at + size == bytes.size() ? 1 : 0);
    little(static_cast<std::uint32_t>(size), 2);
    little(~static_cast<std::uint32_t>(size), 2);
    out.append(bytes, at, size);
    at += size;
  } while (at < bytes.size());
  std::uint32_t crc = 0xffffffffu;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320u : 0u);
  }
  little(~crc, 4);
  little(static_cast<std::uint32_t>(bytes.size()), 4);
  return out;
}

void answer_raw(int fd, const std::string& content_type, const std::vector<std::string>& pieces, const Wire& wire,
                const std::atomic<bool>& stop) {
  using Break = Wire::Break;
  if (wire.broken == Break::reset_before_head) return reset(fd);
  if (wire.broken == Break::hang_before_head) return hang(fd, stop);
  std::string head = fmt::format("HTTP/1.{} {} Scripted\r\nContent-Type: {}\r\nConnection: close\r\n",
                                 wire.close_delimited ? 0 : 1, wire.status, content_type);
  if (!wire.close_delimited) head += "Transfer-Encoding: chunked\r\n";
  if (wire.gzip) head += "Content-Encoding: gzip\r\n";
  for (const auto& [name, value] : wire.headers) head += name + ": " + value + "\r\n";
  write_all(fd, head + "\r\n");
  if (wire.broken == Break::reset_after_head) return reset(fd);
  const std::size_t whole = wire.broken == Break::none ? pieces.size() : pieces.size() / 2;
  for (std::size_t i = 0; i < whole; ++i) {
    if (!write_all(fd, wire.close_delimited ? pieces[i] : as_chunk(pieces[i]))) return;
    if (wire.drip_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(wire.drip_ms));
  }
  if (wire.broken == Break::reset_mid_event || wire.broken == Break::hang_mid_event) {
    const std::string cut = whole < pieces.size() ? pieces[whole].substr(0, pieces[whole].size() / 2) : "";
    if (!cut.empty()) write_all(fd, wire.close_delimited ? cut : as_chunk(cut));
    if (wire.broken == Break::reset_mid_event) return reset(fd);
    return hang(fd, stop);
  }
  if (!wire.close_delimited) write_all(fd, "0\r\n\r\n");
  shutdown(fd, SHUT_WR);
}

}  // namespace sluice::test
