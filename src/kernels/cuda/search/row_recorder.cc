#include "kernels/cuda/search/row_recorder.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/cuda/runtime/runtime.h"
#include "kernels/cuda/runtime/tile_map.h"
#include "kernels/cuda/search/row_program.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr Size kTile = 64;

// A layer, with or without one before it and a norm behind it, or attention.
struct Step {
  LinearPacked<bf16> up{}, layer{};
  Norm<bf16> norm{};
  Attention<bf16> attention{};
  bool has_up = false, has_norm = false, attends = false, shared = false;

  const bf16* source() const { return has_up ? up.x : layer.x; }
  const bf16* result() const { return attends ? attention.out : has_norm ? norm.y : layer.y; }
  Size columns() const { return attends ? attention.heads * kTile : layer.out; }
};

// Parts of memory; what lies between parts that are close counts as well.
class Touched {
 public:
  template <class T>
  void add(const T* from, Size count) {
    const auto begin = reinterpret_cast<std::uintptr_t>(from),
               end = begin + static_cast<std::size_t>(count) * sizeof(T);
    for (auto& [first, last] : ranges_)
      if (begin <= last + kClose && first <= end + kClose) {
        first = std::min(first, begin), last = std::max(last, end);
        return;
      }
    ranges_.emplace_back(begin, end);
  }
  template <class T>
  bool has(const T* from, Size count) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(from),
               end = begin + static_cast<std::size_t>(count) * sizeof(T);
    return std::any_of(ranges_.begin(), ranges_.end(),
                       [&](const auto& one) { return begin < one.second && one.first < end; });
  }
  void clear() { ranges_.clear(); }

 private:
  static constexpr std::uintptr_t kClose = 255;  // arrays begin at multiples of 256
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> ranges_;
};

bool aligned(std::initializer_list<const void*> pointers) {
  return std::all_of(pointers.begin(), pointers.end(),
                     [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; });
}

// Whether each query has keys of its own.
bool goes_alone(const Attention<bf16>& a) { return a.longest_queries == 1 && a.queries == a.sentences; }

// The program of a thread.
class Recorder {
 public:
  // What nobody waited for is nobody's.
  ~Recorder() {
    if (!steps_.empty()) take_back(run_recorded);
  }

  bool take(const LinearPacked<bf16>& a) {
    if (a.rows == 0 || a.rows > kMostRows || a.in == 0 || a.out == 0 || a.in % (2 * kTile) != 0 || a.out % kTile != 0 ||
        (a.activation != Activation::none && a.activation != Activation::relu) ||
        !aligned({a.x, a.packed, a.bias, a.y}) || !runs_row_programs())
      return false;
    const bool follows = continues(a);
    if (!follows) {
      if (take_back(run_recorded)) run();
      // Clusters of two, four or eight blocks.
      if (a.in > kMostColumns || !std::has_single_bit(static_cast<std::size_t>(a.in))) return false;
      across_ = a.in / kTile;
      touched_.add(a.x, a.rows * a.in);
    }
    touched_.add(a.y, a.rows * a.out);
    ++layers_;
    if (follows && a.in > kMostColumns) {
      Step& last = steps_.back();
      last.up = std::exchange(last.layer, a);
      return last.has_up = true;
    }
    if (follows) steps_.back().shared = take_back(run_recorded);
    return add({.layer = a});
  }

  bool take(const Norm<bf16>& a) {
    if (!is_held_back(run_recorded)) return false;
    Step& last = steps_.back();
    const LinearPacked<bf16>& layer = last.layer;
    if (last.attends || last.has_norm || a.branch != layer.y || a.rows != layer.rows || a.cols != layer.out ||
        a.cols != across_ * kTile || layer.activation != Activation::none || a.dropout.rate > 0 ||
        !aligned({a.x, a.gain, a.bias, a.sum, a.y}) || !has_own_rows(a.x))
      return false;
    if (touched_.has(a.sum, a.rows * a.cols) || touched_.has(a.y, a.rows * a.cols) || touched_.has(a.mean, a.rows) ||
        touched_.has(a.rstd, a.rows))
      return false;
    last.norm = a;
    last.has_norm = true;
    touched_.add(a.sum, a.rows * a.cols), touched_.add(a.y, a.rows * a.cols);
    touched_.add(a.mean, a.rows), touched_.add(a.rstd, a.rows);
    return true;
  }

  bool take(const Attention<bf16>& a) {
    if (!is_held_back(run_recorded)) return false;
    const Step& last = steps_.back();
    const bool single = goes_alone(a);
    const auto eights = [](Size stride) { return stride % 8 == 0; };
    if (last.attends || last.has_up || last.has_norm || a.q != last.layer.y || a.q_stride != last.layer.out ||
        a.queries != last.layer.rows || a.heads != across_ || last.layer.out < across_ * kTile || a.key_size != kTile ||
        a.value_size != kTile || (a.causal && !single) || a.longest == 0 || a.longest > kMostKeys ||
        a.dropout.rate > 0 || a.weights != nullptr || !eights(a.k_stride) || !eights(a.v_stride) ||
        !aligned({a.k, a.v, a.out}) || full())
      return false;
    KeyPart& keys = single ? keys_ : keys_of_sentences_;
    if (keys.offsets != nullptr && (keys.offsets != a.key_offsets || keys.rows != a.key_rows)) return false;
    if (!single && query_offsets_ != nullptr && query_offsets_ != a.query_offsets) return false;
    // Which rows there are is only known where they are not chosen one by one.
    if (a.key_rows == nullptr && (touched_.has(a.k, a.keys * a.k_stride) || touched_.has(a.v, a.keys * a.v_stride)))
      return false;
    if (touched_.has(a.out, a.queries * across_ * kTile) || touched_.has(a.log_sum, a.queries * a.heads)) return false;
    touched_.add(a.out, a.queries * across_ * kTile), touched_.add(a.log_sum, a.queries * a.heads);
    keys = {a.key_offsets, a.key_rows};
    if (!single) query_offsets_ = a.query_offsets, sentences_ = a.sentences;
    take_back(run_recorded);
    return add({.attention = a, .attends = true});
  }

