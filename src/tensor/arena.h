#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tensor/device.h"

namespace dragoman {

// A bump allocator for memory that lives for at most one step. reset() frees everything at once; memory released before
// that is reused for requests of the same size class. The same requests in the same order get the same addresses after
// every reset, and after the largest step the arena never allocates from the device again.
class Arena {
 public:
  explicit Arena(const Device& device) : device_(device) {}
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void* allocate(std::size_t bytes);
  // `bytes` as passed to allocate().
  void release(void* memory, std::size_t bytes);
  void reset();
  // Like reset(), and returns the memory to the device.
  void drop();
  // Between these two calls, or until a reset, the arena lists what is allocated.
  void begin_list();
  void end_list() { lists_ = false; }
  // Releases what the list contains, except the memory in `kept`, which stays in the list.
  void release_listed(std::span<const void* const> kept);
  // Maximum number of bytes to allocate from the device; beyond it allocate() throws OutOfMemory.
  void set_limit(std::size_t bytes) { limit_ = bytes; }

  const Device& device() const { return device_; }
  // Increases with every reset; a tensor stores it to detect that its memory has been reused.
  const std::uint32_t& generation() const { return generation_; }
  // Peak number of bytes in use since the arena was created.
  std::size_t peak() const { return peak_; }
  std::size_t reserved() const;

 private:
  struct Block {
    char* memory;
    std::size_t size;
  };
  // Memory in use, of a size class.
  struct Piece {
    void* memory;
    std::size_t size;
  };
  static constexpr std::size_t kAlignment = 256;
  static constexpr int kClasses = 320;

  // Sizes are rounded up to one of eight steps between powers of two, so at most an eighth is wasted.
  static std::size_t class_size(std::size_t bytes);
  static int class_index(std::size_t rounded);
  void add_block(std::size_t at_least);
  void forget();
  void* take(std::size_t size);
  void put_back(const Piece& piece);
  void release_blocks();

  const Device& device_;
  std::vector<Block> blocks_;
  std::size_t used_in_last_ = 0;
  std::size_t taken_ = 0;   // from blocks since the last reset, without what remained at their ends
  std::size_t needed_ = 0;  // the most that a step took from blocks
  std::size_t in_use_ = 0, peak_ = 0;
  std::size_t limit_ = std::numeric_limits<std::size_t>::max();
  std::uint32_t generation_ = 0;
  std::array<std::vector<void*>, kClasses> free_;
  bool lists_ = false;
  std::vector<Piece> listed_;
};

}  // namespace dragoman
