#include "serve/http_connection.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
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
  for (const auto name : {http::field::host, http::field::content_length, http::field::transfer_encoding,
                          http::field::content_type, http::field::authorization, http::field::origin})
    if (count(name) > 1) return false;
  if (count(http::field::host) == 0 && header.version() >= 11) return false;
  if (header[http::field::content_length].find_first_not_of("0123456789") != std::string::npos) return false;
  if (count(http::field::transfer_encoding) == 0) return true;
  return count(http::field::content_length) == 0 && header.version() >= 11 &&
         boost::beast::iequals(header[http::field::transfer_encoding], "chunked");
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

// What came before the body. Fields that come after it (trailers) never get here.
void describe(const http::request_header<>& header, HttpRequest& request) {
  const auto target = local_part(header.target());
  const std::size_t mark = std::min(target.find('?'), target.size());
  request.method = std::string(header.method_string());
  request.path = std::string(target.substr(0, mark));
  request.query = std::string(target.substr(std::min(mark + 1, target.size())));
  request.headers.clear();
  for (const auto& field : header) request.headers.emplace_back(lower(field.name_string()), std::string(field.value()));
}

HttpError busy() { return {503, "the server is busy with other requests; try again later", 1}; }

}  // namespace

HttpConnection::HttpConnection(asio::ip::tcp::socket socket, ConnectionHost& host)
    : socket_(std::move(socket)),
      host_(host),
      timer_(socket_.get_executor()),
      buffer_(host.limits.header_bytes + kReadStep) {
  error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  const auto peer = unmapped(socket_.remote_endpoint(ignored).address());
  request_.address = address_ = peer.to_string();
  request_.is_local = is_local_ = peer.is_loopback();
  if (!host.limits.has_local_proxy || !peer.is_loopback()) client_ = network_of(address_);
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
}

void HttpConnection::out_of_time() {
  if (state_ != State::handling) return close();
  if (const auto exchange = exchange_.lock()) exchange->give_up(kTooLate);
  fail(HttpError(kTooLate, "the answer took too long"));
}

void HttpConnection::drain() {
  if (state_ == State::idle) enter(State::idle, host_.limits.last_call);
}

void HttpConnection::close() {
  if (state_ == State::closed) return;
  stop_waiting();
  state_ = State::closed;
  memory_.reset();
  if (const auto exchange = exchange_.lock()) exchange->give_up(kClientLeft);
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
  ++request_round_;
  is_old_ = false;
  request_ = HttpRequest();
  request_.address = address_;
  request_.is_local = is_local_;
  http::async_read_header(socket_, buffer_, *parser_,
                          [self = shared_from_this()](const error_code& error, std::size_t) {
                            if (!self->failed(error)) self->on_header();
                          });
}

void HttpConnection::on_header() {
  const auto& message = parser_->get();
  describe(message, request_);
  is_old_ = message.version() < 11;
  try {
    if (!is_clear(message))
      throw HttpError(400, "Invalid request: expected one Host, and one Content-Length or Transfer-Encoding: chunked");
    host_.handler.admit(request_);
  } catch (const HttpError& error) {
    return fail(error);
  }
  keep_alive_ = message.keep_alive();
  charged_ = 0;
  memory_ = take_memory(0, false);
  if (is_old_ || !boost::beast::iequals(message[http::field::expect], "100-continue")) return read_body();
  static constexpr char kContinue[] = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(socket_, asio::buffer(kContinue, sizeof kContinue - 1),
                    [self = shared_from_this()](const error_code& error, std::size_t) {
                      if (error) return self->close();
                      if (self->state_ == State::reading) self->read_body();
                    });
}

// A piece at a time: what a client has announced takes no memory.
void HttpConnection::read_body() {
  if (parser_->is_done()) return handle();
  const std::size_t begin = request_.body.size();
  const std::size_t piece = std::min<std::uint64_t>(kReadStep, parser_->content_length_remaining().value_or(kReadStep));
  charged_ = std::max(charged_, begin + piece);
  if (memory_ == nullptr || !memory_->resize(charged_)) return fail(busy());
  request_.body.resize(begin + piece);
  auto& target = parser_->get().body();
  target.data = request_.body.data() + begin;
  target.size = piece;
  http::async_read_some(socket_, buffer_, *parser_,
                        [self = shared_from_this(), begin, piece](const error_code& error, std::size_t) {
                          if (self->failed(error == http::error::need_buffer ? error_code() : error)) return;
                          self->request_.body.resize(begin + piece - self->parser_->get().body().size);
                          self->read_body();
                        });
}

// The memory charged for the current request or response. It may be reclaimed for other clients.
std::unique_ptr<Shares::Holding> HttpConnection::take_memory(std::size_t bytes, bool is_response) {
  return host_.memory.take(
      network_of(request_.address), bytes,
      [weak = weak_from_this(), executor = socket_.get_executor(), round = request_round_, is_response] {
        asio::post(executor, [weak, round, is_response] {
          const auto self = weak.lock();
          if (self && self->request_round_ == round && is_response == (self->state_ == State::writing))
            self->give_way();
        });
      });
}

void HttpConnection::give_way() {
  if (state_ == State::reading) return fail(busy());
  if (state_ == State::writing) return close();
  if (const auto exchange = exchange_.lock()) exchange->give_up(503);
}

void HttpConnection::handle() {
  parser_.reset();
  // Error pages need it no more.
  HttpRequest request = request_;
  request.body = std::exchange(request_.body, {});
  request.body_bytes = request.body.size();
  // The response may come from any thread, also when the connection is closed.
  const auto exchange = std::make_shared<Exchange>(
      std::move(request),
      [self = shared_from_this(), round = request_round_](HttpResponse response) {
        asio::post(self->socket_.get_executor(), [self, round, response = std::move(response)]() mutable {
          if (self->state_ == State::handling && round == self->request_round_) self->respond(std::move(response));
        });
      },
      std::move(memory_));
  exchange_ = exchange;
  enter(State::handling, host_.limits.answer);
  watch();
  host_.handler.handle(exchange);
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
  send(host_.handler.error_page(request_, error));
}

void HttpConnection::respond(HttpResponse response) {
  memory_ = take_memory(response.body.size(), true);
  memory_ ? send(std::move(response)) : fail(busy());
}

void HttpConnection::send(HttpResponse response) {
  enter(State::writing, host_.limits.send);
  exchange_.reset();
  keep_alive_ = keep_alive_ && !host_.stopping;
  const auto message = std::make_shared<http::response<http::string_body>>();
  message->result(static_cast<unsigned>(response.status));
  if (response.status != 204) message->set(http::field::content_type, response.type);
  for (const auto& [name, value] : response.headers) message->set(name, value);
  message->keep_alive(keep_alive_);
  if (keep_alive_ && is_old_) message->set(http::field::connection, "keep-alive");
  if (response.status != 204) message->content_length(response.body.size());
  if (request_.method != "HEAD") message->body() = std::move(response.body);
  http::async_write(socket_, *message, [self = shared_from_this(), message](const error_code& error, std::size_t) {
    if (self->state_ != State::writing) return;
    if (error) return self->close();
    self->memory_.reset();
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
