#include "phrasebook/german.h"

#include <algorithm>

#include "base/error.h"

namespace dragoman::phrasebook::german {
namespace {

constexpr int row(Gender gender, Number number) { return number == Number::plural ? 3 : static_cast<int>(gender); }
constexpr int column(Case grammatical_case) { return static_cast<int>(grammatical_case); }

// Rows: masculine, feminine, neuter, plural. Columns: nominative, accusative, dative, genitive.
constexpr const char* definite_article[4][4] = {{"der", "den", "dem", "des"},
                                                {"die", "die", "der", "der"},
                                                {"das", "das", "dem", "des"},
                                                {"die", "die", "den", "der"}};
constexpr const char* der_word_ending[4][4] = {
    {"er", "en", "em", "es"}, {"e", "e", "er", "er"}, {"es", "es", "em", "es"}, {"e", "e", "en", "er"}};
constexpr const char* ein_word_ending[4][4] = {
    {"", "en", "em", "es"}, {"e", "e", "er", "er"}, {"", "", "em", "es"}, {"e", "e", "en", "er"}};
constexpr const char* strong_ending[4][4] = {
    {"er", "en", "em", "en"}, {"e", "e", "er", "er"}, {"es", "es", "em", "en"}, {"e", "e", "en", "er"}};
constexpr const char* weak_ending[4][4] = {
    {"e", "en", "en", "en"}, {"e", "e", "en", "en"}, {"e", "e", "en", "en"}, {"en", "en", "en", "en"}};
constexpr const char* mixed_ending[4][4] = {
    {"er", "en", "en", "en"}, {"e", "e", "en", "en"}, {"es", "es", "en", "en"}, {"en", "en", "en", "en"}};
constexpr const char* relative[4][4] = {{"der", "den", "dem", "dessen"},
                                        {"die", "die", "der", "deren"},
                                        {"das", "das", "dem", "dessen"},
                                        {"die", "die", "denen", "deren"}};

struct PronounForms {
  const char* forms[4];
  const char* reflexive;
  const char* possessive;
};
constexpr PronounForms pronouns[] = {
    {{"ich", "mich", "mir", "meiner"}, "mich", "mein"}, {{"du", "dich", "dir", "deiner"}, "dich", "dein"},
    {{"er", "ihn", "ihm", "seiner"}, "sich", "sein"},   {{"sie", "sie", "ihr", "ihrer"}, "sich", "ihr"},
    {{"es", "es", "ihm", "seiner"}, "sich", "sein"},    {{"wir", "uns", "uns", "unser"}, "uns", "unser"},
    {{"ihr", "euch", "euch", "euer"}, "euch", "euer"},  {{"sie", "sie", "ihnen", "ihrer"}, "sich", "ihr"},
    {{"Sie", "Sie", "Ihnen", "Ihrer"}, "sich", "Ihr"},
};
const PronounForms& forms_of(Person person) { return pronouns[static_cast<int>(person)]; }

// The index of a person in a table of ich, du, er, wir, ihr, sie.
int finite_index(Person person) {
  switch (person) {
    case Person::i: return 0;
    case Person::thou: return 1;
    case Person::he:
    case Person::she:
    case Person::it: return 2;
    case Person::we: return 3;
    case Person::ye: return 4;
    default: return 5;
  }
}

const Irregular* irregular(std::string_view infinitive) {
  for (const Irregular& entry : irregulars())
    if (infinitive == entry.infinitive) return &entry;
  return nullptr;
}

std::string stem_of(std::string_view infinitive) {
  return std::string(infinitive.substr(0, infinitive.size() - (infinitive.ends_with("en") ? 2 : 1)));
}

bool needs_e(std::string_view stem) {
  return stem.ends_with("d") || stem.ends_with("t") || stem.ends_with("ffn") || stem.ends_with("chn");
}

bool is_preterite_verb(const Verb& verb) {
  return std::string_view(verb.infinitive) == "sein" || std::string_view(verb.infinitive) == "haben";
}

// The verbs of a clause: the finite verb, its separable prefix, and the verbs at the end of the clause.
struct Verbs {
  std::string finite, prefix, end;
};

std::string auxiliary(const char* infinitive, Person person, bool preterite_form = false) {
  const Irregular* const entry = irregular(infinitive);
  return (preterite_form ? entry->preterite : entry->present)[finite_index(person)];
}

Verbs verbs_of(const Clause& clause) {
  const Verb& verb = *clause.verb;
  const Person person = clause.subject.person;
  const std::string infinitive = std::string(verb.prefix) + verb.infinitive;
  const char* const helper = (verb.marks & mark::sein) != 0 ? "sein" : "haben";
  if (clause.modal != nullptr)
    return {auxiliary(clause.modal->infinitive, person, clause.tense == Tense::past), "", infinitive};
  switch (clause.tense) {
    case Tense::present:
    case Tense::progressive:
    case Tense::since: return {present(verb.infinitive, verb.third, person), verb.prefix, ""};
    case Tense::past:
      if (is_preterite_verb(verb)) return {auxiliary(verb.infinitive, person, true), "", ""};
      return {auxiliary(helper, person), "", verb.participle};
    case Tense::perfect: return {auxiliary(helper, person), "", verb.participle};
    case Tense::future: return {auxiliary("werden", person), "", infinitive};
    case Tense::pluperfect: return {auxiliary(helper, person, true), "", verb.participle};
    case Tense::passive: return {auxiliary("werden", person), "", verb.participle};
    case Tense::passive_past: return {auxiliary("werden", person, true), "", verb.participle};
    case Tense::passive_perfect: return {auxiliary("sein", person), "", std::string(verb.participle) + " worden"};
  }
  fail("[phrasebook] unknown tense {}", static_cast<int>(clause.tense));
}

// The reflexive pronoun if it precedes the subject: after the finite verb or the conjunction, if the subject is not a
// pronoun.
std::string early_reflexive(const Clause& clause) {
  if (clause.subject.is_pronoun() || !clause.has(Slot::reflexive)) return "";
  return reflexive(clause.subject.person);
}

// The words between the verbs, in the order of the slots; `reflexive_done` omits the reflexive pronoun.
std::string middle(const Clause& clause, bool reflexive_done = false) {
  std::vector<Part> parts = clause.parts;
  if (reflexive_done) std::erase_if(parts, [](const Part& part) { return part.slot == Slot::reflexive; });
  if (clause.polarity != Polarity::positive) {
    const bool nicht = clause.german_negated;
    const char* const word = clause.polarity == Polarity::not_yet     ? (nicht ? "noch nicht" : "noch")
                             : clause.polarity == Polarity::no_longer ? (nicht ? "nicht mehr" : "mehr")
                                                                      : (nicht ? "nicht" : "");
    parts.push_back({!nicht && clause.polarity == Polarity::not_yet ? Slot::recipient : Slot::negation, word, ""});
  }
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.slot < b.slot; });
  std::string text;
  for (const Part& part : parts) append(text, part.german);
  return text;
}

