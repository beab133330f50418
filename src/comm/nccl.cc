#include "comm/nccl.h"

#include <array>
#include <cstring>

#include "base/shared_library.h"
#include "kernels/cuda/cuda.h"

namespace dragoman::comm {

// Types and constants of nccl.h, which are part of the binary interface.
namespace nccl {
using Stream = CUstream_st*;
using Group = void*;  // ncclComm_t
struct UniqueId {
  std::array<char, 128> bytes;
};
enum Type : int { kUint8 = 1, kFloat32 = 7, kFloat64 = 8, kBfloat16 = 9 };
constexpr int kSum = 0;
}  // namespace nccl
using namespace nccl;

namespace {

constexpr const char* kNcclLibrary = "libnccl.so.2";

Type type_of(DType type) {
  switch (type) {
    case DType::f32: return kFloat32;
    case DType::f64: return kFloat64;
    case DType::bf16: return kBfloat16;
    default: fail("[nccl] {} cannot be sent", name_of(type));
  }
}

std::size_t elements(Size count) { return static_cast<std::size_t>(count); }

// Every part has `unit` elements.
bool is_even(const Parted& tensor, int ranks) { return tensor.unit * ranks == tensor.whole.count(); }

}  // namespace

struct NcclCommunicator::Functions {
  int (*get_unique_id)(UniqueId*);
  int (*init_rank)(Group*, int size, UniqueId, int rank);
  int (*destroy)(Group);
  int (*abort)(Group);
  const char* (*describe)(int status);
  int (*reduce_scatter)(const void*, void*, std::size_t, Type, int operation, Group, Stream);
  int (*all_gather)(const void*, void*, std::size_t, Type, Group, Stream);
  int (*all_reduce)(const void*, void*, std::size_t, Type, int operation, Group, Stream);
  int (*broadcast)(const void*, void*, std::size_t, Type, int root, Group, Stream);
  int (*send)(const void*, std::size_t, Type, int peer, Group, Stream);
  int (*receive)(void*, std::size_t, Type, int peer, Group, Stream);
  int (*group_start)();
  int (*group_end)();

  Functions() {
    const SharedLibrary library(kNcclLibrary, RTLD_NOW);
    check(library.is_loaded(),
          "the ranks are to communicate by NCCL, but it cannot be loaded: {}. Install it (libnccl2), or choose "
          "--transport memory or mpi",
          dlerror());
    const auto find = [&](const char* name, auto& found) { library.find(name, found, "NCCL 2.7 or newer"); };
    find("ncclGetUniqueId", get_unique_id);
    find("ncclCommInitRank", init_rank);
    find("ncclCommDestroy", destroy);
    find("ncclCommAbort", abort);
    find("ncclGetErrorString", describe);
    find("ncclReduceScatter", reduce_scatter);
    find("ncclAllGather", all_gather);
    find("ncclAllReduce", all_reduce);
    find("ncclBroadcast", broadcast);
    find("ncclSend", send);
    find("ncclRecv", receive);
    find("ncclGroupStart", group_start);
    find("ncclGroupEnd", group_end);
  }

