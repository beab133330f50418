#include "search/engine/engine.h"

namespace dragoman::search {

Answer& Answer::operator=(Answer&& other) noexcept {
  if (this != &other) {
    drop();
    function_ = std::exchange(other.function_, nullptr);
  }
  return *this;
}

void Answer::give(TranslationResult result) {
  if (const Function function = std::exchange(function_, nullptr)) function(std::move(result), nullptr);
}

void Answer::give(std::exception_ptr error) {
  if (const Function function = std::exchange(function_, nullptr)) function({}, std::move(error));
}

void Answer::drop() {
  if (function_) give(std::make_exception_ptr(Error("the request was dropped before it was translated")));
}

}  // namespace dragoman::search
