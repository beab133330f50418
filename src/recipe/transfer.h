#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

// One request for a file over HTTP, HTTPS or from a file: URL, by libcurl. Retries and files on disk belong to
// download.h.
namespace dragoman::recipe {

struct TransferRequest {
  std::string url;
  std::uint64_t begin = 0;    // first byte to ask for
  std::string validator;      // with `begin`: ask for the whole file if it is not this version; empty if unknown
  double stall_seconds = 60;  // give up when nothing arrives for so long
};

// What the server said before it sent the bytes.
struct TransferAnswer {
  std::uint64_t begin = 0;            // position of the first byte in the file; 0 if the server ignored the range
  std::optional<std::uint64_t> size;  // of the whole file
  std::string validator;              // of this version: a strong ETag, or else the date of the last modification
};

enum class TransferStatus {
  complete,
  past_end,     // the file has no bytes from `begin` on
  refused,      // the server refuses, or there is no such file: trying again does not help
  unreachable,  // no such server, or nobody listens there
  interrupted,  // the connection broke or stalled, or the server has a problem that may pass
};

struct TransferEnd {
  TransferStatus status = TransferStatus::complete;
  std::string reason;  // one sentence without a period; empty if complete
};

// Takes the bytes of a transfer. An exception ends the transfer and reaches its caller.
class TransferSink {
 public:
  virtual ~TransferSink() = default;
  // Called once, before any bytes; not called if there is no file.
  virtual void begin(const TransferAnswer& answer) = 0;
  virtual void add(std::string_view bytes) = 0;
};

TransferEnd transfer(const TransferRequest& request, TransferSink& sink);

// Why this program cannot transfer files, one sentence without a period; empty if it can. transfer() throws it.
std::string transfer_obstacle();

}  // namespace dragoman::recipe
