#include "run/translation_pictures.h"

#include "base/counted.h"
#include "base/error.h"
#include "report/beam_tree.h"
#include "report/word_matrix.h"

namespace dragoman::run {

std::string draw_beam(std::uint64_t line, const Request& request, const TranslationResult& result) {
  check(!result.tree.empty(), "line {} is blank, so there is no beam to draw; choose another --line", line);
  return report::draw_file(report::BeamTree{result.tree, request.text});
}

std::string draw_attention(std::uint64_t line, const TranslationResult& result) {
  check(!result.translations.empty() && !result.source_tokens.empty(),
        "line {} is blank, so there is no attention to draw; choose another --line", line);
  check(result.parts == 1, "line {} was cut into {}, so it has no attention map; choose a shorter line with --line",
        line, counted(result.parts, "part"));
  const Translation& best = result.translations.front();
  std::vector<report::WordMatrix> maps;
  if (!best.attention.empty()) maps.push_back(report::attention_map(best.tokens, result.source_tokens, best.attention));
  if (!best.past_attention.empty()) maps.push_back(report::past_attention_map(best.tokens, best.past_attention));
  check(!maps.empty(), "the model does not attend to single words, so it has no attention map");
  return report::draw_file(maps);
}

}  // namespace dragoman::run
