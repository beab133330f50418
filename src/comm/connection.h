#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace dragoman::comm {

using Clock = std::chrono::steady_clock;

// Messages longer than this are refused before memory is allocated.
constexpr std::size_t kMostMessageBytes = std::size_t{1} << 28;

// A TCP connection that carries messages: a length of 8 bytes, then the bytes.
class Connection {
 public:
  Connection() = default;
  explicit Connection(int descriptor);
  ~Connection();
  Connection(Connection&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Connection& operator=(Connection&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

  // Called several times a second while waiting; may throw to end the wait.
  using Idle = std::function<void()>;
  // Connects to a host; tries again until the deadline. Throws Error after it.
  static Connection open(
      const std::string& host, int port, Clock::time_point deadline, const Idle& idle = [] {});

  int descriptor() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }
  void close();

  // Whether a message, or the end of the connection, can be read without waiting.
  bool is_readable() const;
  // False if the other side has closed the connection.
  bool send(const std::string& message, const Idle& idle) const;
  // The next message; nothing if the other side has closed the connection. Throws Error if it exceeds `most` bytes.
  std::optional<std::string> receive(const Idle& idle, std::size_t most = kMostMessageBytes) const;

 private:
  bool wait_for(short events, const Idle& idle) const;
  bool read(char* to, std::size_t count, const Idle& idle) const;

  int descriptor_ = -1;
};

// A port on which rank 0 accepts the others.
class Listener {
 public:
  // Port 0: a free one. With `only_local`, other machines cannot connect.
  Listener(int port, bool only_local);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int port() const { return port_; }
  // The next connection; nothing if none came before the deadline.
  std::optional<Connection> accept(Clock::time_point deadline) const;

 private:
  int descriptor_ = -1, port_ = 0;
};

}  // namespace dragoman::comm
