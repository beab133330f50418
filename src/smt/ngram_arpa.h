#pragma once

#include <string>

#include "smt/ngram_model.h"
#include "text/vocabulary.h"

// The ARPA format for backoff n-gram models: text, base 10 logarithms, fields separated by tabs.
namespace dragoman::smt {

// Appears whole or not at all.
void write_arpa(const std::string& path, NgramEstimator& estimates, const text::Vocabulary& vocabulary);

struct ArpaModel {
  text::Vocabulary vocabulary;
  NgramModel model;
};

// Plain or gzip. Words are numbered in the order of the file; what is wrong is named with file and line. The shorter
// n-grams at both ends of every n-gram must be there too.
ArpaModel read_arpa(const std::string& path);

}  // namespace dragoman::smt
