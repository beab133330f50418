#include "comm/host_communicator.h"

#include <array>
#include <bit>
#include <cstring>

namespace dragoman::comm {
namespace {

using kernels::bf16;

constexpr Size kBlock = 512;  // elements that are summed at a time, in the first-level cache
constexpr Size kLine = 64;    // bytes; rounds begin at multiples of it

template <class T>
void load(const char* from, Size count, T* to) {
  std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
}
void load_bf16(const char* from, Size count, float* to) {
  const auto* const values = reinterpret_cast<const bf16*>(from);
  for (Size i = 0; i < count; ++i) to[i] = values[i].value();
}

// The sum over ranks [begin, end) of `count` elements, added in pairs; load_rank(rank, to) reads those of one rank.
template <class T, class Load>
void tree_sum(int begin, int end, Size count, T* to, const Load& load_rank) {
  if (end - begin == 1) return load_rank(begin, to);
  const int middle = begin + static_cast<int>(std::bit_ceil(static_cast<unsigned>(end - begin)) / 2);
  std::array<T, kBlock> right;
  tree_sum(begin, middle, count, to, load_rank);
  tree_sum(middle, end, count, right.data(), load_rank);
  for (Size i = 0; i < count; ++i) to[i] += right[static_cast<std::size_t>(i)];
}

// Elements of one part that fit into `bytes`.
Size room(std::size_t bytes, Size element) { return static_cast<Size>(bytes) / kLine * kLine / element; }

// Elements [begin, end) of a part that take part in a round.
struct Round {
  Size begin = 0, count = 0;

  Round(const Parted& tensor, int rank, Size offset, Size most)
      : begin(std::min(tensor.first(rank) + offset, tensor.first(rank + 1))),
        count(std::min(most, tensor.first(rank + 1) - begin)) {}
};

}  // namespace

char* HostCommunicator::fetch(const Tensor& tensor) {
  if (tensor.device().on_host()) return static_cast<char*>(tensor.raw());
  staged_.resize(tensor.bytes());
  tensor.device().copy_to_host(staged_.data(), tensor.raw(), tensor.bytes());
  return staged_.data();
}

template <class T>
void HostCommunicator::reduce(T* whole, const Parted& tensor, Wire wire) {
  const bool narrow = wire == Wire::bf16 && sizeof(T) == sizeof(float);
  const Size element = narrow ? Size{sizeof(bf16)} : Size{sizeof(T)};
  const Size most = room(outbox().size() / static_cast<std::size_t>(size()), element);
  for (Size offset = 0; offset < tensor.unit; offset += most) {
    char* const out = outbox().data();
    for (int r = 0; r < size(); ++r) {
      const Round round(tensor, r, offset, most);
      char* const to = out + r * most * element;
      if (narrow)
        for (Size i = 0; i < round.count; ++i)
          reinterpret_cast<bf16*>(to)[i] = bf16::from(static_cast<float>(whole[round.begin + i]));
      else
        std::memcpy(to, whole + round.begin, static_cast<std::size_t>(round.count) * sizeof(T));
    }
    deliver(static_cast<std::size_t>(most * element));
    const Round own(tensor, rank(), offset, most);
    for (Size at = 0; at < own.count; at += kBlock) {
      const Size count = std::min(kBlock, own.count - at);
      tree_sum(0, size(), count, whole + own.begin + at, [&](int from, T* to) {
        const char* const sent = inbox(from) + at * element;
        if constexpr (sizeof(T) == sizeof(float))
          if (narrow) return load_bf16(sent, count, to);
        load(sent, count, to);
      });
    }
  }
}

void HostCommunicator::reduce_scatter(const Parted& tensor, Wire wire, bool) {
  char* const whole = fetch(tensor.whole);
  if (tensor.whole.dtype() == DType::f64)
    reduce(reinterpret_cast<double*>(whole), tensor, wire);
  else
    reduce(reinterpret_cast<float*>(whole), tensor, wire);
  if (tensor.whole.device().on_host()) return;
  const Tensor own = tensor.part(rank());
  own.copy_from(whole + tensor.first(rank()) * size_of(own.dtype()));
}

void HostCommunicator::all_gather(const Parted& tensor) {
  const Size element = size_of(tensor.whole.dtype());
  char* const whole = fetch(tensor.whole);
  const Size most = room(outbox().size(), element);
  for (Size offset = 0; offset < tensor.unit; offset += most) {
    const Round own(tensor, rank(), offset, most);
    std::memcpy(outbox().data(), whole + own.begin * element, static_cast<std::size_t>(own.count * element));
    share(static_cast<std::size_t>(std::min(most, tensor.unit - offset) * element));
    for (int r = 0; r < size(); ++r) {
      const Round round(tensor, r, offset, most);
      if (r != rank())
        std::memcpy(whole + round.begin * element, inbox(r), static_cast<std::size_t>(round.count * element));
    }
  }
  if (!tensor.whole.device().on_host()) tensor.whole.copy_from(whole);
}

void HostCommunicator::all_reduce(const Tensor& sums) {
  check(sums.dtype() == DType::f64 && sums.bytes() <= outbox().size(), "[all_reduce] expected a few f64");
  auto* const values = reinterpret_cast<double*>(fetch(sums));
  std::memcpy(outbox().data(), values, sums.bytes());
  share(sums.bytes());
  for (Size at = 0; at < sums.count(); at += kBlock) {
    const Size count = std::min(kBlock, sums.count() - at);
    tree_sum(0, size(), count, values + at,
             [&](int from, double* to) { load(inbox(from) + at * static_cast<Size>(sizeof(double)), count, to); });
  }
  if (!sums.device().on_host()) sums.copy_from(values);
}

void HostCommunicator::broadcast(const Tensor& tensor, int root) {
  char* const whole = fetch(tensor);
  for (std::size_t at = 0; at < tensor.bytes(); at += outbox().size()) {
    const std::size_t count = std::min(outbox().size(), tensor.bytes() - at);
    if (rank() == root) std::memcpy(outbox().data(), whole + at, count);
    share(count);
    if (rank() != root) std::memcpy(whole + at, inbox(root), count);
  }
  if (!tensor.device().on_host()) tensor.copy_from(whole);
}

}  // namespace dragoman::comm