  void succeed(int status, const char* what) const {
    check(status == 0, "NCCL: {} failed: {}", what, describe(status));
  }
};

NcclCommunicator::Scratch::~Scratch() {
  if (memory_ != nullptr) device_.release(memory_);
}

Tensor NcclCommunicator::Scratch::take(DType type, Size count) {
  const std::size_t bytes = elements(count * size_of(type));
  if (bytes > bytes_) {
    if (memory_ != nullptr) device_.release(memory_);
    memory_ = nullptr;
    memory_ = device_.allocate(bytes);
    bytes_ = bytes;
  }
  return {memory_, type, {count}, device_};
}

NcclCommunicator::NcclCommunicator(const Place& place, std::unique_ptr<Hub> hub, const Device& device)
    : HubCommunicator(place, std::move(hub)),
      device_(device),
      nccl_(std::make_unique<const Functions>()),
      sent_(device),
      received_(device),
      wide_(device) {
  device_.kernels<float>();  // makes the GPU current
  UniqueId id{};
  if (leads()) nccl_->succeed(nccl_->get_unique_id(&id), "ncclGetUniqueId");
  const std::string shared = from_leader({id.bytes.data(), id.bytes.size()});
  check(shared.size() == id.bytes.size(), "NCCL: rank 0 sent no identifier");
  std::memcpy(id.bytes.data(), shared.data(), shared.size());
  nccl_->succeed(nccl_->init_rank(&group_, size(), id, rank()), "ncclCommInitRank");
  this->hub().on_fault([this] { nccl_->abort(group_); });
}

NcclCommunicator::~NcclCommunicator() {
  hub().on_fault({});
  if (!hub().has_fault()) nccl_->destroy(group_);
}

std::string NcclCommunicator::version() {
  const SharedLibrary library(kNcclLibrary);
  if (!library.is_loaded()) return "";
  int number = 0;
  if (!library.call("ncclGetVersion", &number)) return kNcclLibrary;
  return fmt::format("NCCL {}.{}.{}", number / 10000, number % 10000 / 100, number % 100);
}

void NcclCommunicator::reduce_scatter(const Parted& tensor, Wire wire, bool ordered) {
  if (ordered || wire == Wire::bf16 || !is_even(tensor, size())) return exchange_and_add(tensor, wire);
  const Tensor own = tensor.part(rank());
  nccl_->succeed(nccl_->reduce_scatter(tensor.whole.raw(), own.raw(), elements(tensor.unit), type_of(own.dtype()), kSum,
                                       group_, kernels::cuda::submitted_stream()),
                 "ncclReduceScatter");
}

void NcclCommunicator::exchange_and_add(const Parted& tensor, Wire wire) {
  check(tensor.whole.dtype() == DType::f32, "[reduce_scatter] expected f32 on a GPU");
  const auto& kernels = device_.kernels<float>();
  const bool narrow = wire == Wire::bf16;
  const int ranks = size();
  const Size count = tensor.count(rank());
  Parted out = tensor;
  if (narrow) {
    out.whole = sent_.take(DType::bf16, tensor.whole.count());
    kernels.to_bf16({.count = out.whole.count(), .x = tensor.whole.ptr(), .y = out.whole.ptr()});
  }
  const Parted in{received_.take(out.whole.dtype(), count * ranks), count};
  const Type type = type_of(out.whole.dtype());
  const Stream stream = kernels::cuda::submitted_stream();
  nccl_->succeed(nccl_->group_start(), "ncclGroupStart");
  for (int r = 0; r < ranks; ++r) {
    nccl_->succeed(nccl_->send(out.part(r).raw(), elements(out.count(r)), type, r, group_, stream), "ncclSend");
    nccl_->succeed(nccl_->receive(in.part(r).raw(), elements(count), type, r, group_, stream), "ncclRecv");
  }
  nccl_->succeed(nccl_->group_end(), "ncclGroupEnd");
  if (count == 0) return;
  Tensor rows = in.whole;
  if (narrow) {
    rows = wide_.take(DType::f32, in.whole.count());
    kernels.from_bf16({.count = rows.count(), .x = in.whole.ptr(), .y = rows.ptr()});
  }
  add_rows(rows, count);
  kernels.combine({.count = count, .beta = 0, .a = rows.ptr(), .y = tensor.part(rank()).ptr()});
}

// Adds the rows of all ranks to the first one, in pairs.
void NcclCommunicator::add_rows(const Tensor& rows, Size count) const {
  const Parted by_rank{rows, count};
  for (int step = 1; step < size(); step *= 2)
    for (int r = 0; r + step < size(); r += 2 * step)
      device_.kernels<float>().combine(
          {.count = count, .a = by_rank.part(r).ptr(), .b = by_rank.part(r + step).ptr(), .y = by_rank.part(r).ptr()});
}

void NcclCommunicator::all_gather(const Parted& tensor) {
  const Type type = type_of(tensor.whole.dtype());
  const Stream stream = kernels::cuda::submitted_stream();
  if (is_even(tensor, size()))
    return nccl_->succeed(
        nccl_->all_gather(tensor.part(rank()).raw(), tensor.whole.raw(), elements(tensor.unit), type, group_, stream),
        "ncclAllGather");
  nccl_->succeed(nccl_->group_start(), "ncclGroupStart");
  for (int r = 0; r < size(); ++r) {
    const Tensor part = tensor.part(r);
    nccl_->succeed(nccl_->broadcast(part.raw(), part.raw(), elements(part.count()), type, r, group_, stream),
                   "ncclBroadcast");
  }
  nccl_->succeed(nccl_->group_end(), "ncclGroupEnd");
}

void NcclCommunicator::all_reduce(const Tensor& sums) {
  nccl_->succeed(nccl_->all_reduce(sums.raw(), sums.raw(), elements(sums.count()), type_of(sums.dtype()), kSum, group_,
                                   kernels::cuda::submitted_stream()),
                 "ncclAllReduce");
}

void NcclCommunicator::broadcast(const Tensor& tensor, int root) {
  nccl_->succeed(nccl_->broadcast(tensor.raw(), tensor.raw(), tensor.bytes(), kUint8, root, group_,
                                  kernels::cuda::submitted_stream()),
                 "ncclBroadcast");
}

}  // namespace dragoman::comm
