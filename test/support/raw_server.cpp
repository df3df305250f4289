// SPDX-License-Identifier: Apache-2.0
#include "test/support/raw_server.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <list>
#include <thread>

#include "core/text.h"

namespace sluice::test {

std::string RawConnection::read_request() {
  std::string out;
  std::size_t wanted = std::string::npos;
  while (out.size() < wanted) {
    std::array<char, 4096> bytes{};
    const ssize_t n = recv(fd_, bytes.data(), bytes.size(), 0);
    if (n <= 0) return {};
    out.append(bytes.data(), static_cast<std::size_t>(n));
    const std::size_t end = out.find("\r\n\r\n");
    if (wanted != std::string::npos || end == std::string::npos) continue;
    const std::size_t length = core::to_lower(out.substr(0, end)).find("content-length:");
    wanted = end + 4 + (length == std::string::npos ? 0 : std::strtoul(out.c_str() + length + 15, nullptr, 10));
  }
  return out;
}

bool RawConnection::write(const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = send(fd_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (n <= 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return true;
}

void RawConnection::reset() {
  sockaddr nobody{};
  nobody.sa_family = AF_UNSPEC;
  (void)connect(fd_, &nobody, sizeof nobody);
}

void RawConnection::until_left() {
  while (!(*over_)()) {
    pollfd p{fd_, POLLRDHUP, 0};
    if (poll(&p, 1, 20) != 0) return;
  }
}

struct RawServer::State {
  std::function<void(RawConnection&)> behave;
  int listener = -1, port = 0;
  std::atomic<bool> over{false};
  std::atomic<int> connections{0};
  std::thread acceptor;
  std::list<std::thread> workers;

  void accept_all() {
    const std::function<bool()> is_over = [this] { return over.load(); };
    while (!over) {
      pollfd p{listener, POLLIN, 0};
      if (poll(&p, 1, 20) <= 0) continue;
      const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) continue;
      ++connections;
      workers.emplace_back([this, fd, is_over] {
        RawConnection connection(fd);
        connection.over_ = &is_over;
        behave(connection);
        close(fd);
      });
    }
  }
};

RawServer::RawServer(std::function<void(RawConnection&)> behave) : state_(std::make_unique<State>()) {
  state_->behave = std::move(behave);
  state_->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof here;
  if (bind(state_->listener, reinterpret_cast<sockaddr*>(&here), size) != 0 || listen(state_->listener, 16) != 0 ||
      getsockname(state_->listener, reinterpret_cast<sockaddr*>(&here), &size) != 0) {
    std::abort();
  }
  state_->port = ntohs(here.sin_port);
  state_->acceptor = std::thread([s = state_.get()] { s->accept_all(); });
}

RawServer::~RawServer() {
  state_->over = true;
  state_->acceptor.join();
  for (std::thread& worker : state_->workers) worker.join();
  close(state_->listener);
}

int RawServer::port() const { return state_->port; }
std::string RawServer::url(const std::string& path) const { return "http://127.0.0.1:" + std::to_string(state_->port) + path; }
int RawServer::connections() const { return state_->connections; }

}  // namespace sluice::test
