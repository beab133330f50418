#pragma once

#include <string>
#include <string_view>
#include <vector>

// Codes and names of languages.
namespace dragoman::text {

// "English" for "en" and "eng", "German (Latn)" for "deu_Latn"; the code itself if it has no name here.
std::string language_name(const std::string& code);

// The code of `known` that a user means: in any case, with - or _ between its parts, and without its region if that
// is not known ("EN-GB" means en). If there is none, the first of the same language ("en" means eng_Latn). Empty if
// there is none either, or if it is longer than codes are.
std::string find_language(std::string_view asked, const std::vector<std::string>& known);
// The same, with all of the same language: "zh" means zho_Hans and zho_Hant.
std::vector<std::string> find_languages(std::string_view asked, const std::vector<std::string>& known);

// As DeepL writes it: "EN".
std::string upper_code(std::string_view code);

}  // namespace dragoman::text
