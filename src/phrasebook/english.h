#pragma once

#include "phrasebook/grammar.h"

// English inflection and word order.
namespace dragoman::phrasebook::english {

// "a" or "an", depending on the sound of the next word.
const char* indefinite_article(std::string_view next_word);
std::string phrase(const NounPhrase& phrase, bool subject = false);
// The possessive form: the neighbour's, the students'.
std::string possessive(const NounPhrase& phrase);
std::string prepositional(const char* preposition, const NounPhrase& phrase);

// Forms of a verb; only its first word is inflected.
std::string third_person(std::string_view verb);
std::string progressive(const Verb& verb);

std::string statement(const Clause& clause, std::string_view front = {});
// With subject-auxiliary inversion: "Does the man read the book"
std::string question(const Clause& clause);
// The clause without its subject, to follow "who" or a relative pronoun that is the subject.
std::string without_subject(const Clause& clause);
// "read the book", for "to ..." and commands.
std::string infinitive(const Clause& clause);
// "reading the book"
std::string gerund(const Clause& clause);
std::string command(const Clause& clause);

}  // namespace dragoman::phrasebook::english
