#pragma once

#include <span>

#include "comm/hub_communicator.h"

namespace dragoman::comm {

// Communication through host memory: each collective operation is a few rounds of an exchange of bytes between all
// ranks, and every rank adds up what it receives itself, in a fixed order. Tensors of a GPU are copied to the host and
// back.
class HostCommunicator : public HubCommunicator {
 public:
  void reduce_scatter(const Parted& tensor, Wire wire, bool ordered) override;
  void all_gather(const Parted& tensor) override;
  void all_reduce(const Tensor& sums) override;
  void broadcast(const Tensor& tensor, int root) override;

 protected:
  using HubCommunicator::HubCommunicator;

  // Where this rank writes what it sends in the next round.
  virtual std::span<char> outbox() = 0;
  // A round in which bytes [r * count, (r + 1) * count) of the outbox go to rank r.
  virtual void deliver(std::size_t count) = 0;
  // A round in which bytes [0, count) of the outbox go to every rank.
  virtual void share(std::size_t count) = 0;
  // The bytes that a rank sent to this one; valid until the next round begins.
  virtual const char* inbox(int from) = 0;

 private:
  // The tensor's bytes on the host.
  char* fetch(const Tensor& tensor);
  template <class T>
  void reduce(T* whole, const Parted& tensor, Wire wire);

  std::vector<char> staged_;  // a tensor of a GPU
};

}  // namespace dragoman::comm
