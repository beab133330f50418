// For x86-64 CPUs with AMX: products in f32 by tiles of bf16.
#if defined(__x86_64__) || defined(DRAGOMAN_EMULATED_AMX)  // tests/amx
#include <immintrin.h>

#include "kernels/cpu/amx_tiles.h"
#include "kernels/cpu/split.h"

namespace dragoman::kernels::cpu_filling {
namespace {

constexpr std::int64_t kRows = 2 * kSplitLines;  // of a block; also its columns

// Prefetches a few cache lines at a time.
class Fetcher {
 public:
  explicit Fetcher(const SplitFetch& from) : from_(from) {}

  void fetch(std::int64_t lines) {
    for (; lines > 0 && from_.rows > 0; --lines) {
      _mm_prefetch(from_.at + done_, _MM_HINT_T1);
      done_ += kTileBytes;
      if (done_ < from_.row_bytes) continue;
      done_ = 0;
      from_.at += from_.stride;
      --from_.rows;
    }
  }

 private:
  SplitFetch from_;
  std::int64_t done_ = 0;  // bytes of the row
};

// Registers 4 and 5 times 6 and 7.
void add_products() {
  _tile_dpbf16ps(0, 4, 6);
  _tile_dpbf16ps(1, 4, 7);
  _tile_dpbf16ps(2, 5, 6);
  _tile_dpbf16ps(3, 5, 7);
}

// Blocks of 32 rows by two sets of columns. The result of a block is written while the next one is multiplied.
class Blocks {
 public:
  explicit Blocks(const SplitStripe& s)
      : s_(s),
        set_bytes_(kSplitChunk * s.chunks),
        rows_at_once_((kRows + s.chunks - 1) / s.chunks),
        left_(mask_of(s.cols)),
        right_(mask_of(s.cols - kSplitLines)),
        fetcher_(s.next) {
    const std::int64_t blocks = (s.rows + kRows - 1) / kRows;
    const std::int64_t lines = s.next.rows * ((s.next.row_bytes + kTileBytes - 1) / kTileBytes);
    lines_at_once_ = (lines + blocks * s.chunks - 1) / (blocks * s.chunks);
  }

  void multiply(std::int64_t row) {
    const char* a = s_.a + row / kSplitLines * set_bytes_;
    const char* b = s_.b;
    const std::int64_t set_bytes = set_bytes_, rows = s_.rows - row < kRows ? s_.rows - row : kRows;
    float* const c = s_.c + row * s_.c_stride;
    std::int64_t fetched = 0;
    clear_sums();
    for (std::int64_t chunk = 0; chunk < s_.chunks; ++chunk, a += kSplitChunk, b += kSplitChunk) {
      load_rows(a, set_bytes);
      load_cols(b + 2 * kSplitTile, set_bytes);
      add_products();
      load_cols(b, set_bytes);
      add_products();
      load_cols(b + kSplitTile, set_bytes);
      add_products();
      load_rows(a + kSplitTile, set_bytes);
      add_products();
      load_cols(b, set_bytes);
      add_products();
      load_rows(a + 2 * kSplitTile, set_bytes);
      add_products();
      write(rows_at_once_);
      for (std::int64_t i = 0; i < rows_at_once_ && fetched < rows; ++i, ++fetched) {
        _mm_prefetch(reinterpret_cast<const char*>(c + fetched * s_.c_stride), _MM_HINT_T0);
        _mm_prefetch(reinterpret_cast<const char*>(c + fetched * s_.c_stride + kSplitLines), _MM_HINT_T0);
      }
      fetcher_.fetch(lines_at_once_);
    }
    finish();
    _tile_stored(0, sums_[0], sizeof sums_[0]);
    _tile_stored(1, sums_[0] + kSplitLines, sizeof sums_[0]);
    _tile_stored(2, sums_[kSplitLines], sizeof sums_[0]);
    _tile_stored(3, sums_[kSplitLines] + kSplitLines, sizeof sums_[0]);
    c_ = c, written_ = 0, rows_ = rows;
  }

  // Writes the rest of the last block.
  void finish() { write(kRows); }

 private:
  static __mmask16 mask_of(std::int64_t cols) {
    return static_cast<__mmask16>(cols <= 0 ? 0 : cols >= kSplitLines ? 0xFFFF : (1 << cols) - 1);
  }
  static void load_rows(const char* a, std::int64_t set_bytes) {
    _tile_loadd(4, a, kTileBytes);
    _tile_loadd(5, a + set_bytes, kTileBytes);
  }
  static void load_cols(const char* b, std::int64_t set_bytes) {
    _tile_loadd(6, b, kTileBytes);
    _tile_loadd(7, b + set_bytes, kTileBytes);
  }

  // Writes up to `count` more rows of the last block.
  void write(std::int64_t count) {
    const std::int64_t end = rows_ - written_ < count ? rows_ : written_ + count;
    float* c = c_ + written_ * s_.c_stride;
    for (; written_ < end; ++written_, c += s_.c_stride) {
      __m512 left = _mm512_load_ps(sums_[written_]), right = _mm512_load_ps(sums_[written_] + kSplitLines);
      if (s_.add) {
        left = _mm512_add_ps(left, _mm512_maskz_loadu_ps(left_, c));
        right = _mm512_add_ps(right, _mm512_maskz_loadu_ps(right_, c + kSplitLines));
      }
      _mm512_mask_storeu_ps(c, left_, left);
      _mm512_mask_storeu_ps(c + kSplitLines, right_, right);
    }
  }

  const SplitStripe s_;
  const std::int64_t set_bytes_, rows_at_once_;  // rows that are written, and prefetched, per chunk
  const __mmask16 left_, right_;                 // columns that there are
  Fetcher fetcher_;
  std::int64_t lines_at_once_;
  // The last block.
  alignas(64) float sums_[kRows][kRows];
  float* c_ = nullptr;
  std::int64_t written_ = 0, rows_ = 0;
};

}  // namespace

void multiply_split_amx(const SplitStripe& stripe) {
  configure(kSplitLines, kSplitLines);
  Blocks blocks(stripe);
  for (std::int64_t row = 0; row < stripe.rows; row += kRows) blocks.multiply(row);
  blocks.finish();
  _tile_release();
}

}  // namespace dragoman::kernels::cpu_filling
#endif
