// Model families and the inputs they reject: too many tokens, and ids outside the vocabulary.
#include <gtest/gtest.h>

#include "models/families.h"
#include "tests/models/zoo.h"

namespace dragoman::models {
namespace {

template <class F>
std::string reason_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Families, AreFoundByName) {
  for (const auto& [id, name] : EnumNames<FamilyId>::list) {
    ModelConfig config;
    Settings(config).set("family", name);
    EXPECT_EQ(config.family, id);
    EXPECT_EQ(family_named(name), id);
    EXPECT_STREQ(family_of(config).name, name);
  }
  EXPECT_NE(reason_of([] { family_named("convolutional"); }).find("no family 'convolutional'"), std::string::npos);
  ModelConfig config;
  const std::string reason = reason_of([&] { Settings(config).set("family", "transfomer"); });
  EXPECT_NE(reason.find("recurrent"), std::string::npos) << reason;
  EXPECT_NE(reason.find("transformer"), std::string::npos) << reason;
}

ModelConfig with_positions(nn::PositionKind kind) {
  ModelConfig config = shrunk("transformer-small");
  config.transformer.positions = kind;
  return config;
}

TEST(Families, KnowHowManyTokensTheyTake) {
  const auto limit = [](const ModelConfig& config) { return family_of(config).max_positions(config); };
  EXPECT_EQ(limit(with_positions(nn::PositionKind::sinusoidal)), 12);
  EXPECT_EQ(limit(with_positions(nn::PositionKind::learned)), 12);
  EXPECT_EQ(limit(with_positions(nn::PositionKind::rotary)), kNoLimit);
  EXPECT_EQ(limit(with_positions(nn::PositionKind::none)), kNoLimit);
  EXPECT_EQ(limit(shrunk("lstm-luong")), kNoLimit);
}

// Appends tokens one at a time until the model throws. Returns the number of accepted tokens and the message
// ("accepted" after 20).
std::pair<int, std::string> append_until_refused(const ModelConfig& config) {
  Seq2seq model(config);
  model.parameters().allocate(cpu_device(), DType::f32, 5, false);
  Workspace workspace(cpu_device());
  Context cx(workspace);
  const Memory memory = model.encode(cx, sentences({{4, 7}, {5}}).packed(cx));
  State state = model.start(cx, memory, true);
  // The second sentence is two tokens ahead.
  model.decode(cx, sentences({{1}, {1, 2, 3}}).packed(cx), memory, state);
  std::string reason = "accepted";
  for (int i = 0; i < 20 && reason == "accepted"; ++i)
    reason = reason_of([&] { model.decode(cx, sentences({{3}, {4}}).packed(cx), memory, state); });
  return {state.lengths()[1], reason};
}

TEST(Positions, OfThePastCountTowardsTheLimit) {
  for (const nn::PositionKind kind : {nn::PositionKind::sinusoidal, nn::PositionKind::learned})
    EXPECT_EQ(append_until_refused(with_positions(kind)),
              std::pair(12, std::string("a sentence of 13 tokens is longer than the model's max-positions 12; split "
                                        "it or train with more")));
  for (const ModelConfig& config : {with_positions(nn::PositionKind::rotary), shrunk("lstm-luong")})
    EXPECT_EQ(append_until_refused(config), std::pair(23, std::string("accepted")));
}

TEST(Positions, OfASourceAreLimited) {
  Seq2seq model(shrunk("transformer-small"));
  model.parameters().allocate(cpu_device(), DType::f32, 5, false);
  Workspace workspace(cpu_device());
  Context cx(workspace);
  EXPECT_NE(reason_of([&] {
              model.encode(cx, sentences({{1}, Ids(13, 4)}).packed(cx));
            }).find("max-positions 12"),
            std::string::npos);
  EXPECT_EQ(reason_of([&] { model.encode(cx, sentences({{1}, Ids(12, 4)}).packed(cx)); }), "accepted");
}

TEST(Ids, OutsideTheVocabularyAreRefusedOnBothSides) {
  for (const char* name : {"transformer-small", "lstm-luong", "seq2seq"}) {
    SCOPED_TRACE(name);
    Seq2seq model(shrunk(name));
    model.parameters().allocate(cpu_device(), DType::f32, 5, false);
    Workspace workspace(cpu_device());
    Context cx(workspace);
    EXPECT_EQ(reason_of([&] {
                model.encode(cx, sentences({{4}, {7, 11}}).packed(cx));
              }),
              "[packed] token id 11 is outside a vocabulary of 11 ids (0 to 10)");
    const Memory memory = model.encode(cx, sentences({{0, 10}}).packed(cx));
    State state = model.start(cx, memory, false);
    EXPECT_EQ(reason_of([&] {
                model.decode(cx, sentences({{1, -3, 5}}).packed(cx), memory, state);
              }),
              "[packed] token id -3 is outside a vocabulary of 13 ids (0 to 12)");
  }
}

}  // namespace
}  // namespace dragoman::models