std::string noun_part(const NounPhrase& phrase, Case grammatical_case) {
  std::string text = determiner(phrase, grammatical_case);
  if (phrase.adjective != nullptr) {
    const bool superlative = phrase.degree == Degree::superlative;
    const bool bare = phrase.determiner == Determiner::indefinite && (phrase.noun->kinds & kind::mass) != 0;
    const Determiner before = bare ? Determiner::none : phrase.determiner;
    append(text, std::string(superlative ? phrase.adjective->superlative : phrase.adjective->stem) +
                     adjective_ending(before, grammatical_case, phrase.noun->gender, phrase.number));
  }
  append(text, noun(*phrase.noun, grammatical_case, phrase.number));
  append(text, phrase.german_genitive);
  return text;
}

}  // namespace

std::string determiner(const NounPhrase& phrase, Case grammatical_case) {
  const int r = row(phrase.noun->gender, phrase.number), c = column(grammatical_case);
  const bool article_less = phrase.number == Number::plural || (phrase.noun->kinds & kind::mass) != 0;
  switch (phrase.determiner) {
    case Determiner::none: return "";
    case Determiner::definite: return definite_article[r][c];
    case Determiner::indefinite: return article_less ? "" : std::string("ein") + ein_word_ending[r][c];
    case Determiner::negative: return std::string("kein") + ein_word_ending[r][c];
    case Determiner::demonstrative: return std::string("dies") + der_word_ending[r][c];
    case Determiner::every: return std::string("jed") + der_word_ending[r][c];
    case Determiner::which: return std::string("welch") + der_word_ending[r][c];
    case Determiner::possessive: {
      std::string stem = forms_of(phrase.owner).possessive;
      const std::string_view ending = ein_word_ending[r][c];
      if (stem == "euer" && !ending.empty()) stem = "eur";
      return stem.append(ending);
    }
    case Determiner::count: return phrase.count->german;
    case Determiner::name: return std::string(phrase.owner_name) + "s";
  }
  fail("[phrasebook] unknown determiner {}", static_cast<int>(phrase.determiner));
}

const char* adjective_ending(Determiner determiner, Case grammatical_case, Gender gender, Number number) {
  const int r = row(gender, number), c = column(grammatical_case);
  switch (determiner) {
    case Determiner::definite:
    case Determiner::demonstrative:
    case Determiner::every:
    case Determiner::which: return weak_ending[r][c];
    case Determiner::indefinite: return number == Number::plural ? strong_ending[r][c] : mixed_ending[r][c];
    case Determiner::negative:
    case Determiner::possessive: return mixed_ending[r][c];
    default: return strong_ending[r][c];
  }
}

