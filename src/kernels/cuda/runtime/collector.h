#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace dragoman::kernels::cuda {

// Records kernel launches by stream capture and submits them as CUDA graphs. Launching kernels one by one costs the
// host about twice as much as recording them, and the GPU has shorter gaps between the nodes of a graph. A graph is
// submitted when it has many kernels, or before anything that is not a kernel.
//
// A graph is a plain sequence of kernels, and usually the same sequence has run before. Its executable graph is then
// updated with the new arguments (cudaGraphExecUpdate), which is far cheaper than instantiating another. Only sequences
// of the same kernels share one, because updating a node to another kernel does not update all of its attributes.
class Collector {
 public:
  // One kernel of a sequence, and the size of its clusters.
  using Step = std::pair<const void*, std::uint64_t>;

  // Must be called before each kernel launch on the stream.
  void before_launch(cudaStream_t stream);
  // Submits the recorded kernels; afterwards the stream is as if they had been launched directly.
  void submit(cudaStream_t stream);
  // Must be called before an upload. A new sequence begins with it, unless the present one is short: sequences that
  // were cut only by their length would differ in every training step.
  void before_copy(cudaStream_t stream) {
    if (recorded_ >= kFew) submit(stream);
  }
  // Everything submitted has been executed.
  void gpu_is_idle() { direct_ = kDirect; }

 private:
  using Sequence = std::vector<Step>;
  // A few executable graphs per sequence, used in turn, so that none is updated while it is likely to run.
  struct Ready {
    std::array<cudaGraphExec_t, 4> graphs{};
    std::size_t next = 0;
  };
  // Reads the kernels of a graph; false when it is empty.
  bool read_sequence(cudaGraph_t graph);
  void launch(cudaGraph_t graph, cudaStream_t stream);
  void drop_graphs();

  // The first kernels after a synchronisation are launched directly, so that the GPU has work while others are
  // recorded. A search that synchronises after every step stays below that number; recording would slow it down.
  static constexpr int kDirect = 128, kMost = 64, kFew = 16;

  bool recording_ = false;
  int direct_ = kDirect;  // how many more are launched directly
  int recorded_ = 0;      // how many have been recorded
  std::map<Sequence, Ready> ready_;
  std::vector<cudaGraphNode_t> nodes_;
  Sequence sequence_;
};

}  // namespace dragoman::kernels::cuda
