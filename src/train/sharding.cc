#include "train/sharding.h"

#include <algorithm>

#include "train/flat.h"

namespace dragoman::train {
namespace {

constexpr Size kLine = 16;  // elements; slices begin on cache lines

Size up_to_line(Size count) { return (count + kLine - 1) / kLine * kLine; }

}  // namespace

Sharding::Sharding(Size count, const Team& team, Size bucket) : count_(count), team_(team) {
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

// The last parameters are the first to have their gradients.
void Sharding::reduce(const Tensor& gradients) const {
  if (team_.comm.size() == 1) return;
  for (auto bucket = buckets_.rbegin(); bucket != buckets_.rend(); ++bucket)
    team_.comm.reduce_scatter(parted(gradients, *bucket), team_.wire, team_.ordered);
}

void Sharding::gather(const Tensor& flat) const {
  if (team_.comm.size() == 1) return;
  for (const Bucket& bucket : buckets_) team_.comm.all_gather(parted(flat, bucket));
}

void Sharding::sum_squares(const Tensor& gradients, const Tensor& sums) const {
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    const comm::Parted slices{slice(gradients, buckets_[b].first, buckets_[b].count), slice_};
    for (int part = team_.first(); part < team_.first() + team_.width(); ++part)
      if (slices.count(part) > 0)
        dragoman::sum_squares(slices.part(part), sums.row_view(static_cast<Size>(b) * team_.parts + part, 1));
  }
}

std::size_t Sharding::whole_bytes(const Tensor& own) const {
  return static_cast<std::size_t>(count_ * size_of(own.dtype()));
}

// Bucket by bucket, so that no rank but the first needs memory for the whole.
std::string Sharding::collect(const Tensor& own) const {
  const Size element = size_of(own.dtype());
  std::string whole(leads() ? whole_bytes(own) : 0, '\0');
  if (team_.comm.size() == 1) {
    own.device().copy_to_host(whole.data(), own.raw(), own.bytes());
    return whole;
  }
  const Buffer room(own.device(), own.dtype(), buckets_.front().count);
  Size local = 0;
  for (const Bucket& bucket : buckets_) {
    const comm::Parted part{slice(room.tensor(), 0, bucket.count), slice_ * team_.width()};
    const Tensor mine = part.part(team_.comm.rank());
    copy(mine, slice(own, local, mine.count()));
    local += mine.count();
    team_.comm.all_gather(part);
    if (leads()) own.device().copy_to_host(whole.data() + bucket.first * element, part.whole.raw(), part.whole.bytes());
  }
  return whole;
}

void Sharding::take(const char* whole, const Tensor& own) const {
  const Size element = size_of(own.dtype());
  for (const Piece& piece : share_.pieces())
    slice(own, piece.local, piece.count).copy_from(whole + piece.first * element);
}

}  // namespace dragoman::train
