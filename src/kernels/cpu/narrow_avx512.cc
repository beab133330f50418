// For x86-64 CPUs with AVX-512: VNNI (int8) and BF16.
#if defined(__x86_64__)
#include <immintrin.h>

#include <array>
#include <utility>

#include "kernels/cpu/narrow.h"

namespace dragoman::kernels::cpu_filling {
namespace {

constexpr int kGroup = 4, kStep = kGroup * kNarrowCols;  // bytes; a step is one vector
constexpr std::int64_t kAhead = 8;                       // steps that panels read once are prefetched ahead

int load_group(const char* bytes) {
  int group;
  __builtin_memcpy(&group, bytes, sizeof group);
  return group;
}

// The part of a block that a tile computes.
struct Result {
  float* c;
  std::int64_t c_stride;
  const float *row_scales, *col_scales;  // int8
  const float* start;
  std::int64_t start_stride;
  __mmask16 started;  // no lanes if there is no start

  [[gnu::always_inline]] Result(const NarrowBlock& p, std::int64_t row, std::int64_t col)
      : c(p.c + row * p.c_stride + col),
        c_stride(p.c_stride),
        row_scales(p.row_scales ? p.row_scales + row : nullptr),
        col_scales(p.col_scales ? p.col_scales + col : nullptr),
        start(p.start ? p.start + row * p.start_stride + col : c),
        start_stride(p.start ? p.start_stride : 0),
        started(p.start ? 0xFFFF : 0) {}
  __m512 start_of(std::int64_t row, std::int64_t col) const {
    return _mm512_maskz_loadu_ps(started, start + row * start_stride + col);
  }
};

// The rows of the left operand. Four share an address, because more addresses would not fit into registers; the
// compiler must not know how the addresses are related.
template <int kRows>
class Rows {
 public:
  Rows(const char* first, std::int64_t stride) : stride_(stride), triple_(3 * stride) {
    for (const char*& address : addresses_) {
      address = first;
      __asm__("" : "+r"(address));
      first += 4 * stride;
    }
    __asm__("" : "+r"(triple_));
  }
  template <std::size_t kRow>
  const char* at() const {
    return addresses_[kRow / 4] + (kRow % 4 == 3 ? triple_ : static_cast<std::int64_t>(kRow % 4) * stride_);
  }
  void next() {
    for (const char*& address : addresses_) address += kGroup;
  }

 private:
  const char* addresses_[(kRows + 3) / 4];
  std::int64_t stride_, triple_;
};

// VPDPBUSD multiplies unsigned by signed bytes, so the left operand is stored plus 128. An additional row of the first
// tile, whose left operand is 128 everywhere, sums what must be subtracted; the sums of later tiles of the same columns
// start from its negative.
struct Int8 {
  using Sum = __m512i;
  static constexpr int kOffsetRows = 1;
  static __m512i broadcast(const char* group) { return _mm512_set1_epi32(load_group(group)); }
  static Sum zero() { return _mm512_setzero_si512(); }
  static __m512i offset() { return _mm512_set1_epi8(-128); }
  static Sum subtract(Sum sum, Sum offset) { return _mm512_sub_epi32(sum, offset); }
  // By hand: around the intrinsic, GCC 12 copies every sum.
  static Sum add(Sum sum, __m512i a, __m512i b) {
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
    return sum;
  }
  static __m512 value(const Result& result, std::int64_t row, std::int64_t col, Sum sum) {
    const __m512 scale =
        _mm512_mul_ps(_mm512_loadu_ps(result.col_scales + col), _mm512_set1_ps(result.row_scales[row]));
    return _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum), scale, result.start_of(row, col));
  }
};

// As Int8; the left operand is stored as it is, and 128 is added here.
struct SignedInt8 : Int8 {
  static __m512i broadcast(const char* group) {
    return _mm512_set1_epi32(load_group(group) ^ static_cast<int>(0x80808080));
  }
};

