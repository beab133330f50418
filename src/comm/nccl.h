#pragma once

#include "comm/hub_communicator.h"

namespace dragoman::comm {

// One GPU per rank, connected by NCCL, whose library is loaded when it is asked for. Collective operations are enqueued
// on the stream of the calling thread. If a rank is lost, the operations of the others are aborted, so that nobody
// waits for it.
class NcclCommunicator final : public HubCommunicator {
 public:
  // Throws Error if the library is not installed.
  NcclCommunicator(const Place& place, std::unique_ptr<Hub> hub, const Device& device);
  ~NcclCommunicator() override;

  // The library's version, for display; empty if it is not installed.
  static std::string version();

  const char* name() const override { return "nccl"; }
  void reduce_scatter(const Parted& tensor, Wire wire, bool ordered) override;
  void all_gather(const Parted& tensor) override;
  void all_reduce(const Tensor& sums) override;
  void broadcast(const Tensor& tensor, int root) override;

 private:
  struct Functions;

  // Memory of the GPU that grows when needed.
  class Scratch {
   public:
    explicit Scratch(const Device& device) : device_(device) {}
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    // `count` elements.
    Tensor take(DType type, Size count);

   private:
    const Device& device_;
    void* memory_ = nullptr;
    std::size_t bytes_ = 0;
  };

  // Sends part r to rank r, receives this rank's part from all and adds them in pairs.
  void exchange_and_add(const Parted& tensor, Wire wire);
  void add_rows(const Tensor& rows, Size count) const;

  const Device& device_;
  std::unique_ptr<const Functions> nccl_;
  void* group_ = nullptr;  // ncclComm_t
  Scratch sent_, received_, wide_;
};

}  // namespace dragoman::comm