  void run() {
    if (steps_.size() == 1 && !steps_[0].has_up && !steps_[0].has_norm)
      run_alone(steps_[0].layer);
    else
      run_row_program(assembled());
    forget();
  }

 private:
  static constexpr Size kMostRows = 1024, kMostKeys = 256, kMostColumns = RowProgram::kMostAcross * kTile;

  static void run_recorded();

  bool add(const Step& step) {
    steps_.push_back(step);
    hold_back(run_recorded);
    return true;
  }
  bool full() const {
    return std::ssize(steps_) == RowProgram::kMostInstructions || layers_ == RowProgram::kMostLayers;
  }
  void forget() {
    steps_.clear();
    touched_.clear();
    keys_ = keys_of_sentences_ = {};
    query_offsets_ = nullptr;
    layers_ = 0;
  }

  // Whether the layer reads what the last step gives, and can follow it.
  bool continues(const LinearPacked<bf16>& a) const {
    if (!is_held_back(run_recorded) || full()) return false;
    const Step& last = steps_.back();
    if (a.x != last.result() || a.rows != rows() || a.in != last.columns() || touched_.has(a.y, a.rows * a.out))
      return false;
    const bool joins = !last.attends && !last.has_up && !last.has_norm && a.in % (2 * across_ * kTile) == 0 &&
                       a.in <= RowProgram::kMostTiles * across_ * kTile && a.out == across_ * kTile;
    // All blocks must have a part of what is shared.
    return joins || (a.in <= kMostColumns && a.in >= across_ * kTile);
  }
  Size rows() const { return steps_[0].layer.rows; }

  // Whether each block reads of it what was there before or what it wrote itself.
  bool has_own_rows(const bf16* x) const {
    return x == steps_[0].source() || !touched_.has(x, rows() * across_ * kTile) ||
           std::any_of(steps_.begin(), steps_.end(),
                       [x](const Step& one) { return one.has_norm && (x == one.norm.sum || x == one.norm.y); });
  }

  static CUtensorMap map_of(const LinearPacked<bf16>& layer) {
    return tile_map(static_cast<const bf16*>(layer.packed), layer.out, layer.in, layer.in);
  }

  const RowProgram& assembled() {
    program_.rows = static_cast<int>(rows());
    program_.across = static_cast<int>(across_);
    program_.count = static_cast<int>(steps_.size());
    program_.x = steps_[0].source();
    program_.keys = keys_;
    program_.keys_of_sentences = keys_of_sentences_;
    program_.query_offsets = query_offsets_;
    program_.sentences = static_cast<int>(sentences_);
    CUtensorMap* weights = program_.weights;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      Instruction& one = program_.instructions[i];
      one.attends = step.attends;
      one.shared = step.shared;
      if (step.attends) {
        one.attention = part_of(step.attention);
      } else {
        one.layer = {step.has_up ? part_of(step.up) : ProductPart{}, part_of(step.layer),
                     step.has_norm ? part_of(step.norm) : NormPart{}};
        if (step.has_up) *weights++ = map_of(step.up);
        *weights++ = map_of(step.layer);
      }
    }
    return program_;
  }
  static ProductPart part_of(const LinearPacked<bf16>& a) {
    return {.bias = a.bias,
            .y = a.y,
            .depth = static_cast<int>(a.in / kTile),
            .across = static_cast<int>(a.out / kTile),
            .relu = a.activation == Activation::relu};
  }
  static NormPart part_of(const Norm<bf16>& a) {
    return {.x = a.x,
            .gain = a.gain,
            .bias = a.bias,
            .sum = a.sum,
            .y = a.y,
            .mean = a.mean,
            .rstd = a.rstd,
            .epsilon = static_cast<float>(a.epsilon)};
  }
  static AttentionPart part_of(const Attention<bf16>& a) {
    return {.q = a.q,
            .k = a.k,
            .v = a.v,
            .q_stride = static_cast<int>(a.q_stride),
            .k_stride = static_cast<int>(a.k_stride),
            .v_stride = static_cast<int>(a.v_stride),
            .by_sentence = !goes_alone(a),
            .out = a.out,
            .log_sum = a.log_sum,
            .scale = static_cast<float>(a.scale)};
  }

  std::vector<Step> steps_;
  Touched touched_;
  KeyPart keys_{}, keys_of_sentences_{};  // all that attend to such must agree
  const std::int32_t* query_offsets_ = nullptr;
  Size sentences_ = 0, across_ = 0;
  int layers_ = 0;
  RowProgram program_{};
};

Recorder& recorder() {
  thread_local Recorder mine;
  return mine;
}

void Recorder::run_recorded() { recorder().run(); }

}  // namespace

bool record(const LinearPacked<bf16>& a) { return recorder().take(a); }
bool record(const Norm<bf16>& a) { return recorder().take(a); }
bool record(const Attention<bf16>& a) { return recorder().take(a); }

}  // namespace dragoman::kernels::cuda
