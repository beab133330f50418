#include "comm/connection.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <future>
#include <memory>
#include <thread>

#include "base/error.h"
#include "base/quote.h"
#include "base/system_reason.h"

namespace dragoman::comm {
namespace {

constexpr int kSlice = 50;  // milliseconds between two calls of Idle

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

// Null if the name cannot be resolved, for the moment or at all. A name server may let getaddrinfo() wait for longer
// than the deadline; the thread that calls it is left alone then.
Addresses resolve(const std::string& host, int port, Clock::time_point deadline, const Connection::Idle& idle) {
  std::promise<Addresses> answer;
  std::future<Addresses> addresses = answer.get_future();
  std::thread([host, port, answer = std::move(answer)]() mutable {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const bool failed = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0;
    answer.set_value(Addresses(failed ? nullptr : found));
  }).detach();
  while (addresses.wait_for(std::chrono::milliseconds(kSlice)) != std::future_status::ready) {
    idle();
    if (Clock::now() > deadline) return nullptr;
  }
  return addresses.get();
}

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1000));
}

// A connected socket, or -1.
int try_connect(const addrinfo& address, Clock::time_point deadline) {
  const int made = socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, address.ai_protocol);
  if (made < 0) return -1;
  if (connect(made, address.ai_addr, address.ai_addrlen) != 0 && errno == EINPROGRESS) {
    pollfd wanted{made, POLLOUT, 0};
    poll(&wanted, 1, milliseconds_until(deadline));
  }
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  if (getpeername(made, reinterpret_cast<sockaddr*>(&peer), &size) == 0) return made;
  close(made);
  return -1;
}

}  // namespace

Connection::Connection(int descriptor) : descriptor_(descriptor) {
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Connection::~Connection() { close(); }

void Connection::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

Connection Connection::open(const std::string& host, int port, Clock::time_point deadline, const Idle& idle) {
  do {
    const Addresses addresses = resolve(host, port, deadline, idle);
    for (const addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next) {
      const int made = try_connect(*address, deadline);
      if (made >= 0) return Connection(made);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(kSlice));
    idle();
  } while (Clock::now() < deadline);
  fail("rank 0 does not answer at {}:{}; it may have failed to start, or the address may be wrong", escaped(host),
       port);
}

bool Connection::is_readable() const {
  pollfd wanted{descriptor_, POLLIN, 0};
  return poll(&wanted, 1, 0) > 0;
}

bool Connection::wait_for(short events, const Idle& idle) const {
  for (;;) {
    pollfd wanted{descriptor_, events, 0};
    const int ready = poll(&wanted, 1, kSlice);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
    idle();
  }
}

bool Connection::send(const std::string& message, const Idle& idle) const {
  const std::uint64_t length = message.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  bytes += message;
  for (std::size_t sent = 0; sent < bytes.size();) {
    if (!wait_for(POLLOUT, idle)) return false;
    const ssize_t count = ::send(descriptor_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
  return true;
}

bool Connection::read(char* to, std::size_t count, const Idle& idle) const {
  while (count > 0) {
    if (!wait_for(POLLIN, idle)) return false;
    const ssize_t got = recv(descriptor_, to, count, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return false;
    if (got < 0) continue;
    to += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

std::optional<std::string> Connection::receive(const Idle& idle, std::size_t most) const {
  std::uint64_t length = 0;
  if (!read(reinterpret_cast<char*>(&length), sizeof length, idle)) return std::nullopt;
  check(length <= most,
        "expected a message of at most {} bytes from another process but got something else; another program may use "
        "the address and port of rank 0",
        most);
  std::string message(length, '\0');
  if (!read(message.data(), message.size(), idle)) return std::nullopt;
  return message;
}

Listener::Listener(int port, bool only_local) {
  descriptor_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  check(descriptor_ >= 0, "cannot open a socket for the other ranks: {}", system_reason);
  const int on = 1;
  setsockopt(descriptor_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(only_local ? INADDR_LOOPBACK : INADDR_ANY);
  socklen_t size = sizeof address;
  if (bind(descriptor_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(descriptor_, SOMAXCONN) != 0 ||
      getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    const int reason = errno;
    close(descriptor_);
    fail("cannot listen on port {} for the other ranks: {}; set MASTER_PORT to a free port", port,
         std::strerror(reason));
  }
  port_ = ntohs(address.sin_port);
}

Listener::~Listener() { close(descriptor_); }

std::optional<Connection> Listener::accept(Clock::time_point deadline) const {
  do {
    pollfd wanted{descriptor_, POLLIN, 0};
    if (poll(&wanted, 1, milliseconds_until(deadline)) <= 0) continue;
    const int made = accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (made >= 0) return Connection(made);
  } while (Clock::now() < deadline);
  return std::nullopt;
}

}  // namespace dragoman::comm
