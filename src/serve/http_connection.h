#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <list>
#include <memory>
#include <optional>

#include "serve/http_server.h"

namespace dragoman::serve {

class HttpConnection;

// What a connection needs of its server.
struct ConnectionHost {
  HttpLimits limits;
  HttpHandler& handler;
  std::function<void(HttpConnection*)> closed;  // the connection has ended
  std::list<HttpConnection*> waiting{};         // for a request or the rest of one; the one that waits longest first
  Shares memory{limits.memory_bytes, Shares::Rule::work};  // of bodies and responses
  bool stopping = false;
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
  using Parser = boost::beast::http::request_parser<boost::beast::http::buffer_body>;
  enum class State { idle, reading, handling, writing, closing, closed };

  void enter(State state, std::chrono::milliseconds limit);
  void stop_waiting();
  void out_of_time();
  void wait_for_request();
  void watch();
  void on_readable();
  void read_header();
  void on_header();
  void read_body();
  void handle();
  std::unique_ptr<Shares::Holding> take_memory(std::size_t bytes, bool is_response);
  void give_way();
  bool failed(const boost::system::error_code& error);
  void fail(const HttpError& error);
  void respond(HttpResponse response);
  void send(HttpResponse response);
  void after_response();
  void linger();

  boost::asio::ip::tcp::socket socket_;
  ConnectionHost& host_;
  std::string client_, address_;
  bool is_local_ = false;
  boost::asio::steady_timer timer_;
  std::uint64_t timer_round_ = 0;  // tells a timer that was set again from an earlier one
  State state_ = State::idle;
  std::optional<std::list<HttpConnection*>::iterator> place_;  // among those that wait
  std::unique_ptr<Shares::Holding> memory_;                    // of the body or the response under way
  bool watching_ = false;                                      // waits for bytes or the end of the client's side
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::uint64_t request_round_ = 0;  // the request that a response belongs to
  std::size_t charged_ = 0;          // bytes of its body that `memory_` has room for
  bool keep_alive_ = false, refused_ = false;
  bool is_old_ = false;               // HTTP/1.0
  HttpRequest request_;               // that is being received, or what error pages know of the one under way
  std::weak_ptr<Exchange> exchange_;  // of the request under way
  std::size_t drained_ = 0;
};

}  // namespace dragoman::serve
