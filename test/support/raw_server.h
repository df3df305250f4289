// SPDX-License-Identifier: Apache-2.0
// A server on loopback that says bytes, for what an HTTP library cannot be made to do.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace sluice::test {

// One connection of it, handed to the behaviour in a thread of the server.
class RawConnection {
 public:
  explicit RawConnection(int fd) : fd_(fd) {}
  std::string read_request();  // head and body (content-length), as they came; empty when the other side left
  bool write(const std::string& bytes);  // false when the other side left
  void reset();                // the connection is torn down, not closed
  void until_left();           // waits for the other side to leave, or for the server to end

 private:
  friend class RawServer;
  int fd_;
  const std::function<bool()>* over_ = nullptr;
};

class RawServer {
 public:
  // Called once a connection; what it leaves open is closed in an orderly way.
  explicit RawServer(std::function<void(RawConnection&)> behave);
  ~RawServer();
  int port() const;
  std::string url(const std::string& path = "/") const;  // http://127.0.0.1:PORT/...
  int connections() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice::test
