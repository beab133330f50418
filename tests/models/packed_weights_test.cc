#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/fillings.h"
#include "tests/models/zoo.h"

// A model that was stored in a narrow format holds its matrices packed and in no other form.
namespace dragoman::models {
namespace {

// Rounds the matrices of a model to a narrow format. Scales of int8 are powers of two, so that rounding the same
// numbers again changes nothing.
void round_matrices(nn::Parameters& parameters, WeightFormat format) {
  for (const nn::Parameters::Entry& entry : parameters.entries()) {
    if (entry.shape.rank() != 2) continue;
    float* values = parameters.weights_of(entry).data<float>();
    for (Size r = 0; r < entry.shape.rows(); ++r, values += entry.shape.cols())
      for (Size c = 0; c < entry.shape.cols(); ++c)
        values[c] = format == WeightFormat::bf16 ? kernels::bf16::from(values[c]).value()
                    : c == 0                     ? kernels::kInt8Steps * 0x1p-9f
                             : std::clamp(std::round(values[c] * 0x1p9f), -127.0f, 127.0f) * 0x1p-9f;
  }
}

// Gives `to` the values of `from`, as a file in this format would.
void give_values(const nn::Parameters& from, nn::Parameters& to, WeightFormat format) {
  to.allocate_packed(cpu_device(), format, [](const nn::Parameters::Entry&) { return true; });
  for (const nn::Parameters::Entry& entry : to.entries()) {
    const Tensor values = from.weights_of(*from.find(entry.name));
    if (!entry.packed_only) {
      to.weights_of(entry).copy_from(values.raw());
      continue;
    }
    if (format == WeightFormat::bf16) {
      std::vector<kernels::bf16> halves(static_cast<std::size_t>(values.count()));
      std::transform(values.data<float>(), values.data<float>() + values.count(), halves.begin(), kernels::bf16::from);
      to.pack_rows(entry, halves.data());
      continue;
    }
    const Size rows = entry.shape.rows(), cols = entry.shape.cols();
    std::vector<std::int8_t> numbers(static_cast<std::size_t>(rows * cols));
    std::vector<float> scales(static_cast<std::size_t>(rows));
    for (Size r = 0; r < rows; ++r)
      scales[static_cast<std::size_t>(r)] =
          kernels::round_to_int8(cols, values.data<float>() + r * cols, numbers.data() + r * cols);
    to.pack_rows(entry, numbers.data(), scales.data());
  }
  to.pack(format);
}

// Everything that search and scoring ask a model for.
std::vector<std::vector<double>> answers(const Seq2seq& model) {
  Workspace workspace(cpu_device());
  Context cx(workspace);
  const Memory memory = model.encode(cx, Packed::from_host(cx, Ids{3, 4, 5, 6, 1, 2}, Ids{0, 4, 6}));
  State state = model.start(cx, memory, false);
  const Ids targets = {2, 7, 3, 2, 5};
  const Tensor features = model.decode(cx, Packed::from_host(cx, targets, Ids{0, 3, 5}), memory, state).features;
  const Tensor labels = cx.from_host<std::int32_t>(targets, {std::ssize(targets)});
  const Best best = model.best_words(cx, features, 3);
  const PickedLayer picked = model.pick_words({1, 4, 9});
  const PickedRows rows{std::ssize(targets), &picked};
  return {model.logits(cx, features).to_host<double>(), best.values.to_host<double>(),
          model.scores_of(cx, features, 4).to_host<double>(),
          model.loss(cx, features, labels, {}).nll.to_host<double>(),
          model.best_words(cx, features, 2, {&rows, 1}).values.to_host<double>()};
}

TEST(PackedOnly, MatricesGiveTheBitsOfPlainAndPackedOnesInEveryModel) {
  for (const WeightFormat format : {WeightFormat::int8, WeightFormat::bf16})
    for (const auto& [name, config] : zoo()) {
      SCOPED_TRACE(name);
      Seq2seq both(config), packed(config);
      both.parameters().allocate(cpu_device(), DType::f32, 6, false);
      round_matrices(both.parameters(), format);
      give_values(both.parameters(), packed.parameters(), format);
      both.parameters().pack(format);
      const auto expected = answers(both), found = answers(packed);
      for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(found[i], expected[i]) << "answer " << i;
    }
}

TEST(PackedOnly, ModelsHoldLittleMoreThanTheirNumbers) {
  ModelConfig config = preset("transformer-small");
  config.source_vocabulary = config.target_vocabulary = 3000;
  Seq2seq both(config), packed(config);
  both.parameters().allocate(cpu_device(), DType::f32, 6, false);
  give_values(both.parameters(), packed.parameters(), WeightFormat::int8);
  both.parameters().pack(WeightFormat::int8);
  std::size_t numbers = 0, tables = 0;
  for (const nn::Parameters::Entry& entry : packed.parameters().entries()) {
    const auto count = static_cast<std::size_t>(entry.shape.count());
    numbers += entry.packed_only ? count : count * sizeof(float);
    EXPECT_EQ(entry.packed_only, entry.shape.rank() == 2) << entry.name;
  }
  tables = 2 * sizeof(float) * static_cast<std::size_t>(config.transformer.max_positions * config.transformer.size);
  EXPECT_LT(static_cast<double>(packed.parameters().bytes()), 1.05 * static_cast<double>(numbers + tables));
  EXPECT_GT(both.parameters().bytes(), 3 * packed.parameters().bytes());
}

// Peak bytes of the arena when a sentence is encoded, and when a translation of it is read.
struct LayerBytes {
  std::size_t encoding, decoding;
};

LayerBytes bytes_of_layers(int encoder, int decoder) {
  ModelConfig config = preset("transformer-small");
  config.source_vocabulary = config.target_vocabulary = 50;
  config.transformer.encoder_layers = encoder;
  config.transformer.decoder_layers = decoder;
  Seq2seq model(config);
  model.parameters().allocate(cpu_device(), DType::f32, 6, false);
  model.parameters().pack();
  Workspace encoding(cpu_device()), decoding(cpu_device());
  Context cx(encoding), reader(decoding);
  const Memory memory = model.encode(cx, Packed::from_host(cx, Ids(100, 7), Ids{0, 100}));
  State state = model.start(reader, memory, false);
  model.decode(reader, Packed::from_host(reader, Ids(100, 8), Ids{0, 100}), memory, state);
  return {encoding.arena.peak(), decoding.arena.peak()};
}

TEST(LayerMemory, DoesNotGrowWithTheLayers) {
  EXPECT_EQ(bytes_of_layers(3, 3).encoding, bytes_of_layers(12, 3).encoding);
  EXPECT_EQ(bytes_of_layers(3, 3).decoding, bytes_of_layers(3, 12).decoding);
}

TEST(NarrowWeights, DecodersKeepKeysAndValuesInBf16) {
  for (const WeightFormat format : {WeightFormat::same, WeightFormat::int8, WeightFormat::bf16}) {
    Seq2seq model(shrunk("transformer-small"));
    model.parameters().allocate(cpu_device(), DType::f32, 6, false);
    model.parameters().pack(format);
    Workspace workspace(cpu_device());
    Context cx(workspace);
    const Memory memory = model.encode(cx, sentences(kSources).packed(cx));
    State state = model.start(cx, memory, true);
    model.decode(cx, sentences({{1}, {1}, {1}}).packed(cx), memory, state);
    const DType expected = format == WeightFormat::same ? DType::f32 : DType::bf16;
    for (const nn::Keys& keys : memory.keys) EXPECT_EQ(keys.keys.of.dtype(), expected);
    int pools = 0;
    for (const Tensor& pool : state.tensors()) {
      if (!pool.defined()) continue;
      EXPECT_EQ(pool.dtype(), expected);
      ++pools;
    }
    EXPECT_EQ(pools, 2) << "one for each layer";
  }
}

// One token at a time, in a batch that another sentence left. Steps and whole sequences sum in different orders, which
// may round a number to its other neighbour.
TEST(NarrowWeights, TokenByTokenGivesNearlyTheLogitsOfTheWholeSequence) {
  for (const WeightFormat format : {WeightFormat::int8, WeightFormat::bf16})
    for (const auto& [name, config] : zoo()) {
      SCOPED_TRACE(name);
      Seq2seq model(config);
      model.parameters().allocate(cpu_device(), DType::f32, 6, false);
      model.parameters().pack(format);
      Workspace first(cpu_device()), joined(cpu_device());
      Context cx(first), keep(joined);
      const Memory all = model.encode(cx, sentences({kSources[0], kSources[1]}).packed(cx));
      State both = model.start(cx, all, true);
      model.decode(cx, sentences({{1, 4}, {1, 7}}).packed(cx), all, both);
      const ActiveSentence second[] = {{&all, &both, 1}};
      Rotation keys(cpu_device()), pools(cpu_device());
      const Memory memory = join_memories(keep, keys, second);
      State state = State::join(keep, pools, second, 4);
      first.reset();
      std::vector<double> steps;
      for (const std::int32_t token : {5, 9, 2}) {
        const Decoded decoded = model.decode(keep, sentences({{token}}).packed(keep), memory, state);
        steps = model.logits(keep, decoded.features).to_host<double>();
      }
      const Memory alone = model.encode(cx, sentences({kSources[1]}).packed(cx));
      State whole = model.start(cx, alone, false);
      const Decoded decoded = model.decode(cx, sentences({{1, 7, 5, 9, 2}}).packed(cx), alone, whole);
      const std::vector<double> logits = model.logits(cx, decoded.features).to_host<double>();
      for (std::size_t i = 0; i < steps.size(); ++i)
        EXPECT_NEAR(steps[i], logits[logits.size() - steps.size() + i], 0.05) << i;
    }
}

TEST(PackedOnly, MatricesRefuseToBeReadAsPlainOnes) {
  Seq2seq model(shrunk("transformer-small"));
  model.parameters().allocate_packed(cpu_device(), WeightFormat::int8, [](const auto&) { return true; });
  const nn::Parameters::Entry& entry = *model.parameters().find("encoder.layers.0.linear1.weight");
  ASSERT_TRUE(entry.packed_only);
  EXPECT_THROW(model.parameters().weights_of(entry), Error);
  EXPECT_THROW(entry.tensor.data<float>(), Error);
  EXPECT_THROW(entry.tensor.row_view(0, 1), Error);
}

}  // namespace
}  // namespace dragoman::models
