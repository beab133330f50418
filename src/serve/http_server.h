#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "serve/http_message.h"

namespace dragoman::serve {

// Bounds on what clients can take from the server.
struct HttpLimits {
  std::uint32_t header_bytes = 16 << 10;
  std::uint64_t body_bytes = 2 << 20;
  std::size_t memory_bytes = 256 << 20;  // of bodies that wait to be read and of responses that wait to be sent
  std::size_t connections = 4096;
  std::size_t connections_per_client = 4096;  // of one address, or of one network of IPv6 (64 bits)
  bool has_local_proxy = false;               // connections from this machine may be those of many clients
  std::chrono::milliseconds idle{60'000};     // between two requests of a connection
  std::chrono::milliseconds receive{15'000};  // from the first byte of a request to the last
  std::chrono::milliseconds answer{60'000};   // until the handler answers
  std::chrono::milliseconds send{30'000};     // until the client has taken the response
  std::chrono::milliseconds grace{30'000};    // for requests under way when the server is stopped
  std::chrono::milliseconds last_call{1000};  // for idle connections at that time: a request may be on its way
};

// Who answers requests. The server's thread calls all members, so they must return at once.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Looks at a request before its body comes. Throws HttpError to refuse it.
  virtual void admit(HttpRequest& request) = 0;
  // Takes a whole request, to answer it later, from any thread.
  virtual void handle(const std::shared_ptr<Exchange>& exchange) = 0;
  // The response to a request that is never handled, such as one that is too long.
  virtual HttpResponse error_page(const HttpRequest& request, const HttpError& error) = 0;
};

// An HTTP/1.1 server. One thread waits for all connections, so an idle or slow client costs memory but no thread.
class HttpServer {
 public:
  struct Place {
    std::string address = "127.0.0.1";
    int port = 0;  // 0 means any free port
  };

  // Listens and serves at once. Throws Error if the address cannot be used.
  HttpServer(const Place& place, const HttpLimits& limits, HttpHandler& handler);
  // Stops, waits, and drops what is left.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  std::size_t connections() const;
  // Takes no more connections and closes the others once their requests are answered. Any thread may call it.
  void stop();
  // Waits until that is done, or until the grace period has passed.
  void join();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace dragoman::serve