std::string noun(const Noun& noun, Case grammatical_case, Number number) {
  if (number == Number::singular) {
    const bool weak = (noun.kinds & kind::weak) != 0 && grammatical_case != Case::nominative;
    return weak || grammatical_case == Case::genitive ? noun.genitive : noun.singular;
  }
  const std::string_view plural = noun.plural;
  const bool takes_n = grammatical_case == Case::dative && !plural.ends_with('n') && !plural.ends_with('s');
  return std::string(plural) + (takes_n ? "n" : "");
}

std::string phrase(const NounPhrase& phrase, Case grammatical_case) {
  if (phrase.is_pronoun()) return forms_of(phrase.person).forms[column(grammatical_case)];
  if (phrase.noun != nullptr) return noun_part(phrase, grammatical_case) + phrase.german_tail;
  std::string name = phrase.name;
  // "Herr" is itself a weak noun.
  if (grammatical_case != Case::nominative && name.starts_with("Herr ")) name.insert(4, "n");
  return name + phrase.german_tail;
}

const char* reflexive(Person person) { return forms_of(person).reflexive; }

const char* relative_pronoun(Case grammatical_case, Gender gender, Number number) {
  return relative[row(gender, number)][column(grammatical_case)];
}

std::string prepositional(const char* preposition, const NounPhrase& noun, Case grammatical_case, bool place) {
  const std::string text = phrase(noun, grammatical_case);
  if (noun.noun != nullptr && noun.determiner == Determiner::definite && noun.number == Number::singular) {
    struct Contraction {
      std::string_view preposition, article, together;
      bool place_only;
    };
    static constexpr Contraction contractions[] = {
        {"in", "dem ", "im", false},  {"an", "dem ", "am", false},    {"zu", "dem ", "zum", false},
        {"zu", "der ", "zur", false}, {"bei", "dem ", "beim", false}, {"von", "dem ", "vom", false},
        {"in", "das ", "ins", true},  {"an", "das ", "ans", true},
    };
    for (const Contraction& entry : contractions)
      if (entry.preposition == preposition && text.starts_with(entry.article) && (place || !entry.place_only))
        return join({entry.together, std::string_view(text).substr(entry.article.size())});
  }
  return join({preposition, text});
}

std::string present(const char* infinitive, const char* third, Person person) {
  const int index = finite_index(person);
  if (const Irregular* const entry = irregular(infinitive)) return entry->present[index];
  const std::string stem = stem_of(infinitive);
  switch (index) {
    case 0: return stem + "e";
    case 1: {
      const std::string_view form = third;
      const std::string_view second = form.substr(0, form.size() - 1);
      const bool hissing = second.ends_with("s") || second.ends_with("z") || second.ends_with("ß");
      return hissing ? third : std::string(second) + "st";
    }
    case 2: return third;
    case 4: return stem + (needs_e(stem) ? "et" : "t");
    default: return infinitive;
  }
}

std::string imperative(const Verb& verb, Person person) {
  if (person == Person::polite) return std::string(verb.infinitive) + " Sie";
  if (person == Person::ye) return present(verb.infinitive, verb.third, person);
  const std::string stem = stem_of(verb.infinitive);
  const std::string third = verb.third;
  const std::string changed = third.substr(0, third.size() - 1);
  // e becomes i in the imperative (lies, gib), but a does not become ä (fahr).
  const bool vowel_changed = changed != stem && changed != stem + "e" && changed.find("ä") == std::string::npos;
  if (vowel_changed) return changed;
  return needs_e(stem) || stem.ends_with("er") || stem == "dank" || stem == "folg" ? stem + "e" : stem;
}

std::string main_clause(const Clause& clause, std::string_view front) {
  const Verbs verbs = verbs_of(clause);
  const std::string subject = phrase(clause.subject, Case::nominative);
  if (front.empty()) return join({subject, verbs.finite, middle(clause), verbs.prefix, verbs.end});
  return join({front, verb_first(clause)});
}

std::string verb_first(const Clause& clause) {
  const Verbs verbs = verbs_of(clause);
  const std::string sich = early_reflexive(clause);
  return join({verbs.finite, sich, phrase(clause.subject, Case::nominative), middle(clause, !sich.empty()),
               verbs.prefix, verbs.end});
}

std::string verb_final(const Clause& clause, bool with_subject) {
  const Verbs verbs = verbs_of(clause);
  const std::string sich = with_subject ? early_reflexive(clause) : "";
  return join({sich, with_subject ? phrase(clause.subject, Case::nominative) : "", middle(clause, !sich.empty()),
               verbs.end, verbs.prefix + verbs.finite});
}

std::string zu_infinitive(const Clause& clause) {
  const Verb& verb = *clause.verb;
  const std::string infinitive =
      *verb.prefix != '\0' ? std::string(verb.prefix) + "zu" + verb.infinitive : std::string("zu ") + verb.infinitive;
  return join({middle(clause), infinitive});
}

std::string command(const Clause& clause) {
  return join({imperative(*clause.verb, clause.subject.person), middle(clause), clause.verb->prefix});
}

}  // namespace dragoman::phrasebook::german
