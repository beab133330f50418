#pragma once

#include "phrasebook/grammar.h"

// English inflection and word order.
namespace dragoman::phrasebook::english {

// "a" or "an", by how the next word sounds.
const char* indefinite_article(std::string_view next_word);
std::string phrase(const NounPhrase& phrase, bool subject = false);
// The genitive with an apostrophe: the neighbour's, the students'.
std::string possessive(const NounPhrase& phrase);
std::string prepositional(const char* preposition, const NounPhrase& phrase);

// Forms of a verb; only its first word inflects.
std::string third_person(std::string_view verb);
std::string progressive(const Verb& verb);

std::string statement(const Clause& clause, std::string_view front = {});
// Subject and auxiliary change places: "Does the man read the book"
std::string question(const Clause& clause);
// The clause without its subject: after "who", or a relative pronoun that is the subject.
std::string without_subject(const Clause& clause);
// "read the book", for "to ..." and commands.
std::string infinitive(const Clause& clause);
// "reading the book"
std::string gerund(const Clause& clause);
std::string command(const Clause& clause);

}  // namespace dragoman::phrasebook::english
