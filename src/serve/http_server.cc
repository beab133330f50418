#include "serve/http_server.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <thread>
#include <unordered_map>

#include "base/counted.h"
#include "base/log.h"
#include "serve/http_connection.h"

namespace dragoman::serve {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr int kBacklog = 4096;
// After an accept that failed, for example because all file descriptors are in use.
constexpr std::chrono::milliseconds kAcceptPause{100};

}  // namespace

class HttpServer::Implementation {
 public:
  Implementation(const Place& place, const HttpLimits& limits, HttpHandler& handler)
      : acceptor_(context_),
        pause_(context_),
        grace_(context_),
        host_{limits, handler, [this](HttpConnection* connection) { forget(connection); }} {
    listen(place);
    accept();
    thread_ = std::thread([this] { context_.run(); });
  }
  ~Implementation() {
    stop();
    join();
  }

  int port() const { return port_; }
  std::size_t connections() const { return count_; }

  void stop() {
    asio::post(context_, [this] { stop_here(); });
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  void listen(const Place& place) {
    error_code error;
    const auto address = asio::ip::make_address(place.address, error);
    check(!error, "--address {}: expected an IP address such as 127.0.0.1 or ::1", place.address);
    const tcp::endpoint endpoint(address, static_cast<std::uint16_t>(place.port));
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(kBacklog, error);
    check(!error, "cannot listen on {} port {}: {}; choose another with --address and --port", place.address,
          place.port, error.message());
    acceptor_.non_blocking(true);
    port_ = acceptor_.local_endpoint().port();
  }

  void accept() {
    acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
      if (host_.stopping) return;
      if (error) return accept_later(error);
      welcome(std::move(socket));
      accept();
    });
  }

  void accept_later(const error_code& error) {
    log::warning("a connection cannot be accepted: {}", error.message());
    make_room([](const HttpConnection*) { return true; });
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([this](const error_code& cancelled) {
      if (!cancelled && !host_.stopping) accept();
    });
  }

  void welcome(tcp::socket socket) {
    const auto connection = std::make_shared<HttpConnection>(std::move(socket), host_);
    const bool has_place = find_place(connection->client());
    all_[connection.get()] = connection;
    ++count_of_client_[connection->client()];
    count_ = all_.size();
    if (has_place)
      connection->start();
    else
      connection->refuse(HttpError(503, "too many connections", 1));
  }

  // Makes room if there are too many connections, of the client or in all. Returns false if that cannot be done.
  bool find_place(const std::string& client) {
    const auto own = count_of_client_.find(client);
    if (!client.empty() && own != count_of_client_.end() && own->second >= host_.limits.connections_per_client)
      return make_room([&](const HttpConnection* one) { return one->client() == client; });
    return all_.size() < host_.limits.connections || make_room([](const HttpConnection*) { return true; });
  }

  // Of those that may go, closes a connection of the client that has most: the one that has waited longest for a
  // request or for the rest of one. Returns false if none waits.
  template <class F>
  bool make_room(F&& may_go) {
    HttpConnection* chosen = nullptr;
    std::size_t most = 0;
    for (HttpConnection* const one : host_.waiting)
      if (may_go(one) && count_of_client_[one->client()] > most) {
        chosen = one;
        most = count_of_client_[one->client()];
      }
    if (chosen != nullptr) chosen->close();
    return chosen != nullptr;
  }

  void forget(HttpConnection* connection) {
    const auto entry = all_.find(connection);
    if (entry == all_.end()) return;
    const auto count = count_of_client_.find(connection->client());
    if (--count->second == 0) count_of_client_.erase(count);
    all_.erase(entry);
    count_ = all_.size();
    if (host_.stopping && all_.empty()) grace_.cancel();
  }

  void stop_here() {
    if (host_.stopping) return;
    // Connections that the system has accepted already are served too.
    error_code error;
    for (tcp::socket socket = acceptor_.accept(error); !error; socket = acceptor_.accept(error))
      welcome(std::move(socket));
    host_.stopping = true;
    acceptor_.close(error);
    pause_.cancel();
    for (const auto& connection : current()) connection->drain();
    if (all_.empty()) return;
    grace_.expires_after(host_.limits.grace);
    grace_.async_wait([this](const error_code& cancelled) {
      if (cancelled) return;
      log::warning("{} not finished in time", counted(all_.size(), "request was", "requests were"));
      for (const auto& connection : current()) connection->close();
    });
  }

  // A copy, because a connection that ends removes itself.
  std::vector<std::shared_ptr<HttpConnection>> current() const {
    std::vector<std::shared_ptr<HttpConnection>> connections;
    for (const auto& [pointer, connection] : all_) connections.push_back(connection);
    return connections;
  }

  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer pause_, grace_;
  ConnectionHost host_;
  std::unordered_map<HttpConnection*, std::shared_ptr<HttpConnection>> all_;
  std::unordered_map<std::string, std::size_t> count_of_client_;
  std::atomic<std::size_t> count_ = 0;
  int port_ = 0;
  std::thread thread_;
};

HttpServer::HttpServer(const Place& place, const HttpLimits& limits, HttpHandler& handler)
    : implementation_(std::make_unique<Implementation>(place, limits, handler)) {}

HttpServer::~HttpServer() = default;

int HttpServer::port() const { return implementation_->port(); }
std::size_t HttpServer::connections() const { return implementation_->connections(); }
void HttpServer::stop() { implementation_->stop(); }
void HttpServer::join() { implementation_->join(); }

}  // namespace dragoman::serve
