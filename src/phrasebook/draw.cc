#include "phrasebook/draw.h"

#include <array>

#include "base/error.h"

namespace dragoman::phrasebook {
namespace {

// The kinds that select adjectives: fewer adjectives fit relatives and children than other people.
Kinds described_as(const Noun& noun) {
  if ((noun.kinds & kind::kin) != 0) return kind::kin;
  if ((noun.kinds & kind::child) != 0) return kind::child;
  return noun.kinds;
}

// A uniform choice among the matching entries; null if there is none.
template <class T, class Condition>
const T* draw_matching(Draw& draw, std::span<const T> table, Condition matches) {
  std::array<const T*, 256> found;
  std::size_t count = 0;
  for (const T& entry : table) {
    found[count] = &entry;
    count += matches(entry) ? 1 : 0;
  }
  return count == 0 ? nullptr : found[draw.below(count)];
}

bool is_mass(const Noun& noun) { return (noun.kinds & kind::mass) != 0; }

}  // namespace

const Noun& Draw::noun(Kinds wanted, Kinds unwanted) {
  const Noun* const found = draw_matching(
      *this, nouns(), [&](const Noun& entry) { return (entry.kinds & wanted) != 0 && (entry.kinds & unwanted) == 0; });
  check(found != nullptr, "[phrasebook] there is no noun of kinds {:#x}", wanted);
  return *found;
}

const Verb& Draw::verb(Frame frame, unsigned avoid, unsigned wanted) {
  const Verb* const found = draw_matching(*this, verbs(), [&](const Verb& entry) {
    return entry.frame == frame && (entry.marks & avoid) == 0 && (entry.marks & wanted) == wanted;
  });
  check(found != nullptr, "[phrasebook] there is no verb with frame {}", static_cast<int>(frame));
  return *found;
}

const Verb& Draw::verb(std::string_view infinitive, std::string_view prefix) {
  for (const Verb& entry : verbs())
    if (infinitive == entry.infinitive && prefix == entry.prefix) return entry;
  fail("[phrasebook] there is no verb {}{}", prefix, infinitive);
}

const Place& Draw::place_for(const Verb& verb) {
  constexpr std::pair<std::string_view, unsigned> purposes[] = {{"frühstücken", suits::eating},
                                                                {"lernen", suits::studying},
                                                                {"arbeiten", suits::working},
                                                                {"schlafen", suits::sleeping}};
  unsigned purpose = suits::leisure;
  for (const auto& [infinitive, suited] : purposes)
    if (infinitive == verb.infinitive) purpose = suited;
  return *draw_matching(*this, places(), [&](const Place& place) { return (place.suits & purpose) != 0; });
}

const Adjective* Draw::adjective(const Noun& noun, bool compared) {
  const Kinds kinds = described_as(noun);
  return draw_matching(*this, adjectives(), [&](const Adjective& entry) {
    return (entry.kinds & kinds) != 0 && (!compared || entry.comparative != nullptr);
  });
}

NounPhrase Draw::human() {
  const Noun& noun = this->noun(kind::person);
  NounPhrase phrase;
  const bool kin = (noun.kinds & kind::kin) != 0, sole = (noun.kinds & kind::sole) != 0;
  if (kin) {
    phrase = noun_phrase(noun, Determiner::possessive, !sole && chance(20) ? Number::plural : Number::singular);
    phrase.owner = phrase.english_owner = chance(65) ? Person::i : Person::we;
    if (chance(25)) {
      phrase.determiner = Determiner::name;
      phrase.owner_name = pick(names()).name;
    }
  } else {
    constexpr Determiner singular[] = {Determiner::definite, Determiner::definite, Determiner::indefinite,
                                       Determiner::demonstrative};
    constexpr Determiner plural[] = {Determiner::definite, Determiner::definite, Determiner::demonstrative,
                                     Determiner::count};
    const bool many = chance(22);
    phrase = many ? noun_phrase(noun, pick(plural), Number::plural) : noun_phrase(noun, pick(singular));
    if (phrase.determiner == Determiner::count) phrase.count = &numbers()[below(5)];
  }
  if (chance(30)) phrase.adjective = adjective(noun);
  return phrase;
}

NounPhrase Draw::person() {
  const std::size_t which = below(100);
  if (which < 58) return human();
  if (which < 78) return name_phrase(pick(names()));
  constexpr Person persons[] = {Person::i, Person::i, Person::he, Person::she, Person::we, Person::they};
  return pronoun(pick(persons));
}

NounPhrase Draw::someone() { return chance(70) ? human() : name_phrase(pick(names())); }

NounPhrase Draw::referent() {
  for (;;) {
    NounPhrase phrase = someone();
    const bool neuter = phrase.noun != nullptr && phrase.noun->gender == Gender::neuter;
    if (!neuter || phrase.number == Number::plural) return phrase;
  }
}

NounPhrase Draw::kin_of(const NounPhrase& owner) {
  const Noun& noun = this->noun(kind::kin);
  const bool sole = (noun.kinds & kind::sole) != 0;
  NounPhrase phrase =
      noun_phrase(noun, Determiner::possessive, !sole && chance(20) ? Number::plural : Number::singular);
  phrase.owner = owner.person;
  phrase.english_owner = owner.english_person;
  if (chance(20)) phrase.adjective = adjective(noun);
  return phrase;
}

NounPhrase Draw::the(Kinds kinds, Kinds unwanted) {
  const Noun& noun = this->noun(kinds, unwanted);
  const bool many = !is_mass(noun) && chance(18);
  NounPhrase phrase = noun_phrase(noun, chance(80) ? Determiner::definite : Determiner::demonstrative,
                                  many ? Number::plural : Number::singular);
  if (chance(35)) phrase.adjective = adjective(noun);
  return phrase;
}

NounPhrase Draw::thing(Kinds kinds, const NounPhrase& owner) {
  const Noun& noun = this->noun(kinds, owner.person == Person::she ? 0 : kind::womens);
  const bool own = (noun.kinds & (kind::clothes | kind::lost | kind::own_vehicle | kind::device | kind::room)) != 0;
  const bool rare = (noun.kinds & (kind::event | kind::topic | kind::dressed)) != 0;  // one wedding at a time
  const bool many = !is_mass(noun) && !rare && chance(22);
  constexpr Determiner choices[] = {Determiner::definite,   Determiner::definite,   Determiner::definite,
                                    Determiner::indefinite, Determiner::indefinite, Determiner::demonstrative};
  NounPhrase phrase = noun_phrase(noun, pick(choices), many ? Number::plural : Number::singular);
  if (own && chance(30)) {
    phrase.determiner = Determiner::possessive;
    phrase.owner = owner.person;
    phrase.english_owner = owner.english_person;
  } else if (many && chance(20)) {
    phrase.determiner = Determiner::count;
    phrase.count = &numbers()[below(9)];
  }
  if (chance(30)) phrase.adjective = adjective(noun);
  return phrase;
}

Addressee Draw::addressee() {
  const std::size_t which = below(100);
  if (which < 50) {
    const char* const name = pick(names()).name;
    return {name, name, Person::thou};
  }
  if (which < 80) {
    const Expression& name = pick(surnames());
    return {name.german, name.english, Person::polite};
  }
  if (which < 90) return {"Kinder", "children", Person::ye};
  const std::string first = names()[below(10) * 2].name, second = names()[below(10) * 2 + 1].name;
  return {first + " und " + second, first + " and " + second, Person::ye};
}

Sides Draw::clock(int first, int last) {
  const std::size_t hour = static_cast<std::size_t>(first - 1) + below(static_cast<std::size_t>(last - first) + 1);
  const Expression& now = hours()[hour];
  const Expression& next = hours()[(hour + 1) % 12];
  const std::string german_now = now.german, english_now = now.english;
  switch (below(5)) {
    case 0: return {"um " + std::string(hour == 0 ? "ein" : german_now) + " Uhr", "at " + english_now + " o'clock"};
    case 1: return {"um halb " + std::string(next.german), "at half past " + english_now};
    case 2: return {"um Viertel nach " + german_now, "at a quarter past " + english_now};
    case 3: return {"um Viertel vor " + german_now, "at a quarter to " + english_now};
    default:
      return chance(50) ? Sides{"um zehn nach " + german_now, "at ten past " + english_now}
                        : Sides{"um fünf vor " + german_now, "at five to " + english_now};
  }
}

Sides Draw::date() {
  const std::size_t month = below(12);
  constexpr int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const std::string day = std::to_string(1 + below(static_cast<std::size_t>(lengths[month])));
  return {"am " + day + ". " + months()[month].german, "on " + std::string(months()[month].english) + " " + day};
}

Sides Draw::duration() {
  constexpr Expression units[] = {{"Minuten", "minutes"}, {"Stunden", "hours"}};
  const Expression& unit = pick(units);
  const Expression& number = numbers()[below(11)];
  return {join({"seit", number.german, unit.german}), join({"for", number.english, unit.english})};
}

void add_already(Clause& clause) {
  clause.add(clause.indefinite_object ? Slot::recipient : Slot::negation, "schon", "");
  clause.add(Slot::adverb, "", "already");
}

Sides number_words(int number) {
  check(number >= 2 && number <= 99, "[phrasebook] {} is outside 2 to 99", number);
  if (number <= 20) return {numbers()[number - 2].german, numbers()[number - 2].english};
  constexpr Expression tens[] = {{"zwanzig", "twenty"}, {"dreißig", "thirty"}, {"vierzig", "forty"},
                                 {"fünfzig", "fifty"},  {"sechzig", "sixty"},  {"siebzig", "seventy"},
                                 {"achtzig", "eighty"}, {"neunzig", "ninety"}};
  const Expression& ten = tens[number / 10 - 2];
  const int one = number % 10;
  if (one == 0) return {ten.german, ten.english};
  const std::string german = one == 1 ? "ein" : numbers()[one - 2].german;
  const std::string english = one == 1 ? "one" : numbers()[one - 2].english;
  return {german + "und" + ten.german, std::string(ten.english) + "-" + english};
}

Sides main_clause(const Clause& clause) { return {german::main_clause(clause), english::statement(clause)}; }

Sides fronted(Clause clause, Slot slot) {
  const Part part = clause.take(slot);
  return {german::main_clause(clause, part.german), english::statement(clause, part.english)};
}

Sides subordinate(const char* german, const char* english, const Clause& clause) {
  return {join({german, german::verb_final(clause)}), join({english, english::statement(clause)})};
}

Sides finish(Sides sides, const char* mark) {
  for (std::string* text : {&sides.german, &sides.english}) {
    char& first = text->front();
    if (first >= 'a' && first <= 'z') {
      first = static_cast<char>(first - 'a' + 'A');
    } else if (first == '\xC3' && static_cast<unsigned char>((*text)[1]) >= 0xA0) {
      (*text)[1] = static_cast<char>((*text)[1] - 0x20);  // ä, ö, ü
    }
    *text += mark;
  }
  return sides;
}

Sides joined(const Sides& first, std::string_view between_german, std::string_view between_english,
             const Sides& second) {
  return {first.german + std::string(between_german) + second.german,
          first.english + std::string(between_english) + second.english};
}

}  // namespace dragoman::phrasebook
