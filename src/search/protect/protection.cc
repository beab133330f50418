#include "search/protect/protection.h"

#include <algorithm>
#include <set>

#include "search/words.h"
#include "text/unicode.h"

namespace dragoman::search {

bool is_protected(const SearchOptions& options, const store::ModelInfo* model) {
  if (options.sample) return false;
  if (options.protect != Protect::automatic) return options.protect == Protect::on;
  if (model == nullptr) return false;
  const auto entry = model->card.find(kProtectCard);
  return entry != model->card.end() && entry->second == "on";
}

std::vector<LostPart> lost_parts(std::string_view source, std::string_view translation) {
  std::vector<LostPart> lost;
  const std::vector<Copy> copies = find_copies(source);
  for (const Copy& copy : copies) {
    const std::string text(source.substr(copy.span.begin, copy.span.end - copy.span.begin));
    if (!contains_whole(translation, text, copy.ending))
      lost.push_back({.source = text, .target = text, .ending = copy.ending});
  }
  std::ranges::copy(find_lost_numbers(source, translation, copies), std::back_inserter(lost));
  std::set<std::string> sought;
  std::erase_if(lost, [&](const LostPart& part) { return !sought.insert(part.target).second; });
  return lost;
}

bool lacks_less(std::span<const LostPart> now, std::span<const LostPart> before) {
  return now.size() < before.size() && std::all_of(now.begin(), now.end(), [&](const LostPart& part) {
           return std::find(before.begin(), before.end(), part) != before.end();
         });
}

bool is_only_marks(std::string_view text) {
  const std::vector<char32_t> codes = text::code_points(text);
  return count_display_words(text) > 0 && std::none_of(codes.begin(), codes.end(), [](char32_t code) {
           const text::CharClass kind = text::classify(code);
           return kind == text::CharClass::letter || kind == text::CharClass::number;
         });
}

}  // namespace dragoman::search
