#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <list>
#include <memory>
#include <optional>

#include "serve/http_server.h"

namespace dragoman::serve {

class HttpConnection;

// What a connection needs of its server.
struct ConnectionHost {
  HttpLimits limits;
  HttpServer::Handler handler;
  HttpServer::ErrorPage error_page;
  bool stopping = false;
  std::function<void(HttpConnection*)> closed;  // the connection has ended
  std::list<HttpConnection*> waiting{};         // for a request or the rest of one; the one that waits longest first
  // Reserved for the bodies that are being received or wait to be read into fields.
  std::shared_ptr<std::atomic<std::uint64_t>> body_bytes = std::make_shared<std::atomic<std::uint64_t>>(0);
};

// One client: reads requests one after the other and writes their responses. All members run on the server's thread.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(boost::asio::ip::tcp::socket socket, ConnectionHost& host);

  void start() { wait_for_request(); }
  // The server stops: an idle connection ends soon, a busy one after its response.
  void drain();
  void close();
  // Answers with an error and closes at once, before any request was read.
  void refuse(const HttpError& error);
  // What counts as one client: an address, or a network of IPv6. Empty if the connection is that of a proxy.
  const std::string& client() const { return client_; }

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  enum class State { idle, reading, handling, writing, closing, closed };

  void enter(State state, std::chrono::milliseconds limit);
  void stop_waiting();
  void out_of_time();
  void wait_for_request();
  void watch();
  void on_readable();
  void read_header();
  void on_header();
  void describe();
  bool reserve_body();
  void read_body();
  void handle();
  HttpRequest take_request();
  bool failed(const boost::system::error_code& error);
  void fail(const HttpError& error);
  void send(HttpResponse response);
  void after_response();
  void linger();

  boost::asio::ip::tcp::socket socket_;
  ConnectionHost& host_;
  std::string client_;
  boost::asio::steady_timer timer_;
  std::uint64_t timer_round_ = 0;  // tells a timer that was set again from an earlier one
  State state_ = State::idle;
  std::optional<std::list<HttpConnection*>::iterator> place_;  // among those that wait
  std::shared_ptr<void> body_place_;                           // of the body that is being received
  bool watching_ = false;                                      // waits for bytes or the end of the client's side
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::uint64_t request_round_ = 0;  // the request that a response belongs to
  bool keep_alive_ = false, is_head_ = false, refused_ = false;
  bool is_old_ = false;         // HTTP/1.0
  std::shared_ptr<Fate> fate_;  // of the request under way
  HttpRequest described_;       // what error pages know of it
  std::size_t drained_ = 0;
};

}  // namespace dragoman::serve
