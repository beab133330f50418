#pragma once

#include <cstdlib>
#include <exception>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "dragoman/dragoman.h"
#include "search/engine/options.h"
#include "tensor/placement.h"

// What the functions of the C interface have in common: errors, checks of arguments, options.

struct dragoman_options {
  dragoman::search::SearchSettings search;
  dragoman::search::TranslatorSettings translator;
  dragoman::ComputeOptions compute;
  dragoman::Settings settings;

  dragoman_options() {
    search.visit(settings);
    settings("from", search.from, "source language, for a model that has to be told");
    settings("token-scores", search.token_scores, "return the log probability of each token");
    settings("alignment", search.alignment, "return word alignments");
    settings("attention", search.attention, "return attention weights");
    settings("tree", search.tree, "return all hypotheses that were in the beam");
    settings("explain", search.explain, "explain the best translation");
    settings("alternatives", search.alternatives, "likely tokens per place of an explanation",
             dragoman::between(0, dragoman::search::kMostAlternatives));
    translator.visit(settings);
    settings("workers", translator.workers,
             "batches decoded at the same time; 0 means one per thread, or four on a GPU", dragoman::between(0, 1024));
    compute.visit(settings);
  }
  dragoman_options(const dragoman_options&) = delete;
  dragoman_options& operator=(const dragoman_options&) = delete;

  dragoman::TranslatorOptions for_opening() const {
    dragoman::TranslatorOptions options = translator;
    options.device = compute.device;
    options.precision = compute.precision;
    options.threads = compute.threads;
    return options;
  }
};

namespace dragoman::search::c {

// This thread's last error; empty if its last call succeeded.
const char* last_error() noexcept;
void set_error(const char* message) noexcept;
void clear_error() noexcept;

// Runs `body`. If it throws, stores the message as this thread's last error and returns `failed`.
template <class T, class F>
T guarded(T failed, F&& body) noexcept {
  clear_error();
  try {
    return body();
  } catch (const std::exception& error) {
    set_error(error.what());
  } catch (...) {
    set_error("unknown error: the exception is not a std::exception");
  }
  return failed;
}

struct Free {
  void operator()(char* text) const { std::free(text); }
};
using CText = std::unique_ptr<char, Free>;

// A copy in memory of malloc(), which dragoman_free() releases.
CText copy_of(const std::string& text);

std::vector<std::string> texts_of(const char* const* texts, int count, const char* what);

template <class T>
const T& deref(const T* pointer, const char* what) {
  check(pointer != nullptr, "expected {} but got a null pointer", what);
  return *pointer;
}

template <class T>
const T& item(const std::vector<T>& list, int index, const char* what) {
  check(index >= 0 && index < std::ssize(list), "there is no {} {}; there are {}", what, index, list.size());
  return list[static_cast<std::size_t>(index)];
}

// Fills the numbers with a link and returns 0.
int fill_link(const std::vector<AlignmentLink>& links, int index, int* source, int* target);

}  // namespace dragoman::search::c
