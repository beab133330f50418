#include "phrasebook/draw.h"

// Generates activities: a verb, its complements in the right cases, and perhaps a time.
namespace dragoman::phrasebook {
namespace {

constexpr Kinds repeatable = kind::food | kind::drink | kind::text | kind::sound | kind::person | kind::animal |
                             kind::room | kind::device | kind::opening | kind::question | kind::told;

bool speaks_of_us(Person person) { return person == Person::i || person == Person::we; }

// A pronoun for an object other than the subject. "sie" is used with one meaning only: as an accusative it is "her",
// and never next to another "sie".
NounPhrase other_person(Draw& draw, const NounPhrase& subject, bool dative) {
  constexpr Person all[] = {Person::he, Person::she, Person::they, Person::i, Person::we};
  for (;;) {
    const Person person = draw.pick(all);
    if (speaks_of_us(person) && speaks_of_us(subject.person)) continue;
    if (person == Person::they && !dative) continue;
    const bool sie = subject.is_pronoun() && (subject.person == Person::she || subject.person == Person::they);
    if (sie && (person == Person::she || person == Person::they)) continue;
    return pronoun(person);
  }
}

NounPhrase person_object(Draw& draw, const NounPhrase& subject, Kinds kinds, bool pronoun_object, bool dative) {
  if (pronoun_object && (kinds & kind::person) != 0 && draw.chance(18)) return other_person(draw, subject, dative);
  const bool own = (kinds & (kind::kin | kind::person)) != 0 && draw.chance((kinds & kind::person) != 0 ? 35 : 100);
  if (own) return draw.kin_of(subject);
  for (;;) {
    NounPhrase phrase = draw.someone();
    const bool fits = phrase.noun == nullptr ? (kinds & kind::person) != 0 : (phrase.noun->kinds & kinds) != 0;
    const bool two_names = phrase.noun == nullptr && subject.noun == nullptr && !subject.is_pronoun();
    if (fits && !two_names) return phrase;
  }
}

// A person or a thing, depending on the kinds.
NounPhrase person_or_thing(Draw& draw, const NounPhrase& subject, Kinds kinds, bool pronoun_object,
                           bool dative = false) {
  const Kinds people = kinds & (kind::person | kind::kin | kind::job);
  const Kinds rest = kinds & ~people;
  if (people != 0 && (rest == 0 || draw.chance(50)))
    return person_object(draw, subject, people, pronoun_object, dative);
  return draw.thing(rest, subject);
}

void negate_with_kein(Clause& clause, NounPhrase& object) {
  if (clause.polarity == Polarity::positive || object.noun == nullptr) return;
  if (object.determiner == Determiner::count) object.determiner = Determiner::definite;
  if (object.determiner != Determiner::indefinite) return;
  object.determiner = Determiner::negative;
  clause.german_negated = false;
}

// In the present tense, food is generic: apples, bread.
void generalise_food(const Clause& clause, NounPhrase& object) {
  const bool general = clause.tense == Tense::present && object.noun != nullptr &&
                       (object.noun->kinds & (kind::food | kind::drink)) != 0 && clause.modal == nullptr;
  if (!general) return;
  object.determiner = Determiner::indefinite;
  if ((object.noun->kinds & kind::mass) == 0) {
    const Adjective* const adjective = object.adjective;
    object = noun_phrase(*object.noun, Determiner::indefinite, Number::plural);
    object.adjective = adjective;
  }
}

void add_dative(Draw& draw, Clause& clause, bool with_to) {
  const NounPhrase who = person_object(draw, clause.subject, kind::person, true, true);
  const bool is_pronoun = who.is_pronoun();
  const Slot slot = with_to ? (is_pronoun ? Slot::recipient_pronoun : Slot::recipient)
                            : (is_pronoun ? Slot::dative_pronoun : Slot::dative);
  clause.add(slot, german::phrase(who, Case::dative), english::prepositional(with_to ? "to" : nullptr, who));
}

}  // namespace

const Noun* Draw::object(Clause& clause, Kinds kinds, const Wish& wish) {
  const bool dative = clause.verb->frame == Frame::dative;
  NounPhrase object = person_or_thing(*this, clause.subject, kinds, wish.pronoun_object, dative);
  generalise_food(clause, object);
  negate_with_kein(clause, object);
  const bool general = clause.tense == Tense::present && clause.modal == nullptr;
  if (general && object.determiner == Determiner::count) object.determiner = Determiner::definite;
  const Case grammatical_case = dative ? Case::dative : Case::accusative;
  const Slot slot = object.is_pronoun() ? (dative ? Slot::dative_pronoun : Slot::accusative_pronoun)
                                        : (dative ? Slot::dative : Slot::accusative);
  clause.indefinite_object =
      object.noun != nullptr && (object.determiner == Determiner::indefinite || object.determiner == Determiner::count);
  clause.split_pronoun = object.is_pronoun() && (clause.verb->marks & mark::split) != 0;
  clause.add(slot, german::phrase(object, grammatical_case), english::phrase(object));
  return object.noun;
}

void Draw::fill(Clause& clause, const Wish& wish) {
  const Verb& verb = *clause.verb;
  bool again = true;  // whether "every day" makes sense
  switch (verb.frame) {
    case Frame::alone:
      if ((verb.marks & mark::anywhere) != 0 && chance(45)) {
        const Place& place = place_for(verb);
        clause.add(Slot::place, place.at_german, place.at_english);
      }
      break;
    case Frame::accusative:
    case Frame::dative: {
      const Noun* const noun = object(clause, verb.object, wish);
      const Kinds daily = (verb.object & kind::surface) != 0 ? kind::food | kind::drink : repeatable;
      again = noun == nullptr || (noun->kinds & daily) != 0;
      break;
    }
    case Frame::giving:
    case Frame::telling: {
      add_dative(*this, clause, verb.frame == Frame::telling);
      const Noun* const noun = object(clause, verb.object, wish);
      again = (noun->kinds & repeatable) != 0;
      break;
    }
    case Frame::reflexive: clause.add(Slot::reflexive, german::reflexive(clause.subject.person), ""); break;
    case Frame::reflexive_object:
      clause.add(Slot::reflexive, german::reflexive(clause.subject.person), "");
      [[fallthrough]];
    case Frame::preposition: {
      const NounPhrase object =
          person_or_thing(*this, clause.subject, verb.object, wish.pronoun_object, verb.governs == Case::dative);
      clause.add(Slot::prepositional, german::prepositional(verb.german_preposition, object, verb.governs),
                 english::prepositional(verb.english_preposition, object));
      again = object.noun == nullptr || (object.noun->kinds & (kind::event | kind::topic)) == 0;
      break;
    }
    case Frame::placing: {
      constexpr Expression sides[] = {{"auf", "on"}, {"auf", "on"}, {"unter", "under"}, {"neben", "next to"}};
      object(clause, verb.object, wish);
      const Expression& side = pick(sides);
      const NounPhrase where = noun_phrase(noun(kind::surface), Determiner::definite);
      clause.add(Slot::direction, german::prepositional(side.german, where, Case::accusative),
                 english::prepositional(side.english, where));
      again = false;
      break;
    }
    case Frame::motion: {
      const bool drives = std::string_view(verb.infinitive) == "fahren";
      if (drives && chance(50)) {
        const Expression& city = pick(cities());
        clause.add(Slot::direction, join({"nach", city.german}), join({"to", city.english}));
        break;
      }
      const Place* place = &pick(places());
      while (drives && !place->by_car) place = &pick(places());
      clause.add(Slot::direction, place->to_german, place->to_english);
      break;
    }
  }
  if (wish.time && (again || clause.tense != Tense::present || clause.modal != nullptr)) add_time(clause);
}

void Draw::add_time(Clause& clause) {
  if ((clause.verb->marks & mark::state) != 0) return;
  const bool far = (clause.verb->marks & mark::far) != 0;
  const auto time = [&](const Expression& expression) {
    clause.add(Slot::time, expression.german, expression.english);
  };
  switch (clause.tense) {
    case Tense::present:
      if (clause.modal != nullptr && chance(40)) time(future_times()[below(near_future_times)]);
      if (clause.polarity != Polarity::positive || clause.modal != nullptr) break;
      if (clause.verb->frame != Frame::reflexive && chance(35)) {
        const bool always = clause.verb->frame != Frame::alone;
        const Expression& often = frequency()[below(frequency().size() - (always ? 0 : 1))];
        clause.add(Slot::adverb, often.german, often.english);
      } else if (chance(60)) {
        time(pick(habits()));
      }
      break;
    case Tense::progressive: time({"gerade", "right now"}); break;
    case Tense::past:
      if (chance(75)) time(past_times()[below(far ? past_times().size() : near_past_times)]);
      break;
    case Tense::future:
      if (chance(80)) time(future_times()[below(far ? future_times().size() : near_future_times)]);
      break;
    default: break;
  }
}

Clause Draw::activity(const Wish& wish) {
  struct Weight {
    Frame frame;
    int weight;
  };
  constexpr Weight weights[] = {{Frame::alone, 14},    {Frame::accusative, 38},      {Frame::dative, 8},
                                {Frame::giving, 11},   {Frame::telling, 3},          {Frame::preposition, 10},
                                {Frame::reflexive, 3}, {Frame::reflexive_object, 5}, {Frame::placing, 4},
                                {Frame::motion, 4}};
  std::size_t left = below(100);
  Frame frame = Frame::accusative;
  for (const Weight& entry : weights) {
    if (left < static_cast<std::size_t>(entry.weight)) {
      frame = entry.frame;
      break;
    }
    left -= static_cast<std::size_t>(entry.weight);
  }
  unsigned avoid = wish.avoid;
  if (wish.tense == Tense::progressive || wish.tense == Tense::since) avoid |= mark::state | mark::moment;
  if (wish.tense != Tense::present) avoid |= mark::still;
  if ((avoid & mark::sein) != 0 && frame == Frame::motion) frame = Frame::accusative;
  if (wish.modal != nullptr) avoid |= mark::state | mark::moment;
  if (wish.tense != Tense::past && wish.tense != Tense::perfect) avoid |= mark::once;
  Clause clause;
  clause.subject = wish.subject;
  clause.verb = wish.verb != nullptr ? wish.verb : &verb(frame, avoid);
  clause.tense = wish.tense;
  clause.polarity = wish.polarity;
  clause.modal = wish.modal;
  fill(clause, wish);
  return clause;
}

}  // namespace dragoman::phrasebook
