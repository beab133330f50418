#pragma once

#include <vector>

#include "train/buffer.h"
#include "train/share.h"
#include "train/team.h"

namespace dragoman::train {

// How the ranks divide the flat buffers of a model (ZeRO stage 1, Rajbhandari et al. 2020): gradients are summed so
// that each rank gets the sum of its share, each steps the weights of its share with moments that only it has, and all
// gather the new weights.
//
// A buffer is cut into buckets, each of them into one slice per part of an update, and a rank owns the slices of its
// parts in every bucket. The cuts depend on the number of parts only, so that sums over slices have the same bits on
// any number of ranks.
class Sharding {
 public:
  static constexpr Size kBucket = Size{1} << 22;  // elements

  // Of buffers with `count` elements. `bucket` is the size of a bucket, for tests.
  Sharding(Size count, const Team& team, Size bucket = kBucket);

  // This rank's share.
  const Share& share() const { return share_; }
  const Team& team() const { return team_; }
  comm::Communicator& comm() const { return team_.comm; }

  Size buckets() const { return std::ssize(buckets_); }
  // The bucket of an element.
  Size bucket_of(Size element) const { return element / (slice_ * team_.parts); }
  // This rank's share of a bucket of `gradients` becomes the sum over all ranks.
  void reduce(const Tensor& gradients, Size bucket) const;
  // Every rank gets the shares of all others.
  void gather(const Tensor& flat) const;
  // Bytes that this rank sends to others in both of them.
  std::uint64_t bytes_to_reduce(const Tensor& gradients) const;
  std::uint64_t bytes_to_gather(const Tensor& flat) const;

  // The number of slices of all ranks.
  Size slices() const { return buckets() * team_.parts; }
  // Writes the sum of squares of each slice of the share to its row of `sums`: f64 [slices, 1].
  void sum_squares(const Tensor& gradients, const Tensor& sums) const;

 private:
  struct Bucket {
    Size first = 0, count = 0;
  };

  comm::Parted parted(const Tensor& flat, const Bucket& bucket) const;

  Team team_;
  Size slice_;  // elements; the last ones of a bucket may have fewer
  std::vector<Bucket> buckets_;
  Share share_;
};

}  // namespace dragoman::train
