#pragma once

#include "dragoman/scorer.h"
#include "dragoman/translator.h"
#include "python.h"

// Results as dictionaries, lists and NumPy arrays. Places in texts are counted in characters.
namespace dragoman::python {

// A matrix of float32; shorter rows are filled up with zeros.
py::object matrix(const std::vector<std::vector<float>>& rows);
py::object vector(const std::vector<double>& values);
py::list links(const std::vector<AlignmentLink>& alignment);

py::dict to_python(const Request& request, const TranslationResult& result);
py::dict to_python(const ScoredPair& pair);

}  // namespace dragoman::python
