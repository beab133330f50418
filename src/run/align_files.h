#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "align/aligner.h"
#include "data/pair_reader.h"

namespace dragoman::run {

struct AlignmentOptions {
  bool tokenize = false, train_tokenize = false;
  std::vector<std::string> train_source, train_target;
  std::string model, save, lexicon, lexicon_text, svg;
  bool posteriors = false, show = false;
  std::int64_t line = 1, lexicon_best = 20, max_words = 400, min_count = 1;
  align::SideOptions source, target;
  align::EmOptions train;
  align::DecodingOptions decode;
  data::ReadingOptions reading;

  template <class V>
  void visit(V& v) {
    v.section("Text");
    v("tokenize", tokenize, "SOURCE and TARGET are plain text: split them into words first");
    v("train-source", train_source, "more source text to learn from, which is not aligned");
    v("train-target", train_target, "translation of train-source, one file per file");
    v("train-tokenize", train_tokenize, "train-source and train-target are plain text: split them into words first");
    v.section("Input and output");
    v("model", model, "align with this model instead of learning one");
    v("save", save, "write the model here");
    v("posteriors", posteriors, "print the posterior probability of each link: 0-0:0.98");
    v("show", show, "print a picture of each pair instead of links");
    v("svg", svg, "draw one pair into this file");
    v("line", line, "svg: the pair on this line, from 1", at_least(1));
    v("lexicon", lexicon, "write the lexicon p(target word | source word) of the links here, in binary");
    v("lexicon-text", lexicon_text, "write the lexicon as text");
    v("lexicon-best", lexicon_best, "translations kept per word in the lexicon", at_least(1));
    v.section("Text");
    v("max-words", max_words, "pairs with more words on a side get no links", between(1, 5000));
    v("min-count", min_count, "rarer words count as one unknown word", at_least(1));
    v.group("source", source);
    v.group("target", target);
    v.section("Models");
    train.visit(v);
    v.section("Links");
    decode.visit(v);
    v.section("Text");
    reading.visit(v);
    v.only_if(
        "train-source train-target train-tokenize min-count source. target. model1 model2 hmm null alpha agree prune",
        [this] { return model.empty(); }, "--model aligns with what was learned before");
    v.only_if(
        "train-tokenize", [this] { return !train_source.empty(); }, "it is for the text of --train-source");
    v.only_if(
        "line", [this] { return !svg.empty(); }, "nothing is drawn (--svg)");
    v.only_if(
        "lexicon-best", [this] { return !lexicon.empty() || !lexicon_text.empty(); },
        "no lexicon is written (--lexicon, --lexicon-text)");
    v.only_if(
        "posteriors", [this] { return !show; }, "--show prints pictures instead of links");
  }
};

// Learns an aligner from two files with a sentence per line (or loads options.model), aligns them, and calls `print`
// with a line per pair: links, links with posteriors, or a picture. Also writes the model, the lexicons and the SVG if
// requested.
void align_files(const AlignmentOptions& options, const std::string& source, const std::string& target,
                 const std::function<void(const std::string& line)>& print);

}  // namespace dragoman::run
