#include <algorithm>

#include "base/threads.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/lstm_layer.cc"
#include <hwy/foreach_target.h>

#include "kernels/cpu/lstm-inl.h"
#include "kernels/cpu/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE {
namespace {

// The recurrent weights, packed once per layer for the register tiles: column panels of kTileCols columns of a
// [rows, cols] matrix, each contiguous, the last one padded with zeros.
class PackedWeight {
 public:
  // The matrix is stored [rows, cols], or [cols, rows] when `transposed`.
  PackedWeight(Size rows, Size cols, const float* matrix, bool transposed)
      : rows_(rows), panels_((cols + kTileCols - 1) / kTileCols) {
    packed_ = scratch(Scratch::shared, rows * panels_ * kTileCols);
    threads::split(panels_, row_grain(rows * kTileCols), [&](Size begin, Size end) {
      for (Size s = begin; s < end; ++s) {
        float* panel = packed_ + s * rows * kTileCols;
        const Size first = s * kTileCols, count = std::min(kTileCols, cols - first);
        if (transposed)
          transpose(count, rows, matrix + first * rows, rows, 1, panel, kTileCols);
        else
          for (Size r = 0; r < rows; ++r) {
            std::copy_n(matrix + r * cols + first, count, panel + r * kTileCols);
            std::fill(panel + r * kTileCols + count, panel + (r + 1) * kTileCols, 0.0f);
          }
      }
    });
  }

  // The row stride of a product with this matrix.
  Size stride() const { return panels_ * kTileCols; }

  // c[m, stride] = a[m, rows] times the matrix.
  void multiply(Size m, const float* a, Size a_stride, float* c) const {
    for (Size s = 0; s < panels_; ++s)
      multiply_tiles<false>({.m = m,
                             .n = kTileCols,
                             .k = rows_,
                             .a = a,
                             .a_stride = a_stride,
                             .b = packed_ + s * rows_ * kTileCols,
                             .b_stride = kTileCols,
                             .c = c + s * kTileCols,
                             .c_stride = stride()});
  }

 private:
  Size rows_, panels_;
  float* packed_;
};

// The part of a layer that one thread computes: every `pieces`-th sentence of the order, for all steps, so that no step
// waits for another thread. The order is kept, so the sentences still active at a step are a prefix of the share.
struct Share {
  const LstmLayer<float>& a;
  Size piece, pieces;

