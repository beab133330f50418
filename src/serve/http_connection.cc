#include "serve/http_connection.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include "serve/network.h"

namespace dragoman::serve {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

// What a client may still send after its last response, before the connection is cut.
constexpr std::size_t kMostDrained = 4 << 20;
constexpr std::chrono::milliseconds kLinger{2000};
constexpr std::size_t kReadStep = 8 << 10;

std::string lower(boost::beast::string_view text) {
  std::string result(text.begin(), text.end());
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

// Whether everyone who reads this header agrees where the request ends and whom it is for. A proxy that saw another end
// would pass on a request that it has never looked at.
bool is_clear(const http::request_header<>& header) {
  const auto count = [&](http::field name) {
    const auto [begin, end] = header.equal_range(name);
    return std::distance(begin, end);
  };
  if (count(http::field::host) > 1 || (count(http::field::host) == 0 && header.version() >= 11)) return false;
  const auto length = header[http::field::content_length];
  if (count(http::field::content_length) > 1 || length.find_first_not_of("0123456789") != length.npos) return false;
  if (count(http::field::transfer_encoding) == 0) return true;
  return count(http::field::transfer_encoding) == 1 && count(http::field::content_length) == 0 &&
         header.version() >= 11 && boost::beast::iequals(header[http::field::transfer_encoding], "chunked");
}

// The path and query of a target, also of one with a scheme and a host before them (RFC 9112, 3.2.2).
boost::beast::string_view local_part(boost::beast::string_view target) {
  for (const boost::beast::string_view scheme : {"http://", "https://"}) {
    if (!boost::beast::iequals(target.substr(0, scheme.size()), scheme)) continue;
    const std::size_t path = target.find('/', scheme.size());
    return path == target.npos ? "/" : target.substr(path);
  }
  return target;
}

// An IPv4 address that came through a socket of IPv6 is one of IPv4.
asio::ip::address unmapped(const asio::ip::address& address) {
  if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
  return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
}

// A part of the memory for bodies. Any thread may give it back.
class BodyPlace {
 public:
  BodyPlace(std::shared_ptr<std::atomic<std::uint64_t>> all, std::uint64_t bytes)
      : all_(std::move(all)), bytes_(bytes) {
    *all_ += bytes_;
  }
  ~BodyPlace() { *all_ -= bytes_; }
  BodyPlace(const BodyPlace&) = delete;
  BodyPlace& operator=(const BodyPlace&) = delete;

 private:
  std::shared_ptr<std::atomic<std::uint64_t>> all_;
  std::uint64_t bytes_;
};

}  // namespace

HttpConnection::HttpConnection(asio::ip::tcp::socket socket, ConnectionHost& host)
    : socket_(std::move(socket)),
      host_(host),
      timer_(socket_.get_executor()),
      buffer_(host.limits.header_bytes + kReadStep) {
  error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  const auto peer = unmapped(socket_.remote_endpoint(ignored).address());
  described_.client = peer.to_string();
  described_.is_local = peer.is_loopback();
  if (!host.limits.has_local_proxy || !peer.is_loopback()) client_ = network_of(described_.client);
}

void HttpConnection::enter(State state, std::chrono::milliseconds limit) {
  stop_waiting();
  state_ = state;
  if (state == State::idle || state == State::reading) place_ = host_.waiting.insert(host_.waiting.end(), this);
  timer_.expires_after(limit);
  timer_.async_wait([self = shared_from_this(), round = ++timer_round_](const error_code& error) {
    if (!error && round == self->timer_round_) self->out_of_time();
  });
}

void HttpConnection::stop_waiting() {
  if (place_) host_.waiting.erase(*place_);
  place_.reset();
  body_place_.reset();
}

void HttpConnection::out_of_time() {
  if (state_ != State::handling) return close();
  fate_->is_late = true;
  fate_->cancelled = true;
  fail(HttpError(kTooLate, "the answer took too long"));
}

void HttpConnection::drain() {
  if (state_ == State::idle) enter(State::idle, host_.limits.last_call);
}

void HttpConnection::close() {
  if (state_ == State::closed) return;
  stop_waiting();
  state_ = State::closed;
  if (fate_) fate_->cancelled = true;
  ++timer_round_;
  timer_.cancel();
  error_code ignored;
  socket_.close(ignored);
  host_.closed(this);
}

void HttpConnection::refuse(const HttpError& error) {
  refused_ = true;
  fail(error);
}

void HttpConnection::wait_for_request() {
  if (buffer_.size() > 0) return read_header();
  buffer_.shrink_to_fit();
  enter(State::idle, host_.stopping ? host_.limits.last_call : host_.limits.idle);
  watch();
}

// Waits for the socket to become readable: a new request, or the end of the client's side.
void HttpConnection::watch() {
  if (watching_) return;
  watching_ = true;
  socket_.async_wait(asio::ip::tcp::socket::wait_read, [self = shared_from_this()](const error_code& error) {
    self->watching_ = false;
    if (!error) self->on_readable();
  });
}

void HttpConnection::on_readable() {
  if (state_ == State::idle) return read_header();
  if (state_ != State::handling) return;
  // None means that the client has left. Bytes are the next request, which waits in the buffer: left in the socket,
  // they would hide that the client leaves.
  error_code error;
  const std::size_t available = socket_.available(error);
  if (available == 0 || error) return close();
  const std::size_t room = buffer_.max_size() - buffer_.size();
  if (room == 0) return;
  buffer_.commit(socket_.read_some(buffer_.prepare(std::min(available, room)), error));
  if (error) return close();
  watch();
}

void HttpConnection::read_header() {
  enter(State::reading, host_.limits.receive);
  parser_.emplace();
  parser_->header_limit(host_.limits.header_bytes);
  parser_->body_limit(host_.limits.body_bytes);
  is_head_ = is_old_ = false;
  described_.method.clear();
  described_.path.clear();
  http::async_read_header(socket_, buffer_, *parser_,
                          [self = shared_from_this()](const error_code& error, std::size_t) {
                            if (!self->failed(error)) self->on_header();
                          });
}

// Notes what error pages and the log say of the request.
void HttpConnection::describe() {
  const auto& message = parser_->get();
  is_head_ = message.method() == http::verb::head;
  is_old_ = message.version() < 11;
  described_.method = std::string(message.method_string());
  const auto target = local_part(message.target());
  described_.path = std::string(target.substr(0, target.find('?')));
}

void HttpConnection::on_header() {
  describe();
  const auto& message = parser_->get();
  if (!is_clear(message))
    return fail(
        HttpError(400, "Invalid request: expected one Host, and one Content-Length or Transfer-Encoding: chunked"));
  if (!reserve_body()) return;
  if (is_old_ || !boost::beast::iequals(message[http::field::expect], "100-continue")) return read_body();
  static constexpr char kContinue[] = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(socket_, asio::buffer(kContinue, sizeof kContinue - 1),
                    [self = shared_from_this()](const error_code& error, std::size_t) {
                      if (error) return self->close();
                      self->read_body();
                    });
}

// Counts the body before it comes. If all bodies together become too large, those that have been on their way for
// longest give way: a request of an honest client is short or quick. Returns false if this one does.
bool HttpConnection::reserve_body() {
  const std::uint64_t bytes = parser_->chunked() ? host_.limits.body_bytes : parser_->content_length().value_or(0);
  if (bytes == 0) return true;
  body_place_ = std::make_shared<BodyPlace>(host_.body_bytes, bytes);
  while (*host_.body_bytes > host_.limits.all_body_bytes) {
    const auto slowest = std::find_if(host_.waiting.begin(), host_.waiting.end(),
                                      [](const auto* one) { return one->body_place_ != nullptr; });
    if (slowest == host_.waiting.end()) break;
    if (*slowest == this) {
      fail(HttpError(503, "too many requests are being received", 1));
      return false;
    }
    (*slowest)->close();
  }
  return true;
}

void HttpConnection::read_body() {
  http::async_read(socket_, buffer_, *parser_, [self = shared_from_this()](const error_code& error, std::size_t) {
    if (!self->failed(error)) self->handle();
  });
}

HttpRequest HttpConnection::take_request() {
  auto& message = parser_->get();
  HttpRequest request;
  request.method = described_.method;
  const auto target = local_part(message.target());
  const std::size_t mark = target.find('?');
  request.path = described_.path;
  if (mark != target.npos) request.query = std::string(target.substr(mark + 1));
  for (const auto& field : message)
    request.headers.emplace_back(lower(field.name_string()), std::string(field.value()));
  request.body = std::move(message.body());
  request.body_bytes = request.body.size();
  request.body_place = std::move(body_place_);
  request.client = described_.client;
  request.is_local = described_.is_local;
  return request;
}

void HttpConnection::handle() {
  keep_alive_ = parser_->get().keep_alive();
  HttpRequest request = take_request();
  parser_.reset();
  const std::uint64_t round = ++request_round_;
  // The response may come from any thread, also when the connection is closed.
  const auto exchange =
      std::make_shared<Exchange>(std::move(request), [self = shared_from_this(), round](HttpResponse response) {
        asio::post(self->socket_.get_executor(), [self, round, response = std::move(response)]() mutable {
          if (self->state_ == State::handling && round == self->request_round_) self->send(std::move(response));
        });
      });
  fate_ = exchange->fate();
  enter(State::handling, host_.limits.answer);
  watch();
  host_.handler(exchange);
}

// Handles an error of reading. Returns false if there was none.
bool HttpConnection::failed(const error_code& error) {
  if (state_ != State::reading) return true;
  if (!error) return false;
  if (error == http::error::header_limit || error == http::error::buffer_overflow)
    fail(HttpError(431, fmt::format("the header of a request may have {} bytes", host_.limits.header_bytes)));
  else if (error == http::error::body_limit)
    fail(HttpError(413, fmt::format("the body of a request may have {} bytes", host_.limits.body_bytes)));
  else if (error == http::error::end_of_stream || error == http::error::partial_message ||
           error.category() != http::make_error_code(http::error::bad_method).category())
    close();
  else
    fail(HttpError(400, "not an HTTP request: " + error.message()));
  return true;
}

void HttpConnection::fail(const HttpError& error) {
  keep_alive_ = false;
  send(host_.error_page(described_, error));
}

void HttpConnection::send(HttpResponse response) {
  enter(State::writing, host_.limits.send);
  fate_.reset();
  keep_alive_ = keep_alive_ && !host_.stopping;
  const auto message = std::make_shared<http::response<http::string_body>>();
  message->result(static_cast<unsigned>(response.status));
  if (response.status != 204) message->set(http::field::content_type, response.type);
  for (const auto& [name, value] : response.headers) message->set(name, value);
  message->keep_alive(keep_alive_);
  if (keep_alive_ && is_old_) message->set(http::field::connection, "keep-alive");
  if (response.status != 204) message->content_length(response.body.size());
  if (!is_head_) message->body() = std::move(response.body);
  http::async_write(socket_, *message, [self = shared_from_this(), message](const error_code& error, std::size_t) {
    if (self->state_ != State::writing) return;
    if (error) return self->close();
    self->after_response();
  });
}

void HttpConnection::after_response() {
  // A response that promised to keep the connection may have been sent before the server was stopped.
  if (keep_alive_) return wait_for_request();
  error_code ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  if (refused_) return close();
  enter(State::closing, kLinger);
  linger();
}

// Reads what the client still sends: closing earlier would reset the connection and could destroy the response.
void HttpConnection::linger() {
  buffer_.clear();
  socket_.async_read_some(buffer_.prepare(kReadStep),
                          [self = shared_from_this()](const error_code& error, std::size_t count) {
                            self->drained_ += count;
                            if (self->state_ != State::closing) return;
                            if (error || self->drained_ > kMostDrained) return self->close();
                            self->linger();
                          });
}

}  // namespace dragoman::serve
