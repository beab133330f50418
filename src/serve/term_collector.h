#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "run/term_list.h"

namespace dragoman::serve {

// Gathers the terms of a glossary or of a request, within limits. A later translation of a source term takes the place
// of an earlier one.
class TermCollector {
 public:
  // Throws HttpError 400 if a term is blank, too long or has control characters, or if there are too many.
  void add(const std::string& source, const std::string& target);
  void add(const run::TermList& terms);
  bool empty() const { return terms_.empty(); }
  std::shared_ptr<const run::TermList> finish() &&;

 private:
  std::vector<run::TermList::Term> terms_;
  std::unordered_map<std::string, std::size_t> places_;  // of the sources in `terms_`
};

}  // namespace dragoman::serve
