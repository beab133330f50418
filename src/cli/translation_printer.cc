#include "cli/translation_printer.h"

#include <nlohmann/json.hpp>

#include "align/alignment.h"
#include "base/counted.h"
#include "base/file.h"
#include "run/json_text.h"
#include "run/result_json.h"
#include "run/translation_pictures.h"

namespace dragoman::cli {

TranslationPrinter::TranslationPrinter(const TranslateOptions& options) : options_(options), out_(options.output) {
  if (!options.alignments.empty()) alignments_.emplace(options.alignments);
  if (!options.tree.empty()) tree_.emplace(options.tree);
  if (options.side_by_side.empty()) return;
  using Format = run::SideBySide::Format;
  const bool is_table = options.side_by_side.ends_with(".tsv") || options.side_by_side.ends_with(".tsv.gz");
  pairs_.emplace(is_table ? Format::tsv : Format::text, options.reference);
  side_by_side_.emplace(options.side_by_side);
  side_by_side_->write_lines(pairs_->header());
}

void TranslationPrinter::print(std::uint64_t line, const Request& request, const TranslationResult& result) {
  const std::vector<Translation>& all = result.translations;
  const std::string best = all.empty() ? "" : all.front().text;
  if (options_.json) {
    out_.write(run::to_text(run::to_json(line, request, result)));
  } else if (options_.n_best > 0) {
    for (const Translation& t : all)
      out_.write(fmt::format("{} ||| {} ||| LogProbability= {:.6f} Tokens= {} ||| {:.6f}", line - 1, t.text,
                             t.log_probability, t.tokens.size(), t.score));
  } else {
    out_.write(best);
  }
  if (alignments_) alignments_->write(all.empty() ? "" : align::to_pharaoh(all.front().alignment));
  if (tree_) tree_->write(run::to_text(run::tree_to_json(line, request, result)));
  if (side_by_side_) side_by_side_->write_lines(pairs_->next(request.text, best));
  if (options_.draws() && line == static_cast<std::uint64_t>(options_.line)) drawn_.emplace(request, result);
  lines_ = line;
}

template <class Action>
void TranslationPrinter::for_each_output(Action action) {
  action(out_);
  for (auto* file : {&alignments_, &tree_, &side_by_side_})
    if (*file) action(**file);
}

void TranslationPrinter::flush() {
  for_each_output([](data::LineWriter& output) { output.flush(); });
}

void TranslationPrinter::finish() {
  if (pairs_) pairs_->finish();
  for_each_output([](data::LineWriter& output) { output.complete(); });
  for_each_output([](data::LineWriter& output) { output.commit(); });
  if (!options_.draws()) return;
  check(drawn_.has_value(), "--line {} is to be drawn, but the input has {}", options_.line, counted(lines_, "line"));
  draw(static_cast<std::uint64_t>(options_.line), drawn_->first, drawn_->second);
}

void TranslationPrinter::draw(std::uint64_t line, const Request& request, const TranslationResult& result) const {
  const auto save = [](const std::string& path, const std::string& svg) {
    AtomicFile file(path);
    file.write(svg);
    file.commit();
  };
  if (!options_.tree_svg.empty()) save(options_.tree_svg, run::draw_beam(line, request, result));
  if (!options_.attention_svg.empty()) save(options_.attention_svg, run::draw_attention(line, result));
}

}  // namespace dragoman::cli
