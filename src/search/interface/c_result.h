#pragma once

#include <memory>
#include <utility>

#include "search/interface/c_support.h"

// The handles of translators, requests and results.

struct dragoman_translator {
  dragoman::Translator translator;
  std::vector<std::string> languages;

  explicit dragoman_translator(dragoman::Translator opened)
      : translator(std::move(opened)), languages(translator.languages()) {}
};

struct dragoman_request {
  dragoman::Request request;
};

struct dragoman_tree {
  std::vector<dragoman::TreeNode> nodes;
};

struct dragoman_explanation {
  dragoman::Explanation explanation;
  dragoman_tree tree;
};

struct dragoman_result {
  dragoman::TranslationResult result;
  dragoman_tree tree;
  std::vector<dragoman_explanation> explanations;

  explicit dragoman_result(dragoman::TranslationResult found) : result(std::move(found)), tree{std::move(result.tree)} {
    for (dragoman::Explanation& explanation : result.explanations) {
      dragoman_tree own{std::move(explanation.tree)};
      explanations.push_back({std::move(explanation), std::move(own)});
    }
    result.explanations.clear();
  }
};

namespace dragoman::search::c {

// Translates the requests and fills `results`, or throws and leaves them as they are. Returns 0.
int fill_results(const dragoman_translator* translator, const std::vector<Request>& requests,
                 const dragoman_options* options, dragoman_result** results);

}  // namespace dragoman::search::c
