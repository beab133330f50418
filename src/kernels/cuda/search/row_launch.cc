#include <bit>
#include <utility>

#include "kernels/cuda/cuda.h"
#include "kernels/cuda/filling.h"
#include "kernels/cuda/runtime/alignment.h"
#include "kernels/cuda/runtime/tile_map.h"
#include "kernels/cuda/search/row_program.h"
#include "kernels/steps.h"

// The entry `row_program` in bf16: collects consecutive parts into launches of the fused kernel (row_program.cu). A
// part that the kernel does not support runs by its own entry, and the next launch begins after it.
namespace dragoman::kernels::cuda {
namespace {

constexpr Size kTile = 64, kMostRows = 1024, kMostKeys = 256, kMostColumns = RowLaunch::kMostAcross * kTile;

// Whether each query has keys of its own.
bool has_own_keys(const Attention<bf16>& a) { return a.longest_queries == 1 && a.queries == a.sentences; }

ProductPart part_of(const LinearPacked<bf16>& a) {
  return {.bias = a.bias,
          .y = a.y,
          .depth = static_cast<int>(a.in / kTile),
          .across = static_cast<int>(a.out / kTile),
          .relu = a.activation == Activation::relu};
}

NormPart part_of(const Norm<bf16>& a) {
  return {.x = a.x,
          .gain = a.gain,
          .bias = a.bias,
          .sum = a.sum,
          .y = a.y,
          .mean = a.mean,
          .rstd = a.rstd,
          .epsilon = static_cast<float>(a.epsilon)};
}

AttentionPart part_of(const Attention<bf16>& a) {
  return {.q = a.q,
          .k = a.k,
          .v = a.v,
          .q_stride = static_cast<int>(a.q_stride),
          .k_stride = static_cast<int>(a.k_stride),
          .v_stride = static_cast<int>(a.v_stride),
          .by_sentence = !has_own_keys(a),
          .out = a.out,
          .log_sum = a.log_sum,
          .scale = static_cast<float>(a.scale)};
}

// Collects the parts of one launch.
class LaunchBuilder {
 public:
  // add() appends a part, or returns false where the kernel cannot compute it after the parts added so far.

  bool add(const LinearPacked<bf16>& a) {
    if (!supports(a)) return false;
    const bool first = launch_.count == 0;
    if (first ? !can_begin(a) : !can_follow(a)) return false;
    if (first) {
      first_ = a;
      launch_.rows = static_cast<int>(a.rows);
      launch_.across = static_cast<int>(a.in / kTile);
      launch_.x = a.x;
    }
    launch_.weights[layers_++] = tile_map(static_cast<const bf16*>(a.packed), a.out, a.in, a.in);
    if (!first && a.in > kMostColumns) {
      // Both layers of a feed-forward sublayer form one instruction.
      LayerPart& layer = last().layer;
      layer.up = std::exchange(layer.product, part_of(a));
      return true;
    }
    if (!first) last().shared = true;
    Instruction& one = append(false);
    one.layer = {ProductPart{}, part_of(a), NormPart{}};
    return true;
  }

  bool add(const Norm<bf16>& a) {
    if (launch_.count == 0 || a.cols != width() || last().layer.product.relu || a.dropout.rate > 0 ||
        !aligned16(a.x, a.gain, a.bias, a.sum, a.y))
      return false;
    last().layer.norm = part_of(a);
    return true;
  }

  bool add(const Attention<bf16>& a) {
    const bool single = has_own_keys(a);
    if (launch_.count == 0 || is_full() || last().layer.up.y != nullptr || a.heads * kTile != width() ||
        a.q_stride < width() || a.key_size != kTile || a.value_size != kTile || (a.causal && !single) ||
        a.longest == 0 || a.longest > kMostKeys || a.dropout.rate > 0 || a.weights != nullptr || a.k_stride % 8 != 0 ||
        a.v_stride % 8 != 0 || !aligned16(a.k, a.v, a.out))
      return false;
    // The kernel looks up the key ranges of rows once, for all layers.
    KeyPart& keys = single ? launch_.keys : launch_.keys_of_sentences;
    if (keys.offsets != nullptr && (keys.offsets != a.key_offsets || keys.rows != a.key_rows)) return false;
    if (!single && launch_.query_offsets != nullptr && launch_.query_offsets != a.query_offsets) return false;
    keys = {a.key_offsets, a.key_rows};
    if (!single) {
      launch_.query_offsets = a.query_offsets;
      launch_.sentences = static_cast<int>(a.sentences);
    }
    append(true).attention = part_of(a);
    return true;
  }

  // Launches the parts added so far and starts over.
  void run() {
    if (launch_.count == 0) return;
    if (launch_.count == 1 && last().layer.up.y == nullptr && last().layer.norm.y == nullptr)
      half().linear_packed(first_);
    else
      run_row_program(launch_);
    launch_.count = layers_ = 0;
    launch_.keys = launch_.keys_of_sentences = {};
    launch_.query_offsets = nullptr;
  }

 private:
  static bool supports(const LinearPacked<bf16>& a) {
    return a.rows > 0 && a.rows <= kMostRows && a.in > 0 && a.out > 0 && a.in % (2 * kTile) == 0 &&
           a.out % kTile == 0 && (a.activation == Activation::none || a.activation == Activation::relu) &&
           aligned16(a.x, a.packed, a.bias, a.y) && runs_row_programs();
  }
  // The number of blocks in a cluster is two, four or eight: one per tile of the input.
  static bool can_begin(const LinearPacked<bf16>& a) {
    return a.in <= kMostColumns && std::has_single_bit(static_cast<std::size_t>(a.in));
  }
  bool can_follow(const LinearPacked<bf16>& a) const {
    if (is_full()) return false;
    const Instruction& before = launch_.instructions[launch_.count - 1];
    const bool is_second = !before.attends && before.layer.up.y == nullptr && before.layer.norm.y == nullptr &&
                           a.in % (2 * width()) == 0 && a.in <= RowLaunch::kMostTiles * width() && a.out == width();
    // In every exchange each block sends something, so each must own at least one tile.
    return is_second || (a.in <= kMostColumns && a.in >= width());
  }
  bool is_full() const { return launch_.count == RowLaunch::kMostInstructions || layers_ == RowLaunch::kMostLayers; }
  // The number of columns that the blocks hold together, one tile each.
  Size width() const { return launch_.across * kTile; }

  Instruction& last() { return launch_.instructions[launch_.count - 1]; }
  Instruction& append(bool attends) {
    Instruction& one = launch_.instructions[launch_.count++];
    one.attends = attends;
    one.shared = false;
    return one;
  }

  RowLaunch launch_{};
  LinearPacked<bf16> first_{};
  int layers_ = 0;
};

void row_program(const RowProgram<bf16>& a) {
  LaunchBuilder launch;
  for (Size i = 0; i < a.count; ++i) {
    const auto add = [&](const auto& part) { return launch.add(part); };
    if (std::visit(add, a.parts[i])) continue;
    launch.run();
    if (!std::visit(add, a.parts[i])) composed::run_part(half(), a.parts[i]);
  }
  launch.run();
}

}  // namespace

template <>
void fill_row_program(Kernels<float>& kernels) {
  kernels.row_program = [](const auto& a) { composed::row_program(f32(), a); };
}

template <>
void fill_row_program(Kernels<bf16>& kernels) {
  kernels.row_program = row_program;
}

}  // namespace dragoman::kernels::cuda
