#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/tokenizer.h"

namespace dragoman::search {

// A time of day in digits: 3:30, 3:30 p.m., 15.30 Uhr, 3 p.m.
struct TimeOfDay {
  text::Span span;  // of its digits; of a full hour, with the word that says it is one
  int hour = 0, minute = 0;
  bool is_certain = false;  // the hour is one of 24; else it may be meant in either half of the day

  // As the language writes it: 15:30, and in English 3:30 p.m.; of full hours, 15 (Uhr) in German and 3 p.m. in
  // English.
  std::string show(std::string_view language) const;
};

// The times of a text, in order.
std::vector<TimeOfDay> find_times(std::string_view text);

// Whether a number is a full hour by the text that follows it: 22 Uhr, 10 p.m.
bool is_hour(std::string_view digits, std::string_view following);

// Whether a translation says the time: minutes in digits or as a half or a quarter, after the hour of 24 or after that
// of 12 with a word for the half of the day. Full hours up to twelve may be words, but not in the other half of the
// day.
bool keeps_time(std::string_view translation, const TimeOfDay& time, std::string_view language);

// What to replace in an English text so that 3 p.m. becomes 15:00, and "3 to 5 p.m." 15:00 to 17:00.
std::vector<std::pair<text::Span, std::string>> to_24_hour_clock(std::string_view text);

}  // namespace dragoman::search
