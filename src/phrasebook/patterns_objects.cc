#include "phrasebook/patterns.h"

// Verbs whose cases and prepositions differ between the two languages.
namespace dragoman::phrasebook {
namespace {

constexpr Verb to_please{"gefallen",    "", "gefällt", "gefallen",   "like", "liked", "liked", mark::state,
                         Frame::dative, 0,  "",        Case::dative, nullptr};
constexpr Verb to_belong{"gehören",     "", "gehört", "gehört",     "belong", "belonged", "belonged", mark::state,
                         Frame::dative, 0,  "",       Case::dative, "to"};
constexpr Verb to_like{"mögen",           "", "mag", "gemocht",        "like", "liked", "liked", mark::state,
                       Frame::accusative, 0,  "",    Case::accusative, nullptr};
constexpr Verb to_fear{"haben", "",           "hat",       "gehabt",           "be afraid",
                       "was",   "been",       mark::state, Frame::preposition, 0,
                       "vor",   Case::dative, "of"};
constexpr Verb to_take{"fahren",      "", "fährt", "gefahren",       "take", "took", "taken", mark::sein,
                       Frame::motion, 0,  "",      Case::accusative, nullptr};
constexpr Verb to_fly{"fliegen",     "", "fliegt", "geflogen",       "fly",  "flew", "flown", mark::sein,
                      Frame::motion, 0,  "",       Case::accusative, nullptr};
constexpr Verb to_lie{"liegen",     "", "liegt", "gelegen",        "lie",  "lay", "lain", mark::state,
                      Frame::alone, 0,  "",      Case::accusative, nullptr};
constexpr Verb to_stand{"stehen",    "",           "steht", "gestanden", "stand",          "stood", "stood",
                        mark::state, Frame::alone, 0,       "",          Case::accusative, nullptr};
constexpr Verb to_speak{"sprechen",        "", "spricht", "gesprochen",     "speak", "spoke", "spoken", 0,
                        Frame::accusative, 0,  "",        Case::accusative, nullptr};
constexpr Verb to_learn{"lernen",          "", "lernt", "gelernt",        "learn", "learned", "learned", 0,
                        Frame::accusative, 0,  "",      Case::accusative, nullptr};
constexpr Verb to_live{"wohnen",    "",           "wohnt", "gewohnt", "live",           "lived", "lived",
                       mark::state, Frame::alone, 0,       "",        Case::accusative, nullptr};
constexpr Verb to_leave{"fahren",   "ab",         "fährt", "abgefahren", "leave",          "left", "left",
                        mark::sein, Frame::alone, 0,       "",           Case::accusative, nullptr};
constexpr Verb to_present{"schenken",    "", "schenkt", "geschenkt",  "give", "gave", "given", 0,
                          Frame::giving, 0,  "",        Case::dative, nullptr};

// Dem Lehrer gefällt der Film: the thing that is liked is the German subject and the English object.
Sides pleases(Draw& draw) {
  const NounPhrase who = draw.person();
  const Tense tense = draw.chance(60) ? Tense::present : Tense::past;
  const Polarity polarity = draw.chance(30) ? Polarity::negative : Polarity::positive;
  Clause german, english;
  german.subject = draw.the(kind::art);
  german.verb = &to_please;
  english.subject = who;
  english.verb = &to_like;
  german.tense = english.tense = tense;
  german.polarity = english.polarity = polarity;
  english.add(Slot::accusative, "", english::phrase(german.subject));
  const std::string dative = german::phrase(who, Case::dative);
  if (!who.is_pronoun()) return finish({german::main_clause(german, dative), english::statement(english)}, ".");
  german.add(Slot::dative_pronoun, dative, "");
  return finish({german::main_clause(german), english::statement(english)}, ".");
}

// mögen, for food, drinks and people.
Sides likes(Draw& draw) {
  Clause clause;
  clause.subject = draw.person();
  clause.verb = &to_like;
  if (draw.chance(35)) clause.polarity = Polarity::negative;
  const bool food = draw.chance(60);
  NounPhrase object = food ? noun_phrase(draw.noun(kind::food | kind::drink), Determiner::indefinite, Number::plural)
                           : draw.kin_of(clause.subject);
  if (food) {
    if ((object.noun->kinds & kind::mass) != 0) object = noun_phrase(*object.noun, Determiner::indefinite);
    if (draw.chance(35)) object.adjective = draw.adjective(*object.noun);
    if (clause.polarity == Polarity::negative) {
      object.determiner = Determiner::negative;
      clause.german_negated = false;
    }
  }
  const std::string german = german::phrase(object, Case::accusative);
  if (object.determiner == Determiner::negative) object.determiner = Determiner::indefinite;
  clause.add(Slot::accusative, german, english::phrase(object));
  return finish(main_clause(clause), ".");
}

Sides belongs(Draw& draw) {
  Clause clause;
  clause.subject = draw.the(kind::own_vehicle | kind::clothes | kind::lost | kind::device | kind::building | kind::pet);
  clause.verb = &to_belong;
  if (draw.chance(30)) clause.polarity = Polarity::negative;
  NounPhrase who = draw.someone();
  while (who.determiner == Determiner::indefinite) who = draw.someone();
  clause.add(Slot::dative, german::phrase(who, Case::dative), "");
  clause.add(Slot::recipient, "", english::prepositional("to", who));
  return finish(main_clause(clause), ".");
}

Sides birthday_present(Draw& draw) {
  Clause clause;
  clause.subject = draw.person();
  clause.verb = &to_present;
  constexpr Tense tenses[] = {Tense::past, Tense::past, Tense::future};
  clause.tense = draw.pick(tenses);
  const NounPhrase who = draw.chance(60) ? draw.kin_of(clause.subject) : name_phrase(draw.pick(names()));
  const Noun& present = draw.noun(kind::gift);
  NounPhrase gift = noun_phrase(present, Determiner::indefinite, draw.chance(25) ? Number::plural : Number::singular);
  if (draw.chance(40)) gift.adjective = draw.adjective(*gift.noun);
  const char* const possessive = who.english_person == Person::she    ? "for her birthday"
                                 : who.english_person == Person::they ? "for their birthday"
                                                                      : "for his birthday";
  clause.add(Slot::dative, german::phrase(who, Case::dative), english::phrase(who));
  clause.add(Slot::accusative, german::phrase(gift, Case::accusative), english::phrase(gift));
  clause.add(Slot::recipient, "zum Geburtstag", possessive);
  return finish(main_clause(clause), ".");
}

Sides afraid(Draw& draw) {
  Clause clause;
  clause.subject = draw.person();
  clause.verb = &to_fear;
  clause.tense = draw.chance(65) ? Tense::present : Tense::past;
  const bool negated = draw.chance(35);
  if (negated) clause.polarity = Polarity::negative;
  clause.german_negated = false;
  clause.add(Slot::manner, negated ? "keine Angst" : "Angst", "");
  const Noun& noun = draw.noun(kind::scary);
  NounPhrase object = noun_phrase(noun, Determiner::definite, draw.chance(40) ? Number::plural : Number::singular);
  if (object.number == Number::plural && draw.chance(60)) object.determiner = Determiner::indefinite;
  if (draw.chance(30)) object.adjective = draw.adjective(noun);
  clause.add(Slot::prepositional, german::prepositional("vor", object, Case::dative),
             english::prepositional("of", object));
  return finish(main_clause(clause), ".");
}

// steht jeden Morgen um halb sieben auf
Sides daily_hour(Draw& draw) {
  Clause clause;
  clause.subject = draw.person();
  clause.verb = &draw.verb(Frame::alone, 0, mark::moment);
  const std::string_view prefix = clause.verb->prefix;
  const Sides clock = prefix == "auf" ? draw.clock(5, 9) : prefix == "ein" ? draw.clock(8, 12) : draw.clock();
  if (draw.chance(50)) {
    const Expression& when = habits()[prefix == "auf" ? 1 : prefix == "ein" ? 2 : 0];
    clause.add(Slot::time, clock.german, clock.english);
    clause.parts.insert(clause.parts.begin(), {Slot::time, when.german, ""});
    clause.add(Slot::time, "", when.english);
  } else {
    clause.tense = Tense::past;
    clause.add(Slot::time, clock.german, clock.english);
  }
  return finish(main_clause(clause), ".");
}

// Der Zug kommt um halb drei in Berlin an.
Sides timetable(Draw& draw) {
  Clause clause;
  do clause.subject = draw.the(kind::scheduled);
  while (std::string_view(clause.subject.noun->singular) == "Schiff");
  const bool arrives = draw.chance(50);
  clause.verb = arrives ? &draw.verb("kommen", "an") : &to_leave;
  const bool flies = std::string_view(clause.subject.noun->singular) == "Flugzeug";
  if (flies) clause.verb = &draw.verb("kommen", "an");
  constexpr Tense tenses[] = {Tense::present, Tense::past, Tense::future};
  clause.tense = draw.pick(tenses);
  const Sides clock = draw.clock();
  clause.add(Slot::time, clock.german, clock.english);
  const Expression& city = draw.pick(cities());
  if (arrives || flies) clause.add(Slot::place, join({"in", city.german}), join({"in", city.english}));
  return finish(main_clause(clause), ".");
}

void set_travel_tense(Draw& draw, Clause& clause) {
  constexpr Tense tenses[] = {Tense::present, Tense::past, Tense::future, Tense::future};
  clause.tense = draw.pick(tenses);
  draw.add_time(clause);
}

// fährt mit dem Zug nach Berlin: "takes the train to Berlin"
Sides takes_the_train(Draw& draw) {
  Clause clause;
  clause.subject = draw.person();
  clause.verb = &to_take;
  set_travel_tense(draw, clause);
  const bool far = draw.chance(55);
  const Expression& means = far ? travel()[draw.below(2)] : travel()[1 + draw.below(4)];
  clause.add(Slot::manner, means.german, "");
  clause.add(Slot::accusative, "", means.english);
  if (far) {
    const Expression& city = draw.pick(cities());
    clause.add(Slot::direction, join({"nach", city.german}), join({"to", city.english}));
  } else {
    const Place* place = &draw.pick(places());
    while (!place->by_car) place = &draw.pick(places());
    clause.add(Slot::direction, place->to_german, place->to_english);
  }
  if (clause.has(Slot::time) && draw.chance(35)) return finish(fronted(clause, Slot::time), ".");
  return finish(main_clause(clause), ".");
}

Sides flies(Draw& draw) {
  Clause clause;
  clause.subject = draw.person();
  clause.verb = &to_fly;
  set_travel_tense(draw, clause);
  if (draw.chance(50)) {
    const Country& country = draw.pick(countries());
    clause.add(Slot::direction, country.to_german, join({"to", country.english}));
  } else {
    const Expression& city = draw.pick(cities());
    clause.add(Slot::direction, join({"nach", city.german}), join({"to", city.english}));
  }
  if (clause.has(Slot::time) && draw.chance(35)) return finish(fronted(clause, Slot::time), ".");
  return finish(main_clause(clause), ".");
}

// Das Buch liegt auf dem Tisch; locations take the dative.
Sides position(Draw& draw) {
  constexpr Expression sides[] = {
      {"auf", "on"}, {"unter", "under"}, {"neben", "next to"}, {"hinter", "behind"}, {"vor", "in front of"}};
  Clause clause;
  const bool flat = draw.chance(50);
  clause.subject = draw.the(flat ? kind::flat : kind::upright);
  clause.verb = flat ? &to_lie : &to_stand;
  if (draw.chance(25)) clause.polarity = Polarity::negative;
  const Expression& side = draw.pick(sides);
  NounPhrase where = draw.the(kind::surface);
  clause.add(Slot::place, german::prepositional(side.german, where, Case::dative),
             english::prepositional(side.english, where));
  return finish(main_clause(clause), ".");
}

Sides plays_instrument(Draw& draw) {
  constexpr Expression how[] = {{"sehr gut", "very well"}, {"gut", "well"}, {"schlecht", "badly"}, {"", ""}};
  Clause clause;
  clause.subject = draw.person();
  clause.verb = &draw.verb("spielen");
  const Expression& instrument = draw.pick(instruments());
  const Expression& manner = draw.pick(how);
  clause.add(Slot::manner, manner.german, manner.english);
  clause.add(Slot::predicate, instrument.german, instrument.english);
  if (*manner.german == '\0') draw.add_time(clause);
  return finish(main_clause(clause), ".");
}

Sides speaks_language(Draw& draw) {
  Clause clause;
  clause.subject = draw.person();
  const Expression& language = draw.pick(languages());
  clause.add(Slot::predicate, language.german, language.english);
  if (draw.chance(50)) {
    constexpr Expression how[] = {{"sehr gut", "very well"}, {"gut", "well"}, {"schlecht", "badly"}};
    const Expression& manner = draw.pick(how);
    clause.verb = &to_speak;
    clause.add(Slot::manner, manner.german, manner.english);
    return finish(main_clause(clause), ".");
  }
  clause.verb = &to_learn;
  clause.tense = Tense::since;
  const Expression& number = numbers()[draw.below(9)];
  const bool years = draw.chance(50);
  clause.add(Slot::time, join({"seit", number.german, years ? "Jahren" : "Monaten"}),
             join({"for", number.english, years ? "years" : "months"}));
  return finish(main_clause(clause), ".");
}

// kommt aus der Schweiz, wohnt aber in Wien
Sides origin(Draw& draw) {
  Clause clause, home;
  clause.subject = home.subject = draw.person();
  const Country& country = draw.pick(countries());
  const Expression& city = draw.pick(cities());
  home.verb = &to_live;
  home.add(Slot::place, join({"in", city.german}), join({"in", city.english}));
  if (draw.chance(50)) {
    home.tense = Tense::since;
    const Expression& number = numbers()[draw.below(11)];
    home.add(Slot::time, join({"seit", number.german, "Jahren"}), join({"for", number.english, "years"}));
    return finish(main_clause(home), ".");
  }
  clause.verb = &draw.verb("kommen");
  clause.add(Slot::direction, country.from_german, join({"from", country.english}));
  const std::string lives = german::present("wohnen", "wohnt", home.subject.person);
  return finish(joined(main_clause(clause), ", ", " but ",
                       {join({lives, "aber in", city.german}), english::without_subject(home)}),
                ".");
}

constexpr Pattern objects_table[] = {
    {"pleases", 2, pleases},
    {"likes", 2, likes},
    {"belongs", 2, belongs},
    {"birthday-present", 2, birthday_present},
    {"afraid", 2, afraid},
    {"daily-hour", 2, daily_hour},
    {"timetable", 1, timetable},
    {"takes-the-train", 2, takes_the_train},
    {"flies", 1, flies},
    {"position", 2, position},
    {"plays-instrument", 1, plays_instrument},
    {"speaks-language", 1, speaks_language},
    {"origin", 1, origin},
};

}  // namespace

std::span<const Pattern> object_patterns() { return objects_table; }

}  // namespace dragoman::phrasebook
