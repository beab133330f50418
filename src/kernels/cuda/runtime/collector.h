#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace dragoman::kernels::cuda {

// Kernels that were asked for and are not yet on their way. Asking the driver for one kernel after the other costs the
// host about twice what recording them as a graph does, and a GPU goes through a graph with shorter breaks. So kernels
// are recorded; they go to the GPU as one graph when there are many, or before anything that is not a kernel.
//
// A graph is a plain row of kernels, and usually the same row has run before: it is then given the new arguments, which
// is far cheaper than making one. Rows are the same only when their kernels are, because a change of kernels does not
// change everything about them.
class Collector {
 public:
  // One of a row: the kernel, and the size of its clusters.
  using Step = std::pair<const void*, std::uint64_t>;

  // Before a kernel is launched on the stream.
  void expect(cudaStream_t stream);
  // All that was asked for goes to the GPU; afterwards the stream is as if it had been launched there directly.
  void hand_over(cudaStream_t stream);
  // Before a copy from the host: with it a new row begins, unless that leaves a short one. Rows that began wherever so
  // many kernels had come would be others in every step of a training.
  void expect_copy(cudaStream_t stream) {
    if (asked_ >= kFew) hand_over(stream);
  }
  // All that was handed over is done.
  void gpu_is_idle() { at_once_ = kAtOnce; }

 private:
  using Row = std::vector<Step>;
  // A few of each row, in turn, so that none is changed while it is likely to run.
  struct Ready {
    std::array<cudaGraphExec_t, 4> graphs{};
    std::size_t next = 0;
  };
  // False when nothing was recorded.
  bool read_row(cudaGraph_t graph);
  void launch(cudaGraph_t graph, cudaStream_t stream);
  void forget();

  // The first kernels after a wait are launched as they come, so that the GPU has something to do while others are
  // recorded. Whoever waits after every step of a search stays below that: for them recording is a loss.
  static constexpr int kAtOnce = 128, kMost = 64, kFew = 16;

  bool recording_ = false;
  int at_once_ = kAtOnce;  // how many more are launched as they come
  int asked_ = 0;          // how many are recorded, if any are
  std::map<Row, Ready> ready_;
  std::vector<cudaGraphNode_t> nodes_;
  Row row_;
};

}  // namespace dragoman::kernels::cuda
