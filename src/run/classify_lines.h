#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "search/engine/classifier.h"

namespace dragoman::run {

// The two ends of a stream of classified lines.
struct ClassificationStream {
  // Reads the next line; false at the end. Called on its own thread. If classifying or writing fails while it waits for
  // input, it outlives classify_lines(), so it must own everything it uses.
  std::function<bool(std::string&)> read;
  // Called in order, on the caller's thread; lines count from 1.
  std::function<void(std::uint64_t line, const std::string& text, const search::Prediction&)> write;
  // Called when all lines read so far are written, for instance to flush the output.
  std::function<void()> idle = [] {};
};

// Classifies lines as they arrive and writes the results in the same order. Reads a bounded amount of text ahead, and a
// slow producer gets each result without waiting for further input. Rethrows exceptions of reading, classifying and
// writing.
void classify_lines(const search::ClassifierModel& model, const search::ClassifyingOptions& options,
                    const ClassificationStream& stream);

// {"line", "source", "label", "probability", "probabilities", "truncated"}; label and probability are null for a blank
// line.
nlohmann::ordered_json to_json(std::uint64_t line, const std::string& text, const search::ClassifierModel& model,
                               const search::Prediction& prediction);

}  // namespace dragoman::run
