#pragma once

#include <string>
#include <vector>

#include "base/options.h"
#include "dragoman/precision.h"
#include "tensor/placement.h"

// The speed at which a model translates a text on this machine.
namespace dragoman::run {

struct SpeedOptions {
  std::string input;
  int beam = 4;
  double seconds = 4;
  bool shortlist = true;

  template <class V>
  void visit(V& v) {
    v.section("Speed of a model file");
    v("input", input, "text to translate, one sentence per line; the first 1,000 lines that are not blank");
    v("beam", beam, "beam width", between(1, 1000));
    v("seconds", seconds,
      "least seconds to translate at each precision, in batches and one sentence at a time; batches come eight at a "
      "time",
      between(0.001, 3600));
    v("shortlist", shortlist, "use the model's lexical shortlist, if it contains one");
  }
};

struct TranslationSpeed {
  Precision precision = Precision::f32;
  int batch = 1;            // sentences
  double words = 0;         // of the source, separated by blanks, per second
  double tokens = 0;        // of the translation, per second
  double milliseconds = 0;  // per sentence
};

// Measures the precision of `compute` or, if it is automatic, all that its device has; each in batches and one sentence
// at a time, after a round that is not measured. Shows its progress.
std::vector<TranslationSpeed> measure_translation(const std::string& model, const SpeedOptions& options,
                                                  const ComputeOptions& compute);

// Whether that uses a lexical shortlist: it is wanted, the model has one, and the device is the CPU.
bool uses_shortlist(const std::string& model, const SpeedOptions& options, const ComputeOptions& compute);

}  // namespace dragoman::run
