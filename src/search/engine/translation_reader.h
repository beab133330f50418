#pragma once

#include "search/decode/batch_decoder.h"
#include "search/engine/request_tokens.h"

namespace dragoman::search {

// Reads translations off the finished search for a job: their text, and what else the options ask for. The arguments
// must outlive the reader.
class TranslationReader {
 public:
  TranslationReader(const Job& job, std::span<const std::unique_ptr<Model>> models, const RequestTokens& tokens)
      : job_(job), models_(models), tokens_(tokens) {}

  // A translation, its tokens without EOS and, if they are needed, their bytes of the text.
  struct Candidate {
    Translation translation;
    Tokens ids{};
    std::vector<text::Span> spans{};
  };
  Candidate candidate(const DecodingTask& task, const Finished& finished) const;
  // The translations of a search without those that contain a banned word or, if they are needed, lack a term.
  TranslationResult result(const DecodingTask& task, bool needs_terms) const;

 private:
  void describe(const DecodingTask& task, std::span<const std::int32_t> path, Candidate& candidate) const;
  std::vector<Literal> literals_in(std::span<const std::int32_t> ids) const;
  std::vector<Spelling> copied_words(std::span<const std::int32_t> ids, const Attention& attention,
                                     std::span<const int> source_words) const;
  void explain(const DecodingTask& task, const Finished& finished, const Candidate& best,
               TranslationResult& result) const;
  std::vector<TreeNode> tree_of(const DecodingTask& task, const Finished& finished) const;

  const Job& job_;
  std::span<const std::unique_ptr<Model>> models_;
  const RequestTokens& tokens_;
};

}  // namespace dragoman::search
