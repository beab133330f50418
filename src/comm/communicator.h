#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/options.h"
#include "tensor/slice.h"

// Communication between the processes that train one model together. Each process is a *rank*.
namespace dragoman::comm {

using kernels::Size;

// The format of gradients between ranks. They are summed in f32 either way.
enum class Wire { f32, bf16 };

// Another rank failed or was lost; the message names it.
class PeerFailure : public Error {
 public:
  using Error::Error;
};

// A flat tensor divided between ranks: part r is elements [r * unit, (r + 1) * unit), cut off at the end of the tensor.
struct Parted {
  Tensor whole;
  Size unit = 0;

  Size first(int rank) const { return std::min(rank * unit, whole.count()); }
  Size count(int rank) const { return first(rank + 1) - first(rank); }
  Tensor part(int rank) const { return slice(whole, first(rank), count(rank)); }
};

// All ranks must make the same calls in the same order. Calls on tensors of a GPU are enqueued like kernels. A call
// that waits for another rank throws PeerFailure if that rank fails, dies or does not answer.
class Communicator {
 public:
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool leads() const { return rank_ == 0; }
  // Ranks on this machine, this one included.
  virtual int local_size() const { return 1; }
  // How tensors travel: "nccl", "mpi", "memory" or "alone".
  virtual const char* name() const = 0;
  // "rank 2 on HOST".
  virtual std::string describe(int rank) const = 0;

  // This rank's part becomes the sum over all ranks; the other parts become undefined. f32 or f64. With `ordered`
  // neighbours are added in pairs, then these sums in pairs, and so on: ((0 + 1) + (2 + 3)) + (4 + 5). The bits of the
  // sum then do not depend on the transport.
  virtual void reduce_scatter(const Parted& tensor, Wire wire, bool ordered) = 0;
  // Every rank gets the parts of all others.
  virtual void all_gather(const Parted& tensor) = 0;
  // The sum over all ranks of a few f64.
  virtual void all_reduce(const Tensor& sums) = 0;
  virtual void broadcast(const Tensor& tensor, int root) = 0;

  // The bytes of all ranks, by rank. For small messages.
  virtual std::vector<std::string> exchange(const std::string& bytes) = 0;
  void barrier() { exchange(""); }
  // The bytes of rank 0.
  std::string from_leader(const std::string& bytes) { return exchange(leads() ? bytes : "").front(); }

  // Tells the other ranks that this one ends with an error. Called once, instead of further communication.
  virtual void report_failure(const std::string& words) = 0;

 protected:
  Communicator(int rank, int size) : rank_(rank), size_(size) {}

 private:
  int rank_, size_;
};

// A single rank: every sum has one term.
class Alone final : public Communicator {
 public:
  Alone() : Communicator(0, 1) {}

  const char* name() const override { return "alone"; }
  std::string describe(int) const override { return "this process"; }
  void reduce_scatter(const Parted&, Wire, bool) override {}
  void all_gather(const Parted&) override {}
  void all_reduce(const Tensor&) override {}
  void broadcast(const Tensor&, int) override {}
  std::vector<std::string> exchange(const std::string& bytes) override { return {bytes}; }
  void report_failure(const std::string&) override {}
};

// The communicator of a process that trains alone.
Communicator& alone();

}  // namespace dragoman::comm

template <>
struct dragoman::EnumNames<dragoman::comm::Wire> {
  using Wire = dragoman::comm::Wire;
  static constexpr std::pair<Wire, const char*> list[] = {{Wire::f32, "f32"}, {Wire::bf16, "bf16"}};
};
