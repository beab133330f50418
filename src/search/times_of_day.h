#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace dragoman::search {

// A time of day in digits: 3:30, 3:30 p.m., 15.30 Uhr.
struct TimeOfDay {
  text::Span span;  // of its digits
  int hour = 0, minute = 0;

  // As most languages write it: 15:30.
  std::string show() const;
};

// The times of a text, in order. Hours are those of 24 if the text says which half of the day it means.
std::vector<TimeOfDay> find_times(std::string_view text);

// Whether a number is a full hour by the text that follows it: 22 Uhr, 10 p.m.
bool is_hour(std::string_view digits, std::string_view following);

// Whether a translation says the minutes after the right hour (of 12 or of 24), in digits or as a half or a quarter.
// Full hours have no minutes to lose.
bool keeps_time(std::string_view translation, const TimeOfDay& time);

}  // namespace dragoman::search
