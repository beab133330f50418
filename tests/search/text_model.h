#pragma once

#include <string>

#include "search/engine/model.h"
#include "store/model_file.h"
#include "tests/search/toy.h"
#include "text/build.h"

// A model file with random weights over a small vocabulary.
namespace dragoman::search::test {

inline std::string words_tokenizer(const std::vector<std::string>& lines) {
  std::size_t next = 0;
  return text::build_words(
             [&](std::string& line) {
               if (next == lines.size()) return false;
               line = lines[next++];
               return true;
             },
             {}, {})
      ->serialize();
}

// Subwords and all bytes: characters other than these letters are spelled in bytes.
inline std::string bytes_tokenizer(const std::vector<std::string>& lines) {
  std::size_t next = 0;
  text::SubwordOptions options;
  options.kind = text::SubwordKind::bpe;
  options.size = 300;
  return text::build_subwords(
             [&](std::string& line) {
               if (next == 50 * lines.size()) return false;
               line = lines[next++ % lines.size()];
               return true;
             },
             {}, options)
      ->serialize();
}

inline store::ModelInfo text_model_info(const std::string& preset) {
  store::ModelInfo info;
  info.config = toy_config(preset, 0);
  info.source_tokenizer =
      words_tokenizer({"the red house stands here .", "a blue dog sees you !", "where is it , now ?"});
  info.target_tokenizer =
      words_tokenizer({"das rote haus steht hier .", "ein blauer hund sieht dich !", "wo ist es , jetzt ?"});
  info.config.source_vocabulary = text::deserialize_tokenizer(info.source_tokenizer)->size();
  info.config.target_vocabulary = text::deserialize_tokenizer(info.target_tokenizer)->size();
  return info;
}

// Tests compare bits, so they compute on the host.
inline TranslatorOptions on_cpu() {
  TranslatorOptions options;
  options.device = "cpu";
  return options;
}
inline const Placement kHost{cpu_device(), DType::f32};

inline void write_text_model(const std::string& path, const store::ModelInfo& info, std::uint64_t seed) {
  models::Seq2seq network(info.config);
  network.parameters().allocate(cpu_device(), DType::f32, seed, false);
  store::save_model(path, info, network.parameters());
}
inline void write_text_model(const std::string& path, const std::string& preset, std::uint64_t seed) {
  write_text_model(path, text_model_info(preset), seed);
}

}  // namespace dragoman::search::test