  Size count(Size among) const { return among > piece ? (among - piece + pieces - 1) / pieces : 0; }
  Size sentences() const { return count(a.sentences); }
  Size active(Size step) const { return count(a.active[step]); }
  Size sentence(Size m) const { return a.order[piece + m * pieces]; }
  Size length(Size s) const { return a.offsets[s + 1] - a.offsets[s]; }
  // The row of sentence s at a step.
  Size row(Size s, Size step) const { return a.reverse ? a.offsets[s + 1] - 1 - step : a.offsets[s] + step; }
  // The states that sentence s had before a step; null for zeros.
  const float* h_before(Size s, Size step) const {
    return step > 0 ? a.h + row(s, step - 1) * a.hidden : a.h_first ? a.h_first + s * a.hidden : nullptr;
  }
  const float* c_before(Size s, Size step) const {
    return step > 0 ? a.c + row(s, step - 1) * a.hidden : a.c_first ? a.c_first + s * a.hidden : nullptr;
  }
};

void copy_or_clear(const float* from, Size count, float* to) {
  if (from)
    std::copy_n(from, count, to);
  else
    std::fill_n(to, count, 0.0f);
}

// Calls f(share) for all shares, on as many threads as the work justifies.
template <class F>
void each_share(const LstmLayer<float>& a, F&& f) {
  const Size rows = a.sentences ? a.offsets[a.sentences] : 0;
  const Size worth = rows * 4 * a.hidden * a.hidden / (4 * kProductGrain);
  const Size pieces = std::clamp<Size>(std::min<Size>(worth, threads::count()), 1, std::max<Size>(a.sentences, 1));
  threads::each(pieces, [&](Size piece) { f(Share{a, piece, pieces}); });
}

void run_forward(const Share& share, const PackedWeight& weight) {
  const LstmLayer<float>& a = share.a;
  const Size hidden = a.hidden;
  float* h = scratch(Scratch::piece, share.sentences() * (hidden + weight.stride()));  // [sentences, hidden]
  float* product = h + share.sentences() * hidden;                                     // [sentences, stride]
  for (Size m = 0; m < share.sentences(); ++m)
    copy_or_clear(share.h_before(share.sentence(m), 0), hidden, h + m * hidden);
  for (Size step = 0; step < a.steps && share.active(step) > 0; ++step) {
    const bool from_zero = step == 0 && !a.h_first;
    if (!from_zero) weight.multiply(share.active(step), h, hidden, product);
    for (Size m = 0; m < share.active(step); ++m) {
      const Size s = share.sentence(m), row = share.row(s, step);
      CellRow{hidden,
              a.gates + row * 4 * hidden,
              from_zero ? nullptr : product + m * weight.stride(),
              share.c_before(s, step),
              a.h + row * hidden,
              a.c + row * hidden}
          .forward();
      std::copy_n(a.h + row * hidden, hidden, h + m * hidden);
    }
  }
  for (Size m = 0; m < share.sentences(); ++m) {
    const Size s = share.sentence(m);
    copy_or_clear(share.h_before(s, share.length(s)), hidden, a.h_last + s * hidden);
    copy_or_clear(share.c_before(s, share.length(s)), hidden, a.c_last + s * hidden);
  }
}

void lstm_layer(const LstmLayer<float>& a) {
  const PackedWeight weight(a.hidden, 4 * a.hidden, a.weight, true);
  each_share(a, [&](const Share& share) { run_forward(share, weight); });
  if (a.beside) lstm_layer(*a.beside);
}

void add_row(Size count, const float* from, float* to) {
  each_vector(0, count, [&](Size d, auto lanes) HWY_ATTR {
    lanes.store(hn::Add(lanes.load(to + d), lanes.load(from + d)), to + d);
  });
}

void put_row(Size count, const float* from, float* to, bool accumulate) {
  if (accumulate)
    add_row(count, from, to);
  else
    std::copy_n(from, count, to);
}

void run_backward(const LstmLayerBackward<float>& b, const Share& share, const PackedWeight& weight) {
  const LstmLayer<float>& a = b.forward;
  const Size hidden = a.hidden, mine = share.sentences(), stride = weight.stride();
  float* dh = scratch(Scratch::piece, mine * (stride + 5 * hidden));  // [sentences, stride]
  float* dc = dh + mine * stride;                                     // [sentences, hidden]
  float* dgates = dc + mine * hidden;                                 // [sentences, 4 hidden]
  for (Size m = 0; m < mine; ++m) {
    const Size at = share.sentence(m) * hidden;
    copy_or_clear(b.dh_last ? b.dh_last + at : nullptr, hidden, dh + m * stride);
    copy_or_clear(b.dc_last ? b.dc_last + at : nullptr, hidden, dc + m * hidden);
  }
  for (Size step = a.steps - 1; step >= 0; --step) {
    for (Size m = 0; m < share.active(step); ++m) {
      const Size s = share.sentence(m), row = share.row(s, step);
      if (b.dh) add_row(hidden, b.dh + row * hidden, dh + m * stride);
      copy_or_clear(share.h_before(s, step), hidden, b.h_before + row * hidden);
      CellRowBackward{hidden,
                      a.gates + row * 4 * hidden,
                      share.c_before(s, step),
                      a.c + row * hidden,
                      dh + m * stride,
                      dc + m * hidden,
                      b.dgates + row * 4 * hidden,
                      dc + m * hidden,
                      false}
          .run();
      std::copy_n(b.dgates + row * 4 * hidden, 4 * hidden, dgates + m * 4 * hidden);
    }
    if (step > 0 || b.dh_first) weight.multiply(share.active(step), dgates, 4 * hidden, dh);
  }
  for (Size m = 0; m < mine; ++m) {
    const Size at = share.sentence(m) * hidden;
    if (b.dh_first) put_row(hidden, dh + m * stride, b.dh_first + at, b.accumulate_dh_first);
    if (b.dc_first) put_row(hidden, dc + m * hidden, b.dc_first + at, b.accumulate_dc_first);
  }
}

void lstm_layer_backward(const LstmLayerBackward<float>& b) {
  const LstmLayer<float>& a = b.forward;
  const PackedWeight weight(4 * a.hidden, a.hidden, a.weight, false);
  each_share(a, [&](const Share& share) { run_backward(b, share, weight); });
  if (b.dweight && a.sentences > 0)
    multiply_in_parallel({.m = 4 * a.hidden,
                          .n = a.hidden,
                          .k = a.offsets[a.sentences],
                          .a = b.dgates,
                          .a_stride = 4 * a.hidden,
                          .transposed_a = true,
                          .b = b.h_before,
                          .b_stride = a.hidden,
                          .c = b.dweight,
                          .c_stride = a.hidden,
                          .beta = 1});
  if (b.beside) lstm_layer_backward(*b.beside);
}

}  // namespace
}  // namespace dragoman::kernels::cpu_filling::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dragoman::kernels::cpu_filling {

HWY_EXPORT(lstm_layer);
HWY_EXPORT(lstm_layer_backward);

void fill_lstm_layer(Kernels<float>& kernels) {
  kernels.lstm_layer = [](const auto& a) { HWY_DYNAMIC_DISPATCH(lstm_layer)(a); };
  kernels.lstm_layer_backward = [](const auto& a) { HWY_DYNAMIC_DISPATCH(lstm_layer_backward)(a); };
}

}  // namespace dragoman::kernels::cpu_filling
#endif