struct Bf16 {
  using Sum = __m512;
  static constexpr int kOffsetRows = 0;
  static __m512i broadcast(const char* group) { return _mm512_set1_epi32(load_group(group)); }
  static Sum zero() { return _mm512_setzero_ps(); }
  static Sum add(Sum sum, __m512i a, __m512i b) {
#if defined(__clang__)  // clang 16 crashes on the intrinsic of a broadcast
    __asm__("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
    return sum;
#else
    return _mm512_dpbf16_ps(sum, (__m512bh)a, (__m512bh)b);
#endif
  }
  static __m512 value(const Result& result, std::int64_t row, std::int64_t col, Sum sum) {
    return _mm512_add_ps(result.start_of(row, col), sum);
  }
};

// The first values of sums, of each panel.
template <class Format>
struct Starts {
  typename Format::Sum of[4] = {Format::zero(), Format::zero(), Format::zero(), Format::zero()};
};

// The sums of kRows rows, and of the offset row if there is one, by kPanels panels. Loops over them are fold
// expressions (sum i is row i / kPanels, panel i % kPanels), because compilers keep an array in registers only if every
// index is a constant.
template <class Format, int kRows, int kPanels, class Indices>
struct Accumulators;
template <class Format, int kRows, int kPanels, std::size_t... i>
struct Accumulators<Format, kRows, kPanels, std::index_sequence<i...>> {
  using Sum = typename Format::Sum;
  static constexpr std::size_t kOffset = kRows * kPanels;  // where the offset row begins
  Sum sums[sizeof...(i)];

  explicit Accumulators(const Starts<Format>& starts) { ((sums[i] = starts.of[i % kPanels]), ...); }
  void add(const Rows<kRows>& rows, const char* b, std::int64_t panel_bytes) {
    ((sums[i] = Format::add(sums[i], left<i / kPanels>(rows), _mm512_loadu_si512(b + i % kPanels * panel_bytes))), ...);
  }
  // Subtracts the offset row, if there is one, from the other sums, which are stored, and from `starts`.
  void store(const Result& result, Starts<Format>& starts) const {
    (store_sum<i>(result, starts.of[i % kPanels]), ...);
  }

