#include "phrasebook/english.h"

#include <algorithm>

#include "base/error.h"

namespace dragoman::phrasebook::english {
namespace {

struct PronounForms {
  const char *subject, *object, *possessive;
};
constexpr PronounForms pronouns[] = {
    {"I", "me", "my"},   {"you", "you", "your"}, {"he", "him", "his"},      {"she", "her", "her"},  {"it", "it", "its"},
    {"we", "us", "our"}, {"you", "you", "your"}, {"they", "them", "their"}, {"you", "you", "your"},
};
const PronounForms& forms_of(Person person) { return pronouns[static_cast<int>(person)]; }

bool is_third(Person person) { return person == Person::he || person == Person::she || person == Person::it; }

std::string be_form(Person person, bool past) {
  if (person == Person::i) return past ? "was" : "am";
  if (is_third(person)) return past ? "was" : "is";
  return past ? "were" : "are";
}

// A verb of several words such as "look for": its first word and the rest.
struct PhrasalVerb {
  std::string_view head, rest;
};
PhrasalVerb words_of(std::string_view verb) {
  const std::size_t space = verb.find(' ');
  if (space == std::string_view::npos) return {verb, {}};
  return {verb.substr(0, space), verb.substr(space + 1)};
}

std::string participle(const Verb& verb) { return verb.english_participle; }

// The verbs of a clause: an auxiliary, which inverts and is negated, and the rest. Without an auxiliary, `main` is
// inflected and `base` follows "do".
struct Verbs {
  std::string auxiliary, main, base, particle;
  bool past = false;
};

Verbs modal_verbs(const Clause& clause) {
  const Modal& modal = *clause.modal;
  const PhrasalVerb verb = words_of(clause.verb->english);
  const Person person = clause.subject.english_person;
  const bool past = clause.tense == Tense::past;
  const std::string base(verb.head);
  Verbs verbs;
  verbs.particle = verb.rest;
  verbs.past = past;
  const PhrasalVerb words = words_of(past ? modal.english_past : modal.english);
  if (std::string_view(modal.english).starts_with("be ")) {
    verbs.auxiliary = be_form(person, past);
    verbs.main = join({words_of(modal.english).rest, base});
  } else if (modal.english_auxiliary) {
    verbs.auxiliary = words.head;
    verbs.main = join({words.rest, base});
  } else {
    const char* const form = past ? modal.english_past : is_third(person) ? modal.english_present : modal.english;
    verbs.main = join({form, base});
    verbs.base = join({modal.english, base});
  }
  return verbs;
}

Verbs verbs_of(const Clause& clause) {
  if (clause.modal != nullptr) return modal_verbs(clause);
  const Verb& verb = *clause.verb;
  const Person person = clause.subject.english_person;
  const PhrasalVerb words = words_of(verb.english);
  const bool third = is_third(person), is_be = words.head == "be";
  const std::string has = third ? "has" : "have", base(words.head);
  Verbs verbs;
  verbs.particle = words.rest;
  switch (clause.tense) {
    case Tense::present:
      if (is_be) {
        verbs.auxiliary = be_form(person, false);
      } else {
        verbs.main = third ? third_person(base) : base;
        verbs.base = base;
      }
      break;
    case Tense::past:
      verbs.past = true;
      if (is_be) {
        verbs.auxiliary = be_form(person, true);
      } else {
        verbs.main = verb.english_past;
        verbs.base = base;
      }
      break;
    case Tense::progressive:
      verbs.auxiliary = be_form(person, false);
      verbs.main = progressive(verb);
      break;
    case Tense::since:
      verbs.auxiliary = has;
      verbs.main = (verb.marks & mark::state) != 0 ? participle(verb) : "been " + progressive(verb);
      break;
    case Tense::perfect:
      verbs.auxiliary = has;
      verbs.main = participle(verb);
      break;
    case Tense::pluperfect:
      verbs.auxiliary = "had";
      verbs.main = participle(verb);
      break;
    case Tense::future:
      verbs.auxiliary = "will";
      verbs.main = base;
      break;
    case Tense::passive:
    case Tense::passive_past:
      verbs.auxiliary = be_form(person, clause.tense == Tense::passive_past);
      verbs.main = participle(verb);
      break;
    case Tense::passive_perfect:
      verbs.auxiliary = has;
      verbs.main = "been " + participle(verb);
      break;
  }
  return verbs;
}

// Do-support: adds "do" if a question or negation needs an auxiliary and there is none.
void support(Verbs& verbs, Person person) {
  if (!verbs.auxiliary.empty()) return;
  verbs.auxiliary = verbs.past ? "did" : is_third(person) ? "does" : "do";
  verbs.main = verbs.base;
}

int rank(Slot slot) {
  switch (slot) {
    case Slot::adverb: return 0;
    case Slot::dative_pronoun:
    case Slot::dative: return 1;
    case Slot::accusative_pronoun:
    case Slot::accusative:
    case Slot::predicate: return 2;
    case Slot::recipient:
    case Slot::recipient_pronoun: return 3;
    case Slot::prepositional: return 4;
    case Slot::direction: return 5;
    case Slot::tail: return 6;
    case Slot::manner: return 7;
    case Slot::place: return 8;
    default: return 9;
  }
}

std::string complements(const Clause& clause, std::string_view particle) {
  std::vector<Part> parts = clause.parts;
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return rank(a.slot) < rank(b.slot); });
  std::string text;
  bool placed = !clause.split_pronoun;
  if (placed) text = particle;
  for (const Part& part : parts) {
    if (part.slot == Slot::adverb) continue;
    append(text, part.english);
    if (!placed && part.slot == Slot::accusative_pronoun) {
      append(text, particle);
      placed = true;
    }
  }
  if (!placed) append(text, particle);
  if (clause.polarity == Polarity::not_yet) append(text, "yet");
  if (clause.polarity == Polarity::no_longer) append(text, "anymore");
  return text;
}

