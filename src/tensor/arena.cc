#include "tensor/arena.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace dragoman {

Arena::~Arena() { release_blocks(); }

void Arena::release_blocks() {
  for (const Block& block : blocks_) device_.release(block.memory);
  blocks_.clear();
}

std::size_t Arena::class_size(std::size_t bytes) {
  const std::size_t units = std::max<std::size_t>(1, (bytes + kAlignment - 1) / kAlignment);
  const int shift = std::max(0, static_cast<int>(std::bit_width(units)) - 4);  // keeps four leading bits
  const std::size_t step = std::size_t{1} << shift;
  return (units + step - 1) / step * step * kAlignment;
}

int Arena::class_index(std::size_t rounded) {
  const std::size_t units = rounded / kAlignment;
  const int shift = std::max(0, static_cast<int>(std::bit_width(units)) - 4);
  return 8 * shift + static_cast<int>(units >> shift);
}

void Arena::add_block(std::size_t at_least) {
  constexpr std::size_t kSmallest = std::size_t{1} << 20;
  const std::size_t left = limit_ - std::min(limit_, reserved());
  if (at_least > left)
    throw OutOfMemory(
        fmt::format("[memory] a step needs more than its limit of {} bytes on {}", limit_, device_.name()));
  const std::size_t size = std::min(std::max({at_least, kSmallest, reserved() / 2}), left);
  blocks_.push_back({static_cast<char*>(device_.allocate(size)), size});
  used_in_last_ = 0;
}

void* Arena::take(std::size_t size) {
  std::vector<void*>& free = free_[static_cast<std::size_t>(class_index(size))];
  if (!free.empty()) {
    void* memory = free.back();
    free.pop_back();
    return memory;
  }
  if (blocks_.empty() || used_in_last_ + size > blocks_.back().size) add_block(size);
  void* memory = blocks_.back().memory + used_in_last_;
  used_in_last_ += size;
  taken_ += size;
  return memory;
}

void Arena::put_back(const Piece& piece) {
  in_use_ -= piece.size;
  free_[static_cast<std::size_t>(class_index(piece.size))].push_back(piece.memory);
}

void* Arena::allocate(std::size_t bytes) {
  const std::size_t size = class_size(bytes);
  in_use_ += size;
  peak_ = std::max(peak_, in_use_);
  void* memory = take(size);
  if (lists_) listed_.push_back({memory, size});
  return memory;
}

void Arena::release(void* memory, std::size_t bytes) {
  put_back({memory, class_size(bytes)});
  if (!lists_) return;
  const auto found =
      std::find_if(listed_.rbegin(), listed_.rend(), [&](const Piece& piece) { return piece.memory == memory; });
  if (found != listed_.rend()) listed_.erase(std::next(found).base());
}

void Arena::begin_list() {
  lists_ = true;
  listed_.clear();
}

void Arena::release_listed(std::span<const void* const> kept) {
  std::erase_if(listed_, [&](const Piece& piece) {
    if (std::find(kept.begin(), kept.end(), piece.memory) != kept.end()) return false;
    put_back(piece);
    return true;
  });
}

void Arena::forget() {
  ++generation_;
  in_use_ = 0;
  needed_ = std::max(needed_, taken_);
  taken_ = 0;
  used_in_last_ = 0;
  lists_ = false;
  listed_.clear();
  for (std::vector<void*>& free : free_) free.clear();
}

void Arena::reset() {
  forget();
  if (blocks_.size() <= 1) return;
  // Merge several blocks into one, so that the next step of this size fits into contiguous memory. What remained at the
  // ends of the blocks is not needed.
  release_blocks();
  add_block(needed_);
}

void Arena::drop() {
  forget();
  release_blocks();
}

std::size_t Arena::reserved() const {
  std::size_t total = 0;
  for (const Block& block : blocks_) total += block.size;
  return total;
}

}  // namespace dragoman
