#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"

namespace dragoman::support {

struct HttpRequest {
  std::string path;
  std::map<std::string, std::string> headers;  // names in lower case

  std::string header(const std::string& name) const {
    const auto at = headers.find(name);
    return at == headers.end() ? "" : at->second;
  }
};

struct HttpReply {
  int status = 200;
  std::vector<std::string> headers;  // besides Content-Length, which announces the whole body
  std::string body;

  // Faults.
  std::size_t send = std::string::npos;  // only this many bytes of the body
  bool stall = false;                    // then keep silent until the client leaves, instead of closing
  std::size_t piece = 1 << 16;           // bytes sent at a time
  std::chrono::milliseconds pause{0};    // before each piece
};

// The file `content` from a server that supports ranges and, if `etag` is given, versions.
inline HttpReply file_reply(const HttpRequest& request, const std::string& content, const std::string& etag = "") {
  HttpReply reply{.headers = {}, .body = content};
  if (!etag.empty()) reply.headers.push_back("ETag: " + etag);
  const std::string range = request.header("range"), version = request.header("if-range");
  if (!range.starts_with("bytes=") || (!version.empty() && version != etag)) return reply;
  const std::size_t begin = std::stoul(range.substr(6));
  if (begin >= content.size()) return {.status = 416, .headers = {}, .body = "no such range"};
  reply.status = 206;
  reply.headers.push_back("Content-Range: bytes " + std::to_string(begin) + "-" + std::to_string(content.size() - 1) +
                          "/" + std::to_string(content.size()));
  reply.body = content.substr(begin);
  return reply;
}

// An HTTP server on 127.0.0.1 that answers one request after another, in a thread of its own.
class HttpServer {
 public:
  using Handler = std::function<HttpReply(const HttpRequest&)>;

  explicit HttpServer(Handler handler) : handler_(std::move(handler)) {
    socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    check(bind(socket_, generic, size) == 0 && listen(socket_, 16) == 0 && getsockname(socket_, generic, &size) == 0,
          "the test server cannot be started");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~HttpServer() {
    stopped_ = true;
    thread_.join();
    close(socket_);
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::string url(const std::string& path = "") const { return "http://127.0.0.1:" + std::to_string(port_) + path; }
  std::vector<HttpRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  // Bytes of bodies sent so far.
  std::size_t served() const { return served_; }

 private:
  // True once `socket` can be read; false if the server is being stopped.
  bool wait(int socket) const {
    while (!stopped_) {
      pollfd waiting{socket, POLLIN, 0};
      if (poll(&waiting, 1, 20) > 0) return true;
    }
    return false;
  }

  void serve() {
    while (wait(socket_)) {
      const int client = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) continue;
      answer(client);
      close(client);
    }
  }

  void answer(int client) {
    std::string head;
    for (char c; head.find("\r\n\r\n") == std::string::npos;) {
      if (!wait(client) || recv(client, &c, 1, 0) != 1) return;
      head += c;
    }
    const HttpRequest request = parse(head);
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    reply(client, handler_(request));
  }

  static HttpRequest parse(const std::string& head) {
    HttpRequest request;
    const std::size_t begin = head.find(' ') + 1;
    request.path = head.substr(begin, head.find(' ', begin) - begin);
    for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
      const std::size_t end = head.find("\r\n", at), colon = head.find(": ", at);
      if (colon < end) {
        std::string name = head.substr(at, colon - at);
        std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
        request.headers[name] = head.substr(colon + 2, end - colon - 2);
      }
      at = end + 2;
    }
    return request;
  }

  void reply(int client, const HttpReply& reply) {
    std::string head = "HTTP/1.1 " + std::to_string(reply.status) +
                       " Answer\r\nConnection: close\r\nContent-Length: " + std::to_string(reply.body.size()) + "\r\n";
    for (const std::string& header : reply.headers) head += header + "\r\n";
    if (!send_all(client, head + "\r\n")) return;
    const std::size_t end = std::min(reply.send, reply.body.size());
    for (std::size_t at = 0; at < end && !stopped_; at += reply.piece) {
      std::this_thread::sleep_for(reply.pause);
      const std::string piece = reply.body.substr(at, std::min(reply.piece, end - at));
      if (!send_all(client, piece)) return;
      served_ += piece.size();
    }
    char c;
    if (reply.stall && wait(client)) recv(client, &c, 1, 0);
  }

  static bool send_all(int client, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  Handler handler_;
  int socket_ = -1;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::vector<HttpRequest> requests_;
  std::atomic<std::size_t> served_ = 0;
  std::atomic<bool> stopped_ = false;
  std::thread thread_;
};

}  // namespace dragoman::support