std::string adverbs(const Clause& clause) {
  std::string text;
  for (const Part& part : clause.parts)
    if (part.slot == Slot::adverb) append(text, part.english);
  return text;
}

}  // namespace

const char* indefinite_article(std::string_view next) {
  if (next.starts_with("honest") || next.starts_with("hour")) return "an";
  if (next.starts_with("uni") || next.starts_with("use") || next.starts_with("eu")) return "a";
  return std::string_view("aeiou").find(next.front()) != std::string_view::npos ? "an" : "a";
}

std::string phrase(const NounPhrase& phrase, bool subject) {
  if (phrase.is_pronoun()) {
    const PronounForms& forms = forms_of(phrase.english_person);
    return subject ? forms.subject : forms.object;
  }
  if (phrase.noun == nullptr) return phrase.english_name + phrase.english_tail;
  const bool plural = phrase.number == Number::plural;
  const bool article_less = plural || (phrase.noun->kinds & kind::mass) != 0;
  std::string noun;
  if (phrase.adjective != nullptr)
    noun = phrase.degree == Degree::superlative ? phrase.adjective->english_superlative : phrase.adjective->english;
  append(noun, plural ? phrase.noun->english_plural : phrase.noun->english);
  std::string before;
  switch (phrase.determiner) {
    case Determiner::none: break;
    case Determiner::definite: before = "the"; break;
    case Determiner::indefinite: before = article_less ? "" : indefinite_article(noun); break;
    case Determiner::negative: before = article_less ? "any" : indefinite_article(noun); break;
    case Determiner::demonstrative: before = plural ? "these" : "this"; break;
    case Determiner::every: before = "every"; break;
    case Determiner::which: before = "which"; break;
    case Determiner::possessive: before = forms_of(phrase.english_owner).possessive; break;
    case Determiner::count: before = phrase.count->english; break;
    case Determiner::name: before = std::string(phrase.owner_name) + "'s"; break;
  }
  if (!phrase.english_genitive.empty()) before = phrase.english_genitive;
  return join({before, noun}) + phrase.english_tail;
}

std::string possessive(const NounPhrase& owner) {
  std::string text = phrase(owner);
  const bool plain_plural = owner.number == Number::plural && text.ends_with('s');
  return text + (plain_plural ? "'" : "'s");
}

std::string prepositional(const char* preposition, const NounPhrase& noun) {
  return join({preposition == nullptr ? "" : preposition, phrase(noun)});
}

std::string third_person(std::string_view verb) {
  if (verb == "have") return "has";
  std::string form(verb);
  const auto ends = [&](std::string_view end) { return form.ends_with(end); };
  const bool vowel_y = ends("ay") || ends("ey") || ends("oy") || ends("uy");
  if (ends("y") && !vowel_y) return form.replace(form.size() - 1, 1, "ies");
  return form + (ends("s") || ends("sh") || ends("ch") || ends("x") || ends("o") ? "es" : "s");
}

std::string progressive(const Verb& verb) {
  const PhrasalVerb words = words_of(verb.english);
  std::string form(words.head);
  if (form.ends_with("ie")) {
    form.replace(form.size() - 2, 2, "y");
  } else if (form.ends_with("e") && !form.ends_with("ee") && form != "be") {
    form.pop_back();
  } else if ((verb.marks & mark::doubles) != 0) {
    form += form.back();
  }
  return form + "ing";
}

std::string statement(const Clause& clause, std::string_view front) {
  Verbs verbs = verbs_of(clause);
  const bool negated = clause.polarity != Polarity::positive;
  if (negated) support(verbs, clause.subject.english_person);
  if (negated && verbs.auxiliary == "can") {
    return join({front, phrase(clause.subject, true), "cannot", adverbs(clause), verbs.main,
                 complements(clause, verbs.particle)});
  }
  return join({front, phrase(clause.subject, true), verbs.auxiliary, negated ? "not" : "", adverbs(clause), verbs.main,
               complements(clause, verbs.particle)});
}

std::string question(const Clause& clause) {
  Verbs verbs = verbs_of(clause);
  support(verbs, clause.subject.english_person);
  const bool negated = clause.polarity != Polarity::positive;
  return join({verbs.auxiliary, phrase(clause.subject, true), negated ? "not" : "", adverbs(clause), verbs.main,
               complements(clause, verbs.particle)});
}

std::string without_subject(const Clause& clause) {
  Verbs verbs = verbs_of(clause);
  const bool negated = clause.polarity != Polarity::positive;
  if (negated) support(verbs, clause.subject.english_person);
  return join(
      {verbs.auxiliary, negated ? "not" : "", adverbs(clause), verbs.main, complements(clause, verbs.particle)});
}

std::string infinitive(const Clause& clause) {
  const PhrasalVerb words = words_of(clause.verb->english);
  return join({words.head, complements(clause, words.rest)});
}

std::string gerund(const Clause& clause) {
  return join({progressive(*clause.verb), complements(clause, words_of(clause.verb->english).rest)});
}

std::string command(const Clause& clause) {
  return join({clause.polarity == Polarity::positive ? "" : "do not", infinitive(clause)});
}

}  // namespace dragoman::phrasebook::english
