#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace dragoman::kernels::cuda {

// Records kernel launches (stream capture) and submits them as CUDA graphs. Recording costs the host about half as much
// as launching kernels one by one, and the GPU has shorter gaps between the nodes of a graph. A graph is submitted when
// it has many kernels, or before any work that is not a kernel.
//
// A graph is a linear sequence of kernels, and usually the same sequence has run before. Its executable graph is then
// updated with the new arguments (cudaGraphExecUpdate), which is far cheaper than instantiating a new one. Only
// identical sequences of kernels share an executable graph: updating a node to another kernel does not update all its
// attributes.
class Collector {
 public:
  // A kernel of a sequence, and the size of its clusters.
  using Step = std::pair<const void*, std::uint64_t>;

  // Must be called before each kernel launch on the stream.
  void before_launch(cudaStream_t stream);
  // Submits the recorded kernels; the effect on the stream is that of direct launches.
  void submit(cudaStream_t stream);
  // Must be called before an upload. Starts a new sequence, unless the current one is short: sequences that ended only
  // at their maximum length would differ from one training step to the next.
  void before_copy(cudaStream_t stream) {
    if (recorded_ >= kFew) submit(stream);
  }
  // Must be called after a synchronisation, when everything submitted has been executed.
  void gpu_is_idle() { direct_ = kDirect; }

 private:
  using Sequence = std::vector<Step>;
  // Executable graphs of a sequence, used in rotation, so that a graph is rarely still running when it is updated.
  struct Ready {
    std::array<cudaGraphExec_t, 4> graphs{};
    std::size_t next = 0;
  };
  // Reads the sequence of a graph's kernels; false when it is empty.
  bool read_sequence(cudaGraph_t graph);
  void launch(cudaGraph_t graph, cudaStream_t stream);
  void drop_graphs();

  // The first kDirect kernels after a synchronisation are launched directly, so that the GPU has work while later ones
  // are recorded. Recording would slow down a search that synchronises after every step; such a search stays below
  // kDirect. Graphs have at most kMost kernels; those of fewer than kFew continue across an upload.
  static constexpr int kDirect = 128, kMost = 64, kFew = 16;

  bool recording_ = false;
  int direct_ = kDirect;  // kernels still to be launched directly
  int recorded_ = 0;      // kernels recorded so far
  std::map<Sequence, Ready> ready_;
  std::vector<cudaGraphNode_t> nodes_;
  Sequence sequence_;
};

}  // namespace dragoman::kernels::cuda