 private:
  template <std::size_t kRow>
  static __m512i left(const Rows<kRows>& rows) {
    if constexpr (kRow < kRows)
      return Format::broadcast(rows.template at<kRow>());
    else
      return Format::offset();
  }
  template <std::size_t kIndex>
  void store_sum(const Result& result, [[maybe_unused]] Sum& start) const {
    if constexpr (kIndex >= kOffset) {
      start = Format::subtract(start, sums[kIndex]);
    } else {
      Sum sum = sums[kIndex];
      if constexpr (sizeof...(i) > kOffset) sum = Format::subtract(sum, sums[kOffset + kIndex % kPanels]);
      constexpr std::int64_t kRow = kIndex / kPanels, kCol = kIndex % kPanels * kNarrowCols;
      _mm512_storeu_ps(result.c + kRow * result.c_stride + kCol, Format::value(result, kRow, kCol, sum));
    }
  }
};

// kRows rows from `row` on times kPanels panels from `col` on, the first rows or later ones. Meanwhile, the panel at
// `next` is prefetched into the L2 cache. If it is null, the first tile is the only one: it prefetches its own panels,
// and those that follow, into the L1 cache. The first tile subtracts the sums of the offset row from `starts`.
template <class Format, int kRows, int kPanels, bool kFirst>
void multiply_tile(const NarrowBlock& p, std::int64_t row, std::int64_t col, const char* next, Starts<Format>& starts) {
  constexpr int kSums = (kRows + (kFirst ? Format::kOffsetRows : 0)) * kPanels;
  Accumulators<Format, kRows, kPanels, std::make_index_sequence<kSums>> tile(starts);
  const std::int64_t panel_bytes = kStep * p.groups;
  Rows<kRows> rows(p.a + row * p.row_stride, p.row_stride);
  const char* b = p.b + col / kNarrowCols * panel_bytes;
  const auto add_next = [&] {
    tile.add(rows, b, panel_bytes);
    rows.next(), b += kStep;
  };
  std::int64_t g = 0;
  if (next) {
    for (; g < p.groups; ++g, next += kStep) _mm_prefetch(next, _MM_HINT_T1), add_next();
  } else if constexpr (kFirst) {
    const auto add_and_prefetch = [&](std::int64_t ahead) {
      for (int panel = 0; panel < kPanels; ++panel) _mm_prefetch(b + panel * panel_bytes + ahead, _MM_HINT_T0);
      add_next();
    };
    for (; g < p.groups - kAhead; ++g) add_and_prefetch(kAhead * kStep);
    for (; g < p.groups; ++g) add_and_prefetch(kAhead * kStep + (kPanels - 1) * panel_bytes);
  } else {
    for (; g < p.groups; ++g) add_next();
  }
  tile.store(Result(p, row, col), starts);
}

// The register file holds the sums of 12 rows by 2 panels or of 4 rows by 4 panels, with their operands.
template <class Format>
using Tile = void (*)(const NarrowBlock&, std::int64_t, std::int64_t, const char*, Starts<Format>&);
template <class Format, int kPanels, bool kFirst, std::size_t... kIndex>
constexpr auto tiles(std::index_sequence<kIndex...>) {
  return std::array<Tile<Format>, sizeof...(kIndex)>{multiply_tile<Format, kIndex + 1, kPanels, kFirst>...};
}

// With several tiles of rows, the first ones prefetch a panel each of the next block of columns.
template <class Format, int kPanels, int kMostRows>
void multiply_panels(const NarrowBlock& p, std::int64_t col) {
  using Heights = std::make_index_sequence<kMostRows>;
  static constexpr auto kFirst = tiles<Format, kPanels, true>(Heights());
  static constexpr auto kLater = tiles<Format, kPanels, false>(Heights());
  const std::int64_t panel_bytes = kStep * p.groups;
  const char* next = p.b + (col / kNarrowCols + kPanels) * panel_bytes;
  int fetched = p.rows > kMostRows ? 0 : kPanels;
  Starts<Format> starts;
  for (std::int64_t row = 0; row < p.rows; row += kMostRows) {
    const std::int64_t left = p.rows - row;
    const auto height = static_cast<std::size_t>((left < kMostRows ? left : kMostRows) - 1);
    (row == 0 ? kFirst : kLater)[height](p, row, col, fetched < kPanels ? next + fetched++ * panel_bytes : nullptr,
                                         starts);
  }
}

template <class Format>
void multiply(const NarrowBlock& p) {
  std::int64_t col = 0;
  if (p.rows <= kFewRows)
    for (; col + 4 * kNarrowCols <= p.cols; col += 4 * kNarrowCols) multiply_panels<Format, 4, kFewRows>(p, col);
  for (; col + 2 * kNarrowCols <= p.cols; col += 2 * kNarrowCols) multiply_panels<Format, 2, 12>(p, col);
  if (col < p.cols) multiply_panels<Format, 1, 12>(p, col);
}

}  // namespace

void multiply_few_rows_avx512(const NarrowBlock& p) {
  std::int64_t col = 0;
  for (; col + 4 * kNarrowCols <= p.cols; col += 4 * kNarrowCols) multiply_panels<SignedInt8, 4, kFewRows>(p, col);
  for (; col < p.cols; col += kNarrowCols) multiply_panels<SignedInt8, 1, kFewRows>(p, col);
}

const NarrowKernel kInt8Avx512 = {.name = "AVX-512 VNNI",
                                  .group = kGroup,
                                  .row_set = 1,
                                  .unit = kGroup,
                                  .padding = 0,
                                  .flip = 0x80,
                                  .multiply = multiply<Int8>};
const NarrowKernel kBf16Avx512 = {.name = "AVX-512 BF16",
                                  .group = kGroup,
                                  .row_set = 1,
                                  .unit = kGroup,
                                  .padding = 0,
                                  .flip = 0,
                                  .multiply = multiply<Bf16>};

}  // namespace dragoman::kernels::cpu_filling
#endif
