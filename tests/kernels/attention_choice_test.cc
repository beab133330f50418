// Which attention kernel the GPU runs, as a table; it needs no GPU.
#include <gtest/gtest.h>

#include "kernels/cuda/attention/choose_attention.h"

namespace dragoman::kernels::cuda {

// For messages of failed tests.
void PrintTo(AttentionKernel kernel, std::ostream* out);
void PrintTo(AttentionBackwardKernel kernel, std::ostream* out);

void PrintTo(AttentionKernel kernel, std::ostream* out) {
  constexpr const char* names[] = {"few_queries", "wgmma", "tiles", "prefetch", "rows", "general_vectors", "general"};
  *out << names[static_cast<int>(kernel)];
}
void PrintTo(AttentionBackwardKernel kernel, std::ostream* out) {
  constexpr const char* names[] = {"tiles", "prefetch", "rows_and_wide_keys", "rows", "general_vectors", "general"};
  *out << names[static_cast<int>(kernel)];
}

namespace {

constexpr GpuLimits kH200{.multiprocessors = 132, .capability_90 = true, .shared_bytes = 232448};
constexpr GpuLimits kA100{.multiprocessors = 108, .capability_90 = false, .shared_bytes = 166912};
constexpr GpuLimits kRtx4090{.multiprocessors = 128, .capability_90 = false, .shared_bytes = 101376};

// Sentences that have the same number of queries and of keys.
AttentionShape shape(Size sentences, Size queries, Size keys, Size head) {
  return {.sentences = sentences,
          .key_size = head,
          .value_size = head,
          .queries = sentences * queries,
          .keys = sentences * keys,
          .longest_queries = queries,
          .longest = keys};
}
template <class Change>
AttentionShape with(AttentionShape shape, Change change) {
  change(shape);
  return shape;
}
AttentionShape causal(AttentionShape s) { return s.causal = true, s; }
AttentionShape dropping(AttentionShape s) { return s.drops = true, s; }
AttentionShape with_independent_keys(AttentionShape s) { return s.independent_keys = true, s; }
AttentionShape scattered(AttentionShape s) { return s.scattered_keys = true, s; }
AttentionShape weighing(AttentionShape s) { return s.weights = true, s; }
AttentionShape unaligned(AttentionShape s) { return s.vectors = false, s; }
AttentionShape in_f32(AttentionShape s) { return s.half = false, s; }

TEST(AttentionChoice, OfAForwardPassIsThisTable) {
  using enum AttentionKernel;
  const struct {
    const char* what;
    AttentionShape shape;
    AttentionKernel on_h200, on_a100;
  } table[] = {
      {"training, short sentences", shape(100, 30, 30, 64), tiles, tiles},
      {"training with dropout", dropping(shape(100, 30, 30, 64)), tiles, tiles},
      {"long sentences", shape(8, 500, 500, 64), wgmma, tiles},
      {"long sentences, causal", causal(shape(8, 500, 500, 64)), wgmma, tiles},
      {"long sentences with dropout", dropping(shape(8, 500, 500, 64)), tiles, tiles},
      {"128 tokens a sentence", shape(8, 128, 128, 64), wgmma, tiles},
      {"127 queries a sentence", shape(8, 127, 128, 64), tiles, tiles},
      {"127 keys a sentence", shape(8, 128, 127, 64), tiles, tiles},
      {"more sentences than a grid has", shape(65536, 30, 30, 64), rows, rows},
      {"a negative scale", with(shape(8, 30, 30, 64), [](auto& s) { s.positive_scale = false; }), rows, rows},
      {"a step of greedy search", causal(shape(64, 1, 20, 64)), few_queries, few_queries},
      {"a step over a long past", causal(scattered(shape(64, 1, 4000, 64))), few_queries, few_queries},
      {"a beam of 8 over its source", shape(64, 8, 128, 64), few_queries, few_queries},
      {"a beam of 9 over its source", shape(64, 9, 128, 64), tiles, tiles},
      {"a beam of 8 over a source of 129", shape(64, 8, 129, 64), tiles, tiles},
      {"8 queries, causal", causal(shape(64, 8, 20, 64)), tiles, tiles},
      {"8 queries with dropout", dropping(shape(64, 8, 20, 64)), tiles, tiles},
      {"one query, but not in every sentence", with(causal(shape(64, 1, 20, 64)), [](auto& s) { s.queries = 60; }),
       tiles, tiles},
      {"scattered keys of many queries", scattered(shape(64, 30, 30, 64)), rows, rows},
      {"small heads", shape(64, 30, 30, 32), rows, rows},
      {"keys and values of different sizes", with(shape(64, 30, 30, 64), [](auto& s) { s.value_size = 128; }), rows,
       rows},
      {"one head of 512", shape(64, 30, 30, 512), rows, rows},
      {"one head of 520", shape(64, 30, 30, 520), general_vectors, general_vectors},
      {"one head of 2048", shape(64, 30, 30, 2048), general_vectors, general_vectors},
      {"one head of 2056", shape(64, 30, 30, 2056), general, general},
      {"heads of 20", shape(64, 30, 30, 20), general, general},
      {"heads of 0", shape(64, 30, 30, 0), rows, rows},
      {"a step of a recurrent decoder", with_independent_keys(shape(64, 1, 30, 512)), prefetch, prefetch},
      {"the same of heads of 64", with_independent_keys(shape(64, 1, 30, 64)), few_queries, few_queries},
      {"the same with dropout", dropping(with_independent_keys(shape(64, 1, 30, 512))), rows, rows},
      {"the same of scattered keys", scattered(with_independent_keys(shape(64, 1, 30, 512))), rows, rows},
      {"the same with two queries a sentence", with_independent_keys(shape(64, 2, 30, 512)), rows, rows},
      {"the same over 49 keys", with_independent_keys(shape(64, 1, 49, 512)), prefetch, prefetch},
      {"the same over 50 keys", with_independent_keys(shape(64, 1, 50, 512)), rows, rows},
      {"the same over 99 keys that are the values",
       with(with_independent_keys(shape(64, 1, 99, 512)), [](auto& s) { s.values_are_keys = true; }), prefetch,
       prefetch},
      {"the same over 100",
       with(with_independent_keys(shape(64, 1, 100, 512)), [](auto& s) { s.values_are_keys = true; }), rows, rows},
      {"weights asked for", weighing(shape(64, 30, 30, 64)), general_vectors, general_vectors},
      {"weights of a step", weighing(with_independent_keys(shape(64, 1, 30, 512))), general_vectors, general_vectors},
      {"unaligned rows", unaligned(shape(64, 30, 30, 64)), general, general},
      {"unaligned rows of a step", unaligned(with_independent_keys(shape(64, 1, 30, 512))), general, general},
      {"f32", in_f32(shape(64, 30, 30, 64)), general_vectors, general_vectors},
      {"f32, unaligned", in_f32(unaligned(shape(64, 30, 30, 64))), general, general},
      {"f32, heads of 0", in_f32(shape(64, 30, 30, 0)), general, general},
  };
  for (const auto& row : table) {
    EXPECT_EQ(choose_attention(row.shape, kH200), row.on_h200) << row.what;
    EXPECT_EQ(choose_attention(row.shape, kA100), row.on_a100) << row.what;
  }
}

TEST(AttentionChoice, OfABackwardPassIsThisTable) {
  using enum AttentionBackwardKernel;
  const auto queries_only = [](AttentionShape s) { return AttentionBackwardShape{.forward = s, .dk_or_dv = false}; };
  const struct {
    const char* what;
    AttentionBackwardShape shape;
    AttentionBackwardKernel expected;
  } table[] = {
      {"training", {shape(100, 30, 30, 64)}, tiles},
      {"long sentences with dropout", {dropping(shape(8, 500, 500, 64))}, tiles},
      {"weights were asked for", {weighing(shape(100, 30, 30, 64))}, tiles},
      {"scattered keys", {scattered(shape(100, 30, 30, 64))}, rows},
      {"unaligned dout", {.forward = shape(100, 30, 30, 64), .dout_vectors = false}, general},
      {"unaligned gradients", {.forward = shape(100, 30, 30, 64), .gradient_vectors = false}, general_vectors},
      {"small heads", {shape(100, 30, 30, 32)}, rows},
      {"heads of 128", {shape(100, 30, 30, 128)}, rows_and_wide_keys},
      {"keys of 64, values of 128",
       {with(shape(100, 30, 30, 64), [](auto& s) { s.value_size = 128; })},
       rows_and_wide_keys},
      {"heads of 72", {shape(100, 30, 30, 72)}, rows},
      {"heads of 512", {shape(100, 30, 30, 512)}, rows_and_wide_keys},
      {"heads of 576", {shape(100, 30, 30, 576)}, general_vectors},
      {"a sentence of 65535 blocks of keys", {shape(1, 1, 32 * 65535, 512)}, rows_and_wide_keys},
      {"a sentence of 65536 blocks of keys", {shape(1, 1, 32 * 65535 + 1, 512)}, rows},
      {"heads of 20", {shape(100, 30, 30, 20)}, general},
      {"a step of a recurrent decoder", queries_only(with_independent_keys(shape(64, 1, 30, 512))), prefetch},
      {"the same of heads of 64", queries_only(with_independent_keys(shape(64, 1, 30, 64))), tiles},
      {"the same with gradients of keys", {with_independent_keys(shape(64, 1, 30, 512))}, rows_and_wide_keys},
      {"the same without gradients of queries",
       {.forward = with_independent_keys(shape(64, 1, 30, 512)), .dq = false},
       rows_and_wide_keys},
      {"the same over 50 keys", queries_only(with_independent_keys(shape(64, 1, 50, 512))), rows_and_wide_keys},
      {"f32", {in_f32(shape(100, 30, 30, 64))}, general_vectors},
      {"f32, unaligned", {in_f32(unaligned(shape(100, 30, 30, 64)))}, general},
  };
  for (const auto& row : table) EXPECT_EQ(choose_attention_backward(row.shape, kH200), row.expected) << row.what;
}

TEST(AttentionChoice, LeavesOutKernelsForWhichAGpuHasTooLittleSharedMemory) {
  EXPECT_EQ(choose_attention(with_independent_keys(shape(64, 1, 30, 512)), kRtx4090), AttentionKernel::rows);
  EXPECT_EQ(choose_attention_backward({shape(100, 30, 30, 512)}, kA100), AttentionBackwardKernel::rows_and_wide_keys);
  EXPECT_EQ(choose_attention_backward({shape(100, 30, 30, 512)}, kRtx4090), AttentionBackwardKernel::rows);
}

TEST(AttentionChoice, SeesInArgumentsWhatItDependsOn) {
  alignas(16) bf16 numbers[64];
  bf16* const odd = numbers + 1;
  std::int32_t rows[1];
  Attention<bf16> a{.sentences = 3, .key_size = 64, .value_size = 128, .queries = 5, .keys = 7};
  a.longest_queries = 2, a.longest = 4, a.scale = 0.5;
  a.q = a.k = a.v = a.out = numbers, a.q_stride = a.k_stride = 64, a.v_stride = 128;
  const AttentionShape plain = shape_of(a);
  EXPECT_TRUE(plain.half && plain.vectors && plain.positive_scale);
  EXPECT_FALSE(plain.causal || plain.drops || plain.scattered_keys || plain.values_are_keys || plain.weights ||
               plain.independent_keys);
  EXPECT_EQ(plain.sentences * 1000 + plain.queries * 100 + plain.keys * 10 + plain.longest, 3574);
  EXPECT_EQ(plain.longest_queries, 2);
  EXPECT_EQ(plain.key_size, 64);
  EXPECT_EQ(plain.value_size, 128);
  const auto changed = [&](auto change) {
    Attention<bf16> other = a;
    change(other);
    return shape_of(other);
  };
  EXPECT_TRUE(changed([](auto& x) { x.causal = true; }).causal);
  EXPECT_TRUE(changed([](auto& x) { x.dropout.rate = 0.1; }).drops);
  EXPECT_TRUE(changed([](auto& x) { x.independent_keys = true; }).independent_keys);
  EXPECT_TRUE(changed([](auto& x) { x.values_are_keys = true; }).values_are_keys);
  EXPECT_TRUE(changed([&](auto& x) { x.key_rows = rows; }).scattered_keys);
  EXPECT_TRUE(changed([&](auto& x) { x.weights = numbers; }).weights);
  EXPECT_FALSE(changed([](auto& x) { x.scale = -1; }).positive_scale);
  EXPECT_FALSE(changed([](auto& x) { x.q_stride = 65; }).vectors);
  EXPECT_FALSE(changed([](auto& x) { x.k_stride = 68; }).vectors);
  EXPECT_FALSE(changed([](auto& x) { x.v_stride = 130; }).vectors);
  EXPECT_FALSE(changed([&](auto& x) { x.q = odd; }).vectors);
  EXPECT_FALSE(changed([&](auto& x) { x.k = odd; }).vectors);
  EXPECT_FALSE(changed([&](auto& x) { x.v = odd; }).vectors);
  EXPECT_FALSE(changed([&](auto& x) { x.out = odd; }).vectors);
  EXPECT_FALSE(shape_of(Attention<float>{}).half);

  AttentionBackward<bf16> b{.forward = a, .dout = odd, .dq = odd, .dq_stride = 64};
  EXPECT_FALSE(shape_of(b).dout_vectors || shape_of(b).gradient_vectors || shape_of(b).dk_or_dv);
  EXPECT_TRUE(shape_of(b).dq);
  b.dout = b.dq = b.dv = numbers, b.dv_stride = 64;
  EXPECT_TRUE(shape_of(b).dout_vectors && shape_of(b).gradient_vectors && shape_of(b).dk_or_dv);
  b.dv_stride = 68;
  EXPECT_FALSE(shape_of(b).gradient_vectors);
}

TEST(ProjectLengthChoice, IsTensorCoresWhereRowsAreWholeTiles) {
  alignas(16) bf16 numbers[64];
  ProjectLength<bf16> a{.sentences = 3, .mixtures = 32, .size = 512, .longest = 100, .length = 256};
  a.projections[0] = a.x = a.y[0] = numbers, a.x_stride = 512;
  const auto choice = [&](auto change) {
    ProjectLength<bf16> other = a;
    change(other);
    return choose_project_length(other);
  };
  using enum ProjectLengthKernel;
  EXPECT_EQ(choice([](auto&) {}), tiles);
  EXPECT_EQ(choice([](auto& x) { x.size = 500; }), general);
  EXPECT_EQ(choice([](auto& x) { x.length = 250; }), general);
  EXPECT_EQ(choice([](auto& x) { x.x_stride = 516; }), general);
  EXPECT_EQ(choice([&](auto& x) { x.x = numbers + 1; }), general);
  EXPECT_EQ(choice([&](auto& x) { x.y[1] = numbers + 1; }), general);
  EXPECT_EQ(choice([&](auto& x) { x.projections[1] = numbers + 1; }), general);
  EXPECT_EQ(choose_project_length(ProjectLength<float>{.size = 512, .length = 256}), general);

  ProjectLengthBackward<bf16> b{.forward = a};
  EXPECT_EQ(choose_project_length(b), general) << "there is no gradient";
  b.dy[1] = numbers;
  EXPECT_EQ(choose_project_length(b), tiles);
  b.dx = numbers, b.dx_stride = 516;
  EXPECT_EQ(choose_project_length(b), general);
}

}  // namespace
}  // namespace dragoman::kernels::cuda
