#include "exchange/refusals.h"

#include "base/error.h"
#include "base/join.h"

namespace dragoman::exchange {

void Refusals::expect_transformer(const models::ModelConfig& config) {
  const bool is_transformer = config.family == models::family_named("transformer");
  expect_named(is_transformer, "model.family", config.family, "transformer");
  if (config.classes > 0) add("it classifies instead of translating");
  if (config.lexical) add("model.lexical is true instead of false");
  if (!is_transformer) return;
  const models::TransformerConfig& t = config.transformer;
  expect_named(t.decoder_past == models::DecoderPast::attention, "model.transformer.decoder-past", t.decoder_past,
               "attention");
  expect(config.attention.linformer == 0, "model.attention.linformer", config.attention.linformer, "0");
}

void Refusals::finish(const std::string& path) const {
  check(reasons_.empty(), "{}: cannot be written as {}: {}", path, format_, join(reasons_, "; "));
}

}  // namespace dragoman::exchange
