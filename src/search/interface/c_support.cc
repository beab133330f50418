#include "search/interface/c_support.h"

#include <cstring>
#include <new>

namespace dragoman::search::c {
namespace {

thread_local std::string message_of_last_error;
thread_local bool out_of_memory = false;  // no memory even for an error message

}  // namespace

const char* last_error() noexcept { return out_of_memory ? "out of memory" : message_of_last_error.c_str(); }

void set_error(const char* message) noexcept {
  try {
    message_of_last_error = message;
  } catch (...) {
    out_of_memory = true;
  }
}

void clear_error() noexcept {
  out_of_memory = false;
  message_of_last_error.clear();
}

CText copy_of(const std::string& text) {
  CText copy(static_cast<char*>(std::malloc(text.size() + 1)));
  if (!copy) throw std::bad_alloc();
  std::memcpy(copy.get(), text.c_str(), text.size() + 1);
  return copy;
}

std::vector<std::string> texts_of(const char* const* texts, int count, const char* what) {
  check(count >= 0, "expected a number of {}s but got {}", what, count);
  check(count == 0 || texts != nullptr, "expected an array of {}s but got a null pointer", what);
  std::vector<std::string> copies;
  for (int i = 0; i < count; ++i) {
    check(texts[i] != nullptr, "{} {} of {} is a null pointer", what, i + 1, count);
    copies.emplace_back(texts[i]);
  }
  return copies;
}

int fill_link(const std::vector<AlignmentLink>& links, int index, int* source, int* target) {
  check(source && target, "expected two numbers to fill but got a null pointer");
  const AlignmentLink& found = item(links, index, "link");
  *source = found.source;
  *target = found.target;
  return 0;
}

}  // namespace dragoman::search::c
