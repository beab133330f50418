#pragma once

#include <string>

#include "base/random.h"

// Random pieces of text that a translation copies as they are.
namespace dragoman::data {

// A whole number of one to six digits, at least 2.
std::string random_number(Random& random);
std::string random_url(Random& random);
std::string random_mail_address(Random& random);
std::string random_emoji(Random& random);
// A placeholder, a variable, a hashtag, a file or another word of signs and letters that no language translates.
std::string random_code(Random& random);
// What markup puts before and after a text: the sign of a heading or of a list, stars, tags.
struct Markup {
  std::string before, after;
};
Markup random_markup(Random& random);
// Words of random letters of one script that is not Latin.
std::string random_foreign_words(Random& random);

}  // namespace dragoman::data
