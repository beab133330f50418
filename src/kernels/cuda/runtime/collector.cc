#include "kernels/cuda/runtime/collector.h"

#include <cuda.h>

#include "base/error.h"
#include "kernels/cuda/runtime/runtime.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr std::size_t kMostSequences = 512;

// The driver function: the runtime function cannot read kernels of libraries.
using ReadKernel = CUresult (*)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS*);

// The kernel of a node and its cluster size. For other nodes, which a few library calls record, the node type.
Collector::Step step_of(cudaGraphNode_t node) {
  static const auto read = reinterpret_cast<ReadKernel>(driver_function("cuGraphKernelNodeGetParams", 12000));
  cudaGraphNodeType type{};
  check_status(cudaGraphNodeGetType(node, &type), "recorded kernels");
  if (type != cudaGraphNodeTypeKernel) return {nullptr, static_cast<std::uint64_t>(type)};
  CUDA_KERNEL_NODE_PARAMS parameters{};
  check(read(node, &parameters) == CUDA_SUCCESS, "[cuda] the driver cannot read a recorded kernel");
  cudaLaunchAttributeValue value{};
  check_status(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeClusterDimension, &value), "recorded kernels");
  const auto& [x, y, z] = value.clusterDim;
  const void* kernel = parameters.func != nullptr ? static_cast<const void*>(parameters.func) : parameters.kern;
  return {kernel, std::uint64_t{x} << 32 | std::uint64_t{y} << 16 | z};
}

}  // namespace

void Collector::before_launch(cudaStream_t stream) {
  if (recording_ && ++recorded_ > kMost) submit(stream);
  if (recording_) return;
  if (direct_ > 0) {
    --direct_;
    return;
  }
  check_status(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "recording kernels");
  recording_ = true;
  recorded_ = 1;
}

void Collector::submit(cudaStream_t stream) {
  if (!recording_) return;
  recording_ = false;
  cudaGraph_t graph = nullptr;
  check_status(cudaStreamEndCapture(stream, &graph), "recording kernels");
  if (read_sequence(graph)) launch(graph, stream);
  cudaGraphDestroy(graph);
}

bool Collector::read_sequence(cudaGraph_t graph) {
  std::size_t count = 0;
  check_status(cudaGraphGetNodes(graph, nullptr, &count), "recorded kernels");
  nodes_.resize(count);
  if (count > 0) check_status(cudaGraphGetNodes(graph, nodes_.data(), &count), "recorded kernels");
  sequence_.clear();
  for (cudaGraphNode_t node : nodes_) sequence_.push_back(step_of(node));
  return count > 0;
}

void Collector::launch(cudaGraph_t graph, cudaStream_t stream) {
  if (ready_.size() >= kMostSequences) drop_graphs();
  Ready& ready = ready_[sequence_];
  cudaGraphExec_t& one = ready.graphs[ready.next++ % ready.graphs.size()];
  cudaGraphExecUpdateResultInfo result{};
  if (one != nullptr && cudaGraphExecUpdate(one, graph, &result) != cudaSuccess) {
    cudaGetLastError();
    cudaGraphExecDestroy(one);
    one = nullptr;
  }
  if (one == nullptr) check_status(cudaGraphInstantiate(&one, graph, 0), "recorded kernels");
  check_status(cudaGraphLaunch(one, stream), "recorded kernels");
}

void Collector::drop_graphs() {
  for (auto& [sequence, ready] : ready_)
    for (cudaGraphExec_t one : ready.graphs)
      if (one != nullptr) cudaGraphExecDestroy(one);
  ready_.clear();
}

}  // namespace dragoman::kernels::cuda
