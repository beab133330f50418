#include "train/sharding.h"

#include <algorithm>

#include "train/flat.h"

namespace dragoman::train {
namespace {

constexpr Size kLine = 16;  // elements; slices begin on cache lines

Size up_to_line(Size count) { return (count + kLine - 1) / kLine * kLine; }

}  // namespace

Sharding::Sharding(Size count, const Team& team, Size bucket) : team_(team) {
  const Size most = team.is_single() ? count : std::min(count, bucket);
  slice_ = up_to_line((most + team.parts - 1) / team.parts);
  for (Size first = 0; first < count; first += slice_ * team.parts)
    buckets_.push_back({first, std::min(slice_ * team.parts, count - first)});
  for (const Bucket& one : buckets_) {
    const Size begin = std::min(team.first() * slice_, one.count);
    const Size end = std::min((team.first() + team.width()) * slice_, one.count);
    share_.add(one.first + begin, end - begin);
  }
}

comm::Parted Sharding::parted(const Tensor& flat, const Bucket& bucket) const {
  return {slice(flat, bucket.first, bucket.count), slice_ * team_.width()};
}

void Sharding::reduce(const Tensor& gradients, Size bucket) const {
  team_.comm.reduce_scatter(parted(gradients, buckets_[static_cast<std::size_t>(bucket)]), team_.wire, team_.ordered);
}

void Sharding::gather(const Tensor& flat) const {
  if (team_.comm.size() == 1) return;
  for (const Bucket& bucket : buckets_) team_.comm.all_gather(parted(flat, bucket));
}

// All but its own share.
std::uint64_t Sharding::bytes_to_reduce(const Tensor& gradients) const {
  const Size element = team_.wire == comm::Wire::bf16 ? size_of(DType::bf16) : size_of(gradients.dtype());
  return static_cast<std::uint64_t>((gradients.count() - share_.count()) * element);
}

// Its share, to each of the others.
std::uint64_t Sharding::bytes_to_gather(const Tensor& flat) const {
  return static_cast<std::uint64_t>(share_.count() * (team_.comm.size() - 1) * size_of(flat.dtype()));
}

void Sharding::sum_squares(const Tensor& gradients, const Tensor& sums) const {
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    const comm::Parted slices{slice(gradients, buckets_[b].first, buckets_[b].count), slice_};
    for (int part = team_.first(); part < team_.first() + team_.width(); ++part)
      if (slices.count(part) > 0)
        dragoman::sum_squares(slices.part(part), sums.row_view(static_cast<Size>(b) * team_.parts + part, 1));
  }
}

}  // namespace dragoman::train
