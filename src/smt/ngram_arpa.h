#pragma once

#include <string>

#include "smt/ngram_model.h"
#include "text/vocabulary.h"

// The ARPA format of backoff n-gram models: text with base 10 logarithms in tab-separated fields.
namespace dragoman::smt {

// Atomic: the file is complete or absent.
void write_arpa(const std::string& path, NgramEstimator& estimates, const text::Vocabulary& vocabulary);

struct ArpaModel {
  text::Vocabulary vocabulary;
  NgramModel model;
};

// Reads a plain or gzip file. Words are numbered in file order. Errors name file and line. The two (n-1)-grams at the
// ends of every n-gram must be in the file.
ArpaModel read_arpa(const std::string& path);

}  // namespace dragoman::smt
