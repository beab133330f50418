#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/error.h"

// A plain client that can also misbehave.
namespace dragoman::serve::test {

struct Reply {
  int status = 0;                              // 0: the connection ended without a response
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  nlohmann::json json() const { return nlohmann::json::parse(body, nullptr, false); }
};

// One connection to 127.0.0.1, from 127.0.0.`own`.
class Client {
 public:
  explicit Client(int port, int own = 1) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + static_cast<std::uint32_t>(own));
    if (own != 1)
      check(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0, "no address");
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    check(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0, "cannot connect");
  }
  ~Client() { close(); }
  Client(Client&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }
  // Ends the client's own side only.
  void half_close() const { ::shutdown(socket_, SHUT_WR); }

  // False if the server has closed the connection.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  bool send_request(const std::string& method, const std::string& path, const std::string& headers = "",
                    const std::string& body = "") const {
    return send(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
                (body.empty() ? "\r\n" : framed(body)));
  }

  // How clients say where bodies end.
  enum class Framing { length, chunks, chunks_and_trailers };
  // DRAGOMAN_TEST_FRAMING is its number.
  inline static Framing framing =
      static_cast<Framing>(std::getenv("DRAGOMAN_TEST_FRAMING") ? std::atoi(std::getenv("DRAGOMAN_TEST_FRAMING")) : 0);

  // The next response; status 0 if the server closes the connection or says nothing for so long.
  Reply read(std::chrono::milliseconds patience = std::chrono::seconds(20)) {
    Reply reply;
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos)
      if (!receive(patience)) return reply;
    const std::string head = buffer_.substr(0, end + 2);
    buffer_.erase(0, end + 4);
    const int status = std::stoi(head.substr(head.find(' ') + 1));
    for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
      const std::size_t stop = head.find("\r\n", at), colon = head.find(": ", at);
      std::string name = head.substr(at, colon - at);
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
      if (colon < stop) reply.headers[name] = head.substr(colon + 2, stop - colon - 2);
      at = stop + 2;
    }
    const std::size_t length =
        reply.headers.contains("content-length") ? std::stoul(reply.headers["content-length"]) : 0;
    while (!ignores_body && buffer_.size() < length)
      if (!receive(patience)) return reply;
    if (!ignores_body) {
      reply.body = buffer_.substr(0, length);
      buffer_.erase(0, length);
    }
    reply.status = status;
    return reply;
  }
  // Whether the server closes the connection within this time.
  bool is_closed_within(std::chrono::milliseconds patience) {
    while (receive(patience)) {
    }
    pollfd waiting{socket_, POLLIN, 0};
    return poll(&waiting, 1, 0) > 0;
  }

  // Whether the server has given up the connection before it had sent everything.
  bool is_reset() const {
    int error = 0;
    socklen_t size = sizeof error;
    pollfd waiting{socket_, POLLRDHUP, 0};
    return getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0 ||
           (poll(&waiting, 1, 0) > 0 && (waiting.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0);
  }

  Reply ask(const std::string& method, const std::string& path, const std::string& headers = "",
            const std::string& body = "") {
    send_request(method, path, headers, body);
    return read();
  }
  Reply get(const std::string& path, const std::string& headers = "") { return ask("GET", path, headers); }
  Reply post_json(const std::string& path, const nlohmann::json& json, const std::string& headers = "") {
    return ask("POST", path, "Content-Type: application/json\r\n" + headers, json.dump());
  }
  Reply post_form(const std::string& path, const std::string& form, const std::string& headers = "") {
    return ask("POST", path, "Content-Type: application/x-www-form-urlencoded\r\n" + headers, form);
  }

  bool ignores_body = false;  // of responses to HEAD

 private:
  // The rest of a header, and the body.
  static std::string framed(std::string_view body) {
    if (framing == Framing::length)
      return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
    constexpr std::size_t kChunk = 4000;
    std::string text = "Transfer-Encoding: chunked\r\n\r\n";
    for (std::string_view rest = body; !rest.empty(); rest.remove_prefix(std::min(rest.size(), kChunk)))
      text += fmt::format("{:x}\r\n{}\r\n", std::min(rest.size(), kChunk), rest.substr(0, kChunk));
    text += "0\r\n";
    static std::atomic<int> number = 0;
    if (framing == Framing::chunks_and_trailers)
      text += fmt::format(
          "X-Forwarded-For: 9.9.9.{}\r\nHost: evil.org\r\nOrigin: https://evil.org\r\nContent-Encoding: gzip\r\n"
          "Authorization: DeepL-Auth-Key of-the-trailer\r\nContent-Type: image/png\r\nConnection: close\r\n",
          ++number % 250);
    return text + "\r\n";
  }

  bool receive(std::chrono::milliseconds patience) {
    pollfd waiting{socket_, POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(patience.count())) <= 0) return false;
    char bytes[4096];
    const ssize_t count = recv(socket_, bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    buffer_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  int socket_;
  std::string buffer_;
};

}  // namespace dragoman::serve::test
