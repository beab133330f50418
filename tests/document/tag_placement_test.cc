// Where tags go when words move.
#include <gtest/gtest.h>

#include "tests/document/translations.h"

namespace dragoman::document {
namespace {

// Renders a page of one segment with links between the words of the segment and those of the translation.
std::string render_moved(const std::string& html, const std::string& target, const std::vector<AlignmentLink>& links) {
  const Document document = Document::parse(html, Format::html);
  const std::vector<std::string> texts = document.segments();
  EXPECT_EQ(texts.size(), 1u);
  return document.render({with_word_links(texts.at(0), target, links)});
}

TEST(TagPlacement, TagsFollowTheirWords) {
  EXPECT_EQ(render_moved("A <b>red</b> <i>car</i>.", "Une voiture rouge.", {{0, 0}, {1, 2}, {2, 1}}),
            "Une <i>voiture</i> <b>rouge</b>.");
  EXPECT_EQ(render_moved("<b>Yesterday</b> he came.", "Il est venu hier.", {{0, 3}, {1, 0}, {2, 1}, {2, 2}}),
            "Il est venu <b>hier</b>.");
}

TEST(TagPlacement, AnElementGrowsAndShrinksWithItsTranslation) {
  EXPECT_EQ(render_moved("the <b>washing machine</b> works", "die Waschmaschine läuft", {{0, 0}, {1, 1}, {3, 2}}),
            "die <b>Waschmaschine</b> läuft");
  EXPECT_EQ(
      render_moved("das <b>Waschprogramm</b> läuft", "the washing programme runs", {{0, 0}, {1, 1}, {1, 2}, {2, 3}}),
      "the <b>washing programme</b> runs");
}

TEST(TagPlacement, ElementsStayNested) {
  EXPECT_EQ(render_moved("go <a href=x>to the <b>big</b> city</a> now", "maintenant va à la grande ville",
                         {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}}),
            "maintenant va <a href=x>à la <b>grande</b> ville</a>");
  // `big` has moved far out of the link, but its tags have not.
  EXPECT_EQ(render_moved("you see <a>the <b>big</b> city here</a> now", "grande alors toi vois la ville ici maintenant",
                         {{0, 2}, {1, 3}, {2, 4}, {3, 0}, {4, 5}, {5, 6}, {6, 7}}),
            "grande alors toi vois <a>la <b></b>ville ici</a> maintenant");
}

TEST(TagPlacement, AnElementWhoseWordsAreApartGoesWhereMostOfThemAre) {
  EXPECT_EQ(render_moved("he <b>switches the light on</b> today", "er schaltet heute das Licht ein",
                         {{0, 0}, {1, 1}, {2, 3}, {3, 4}, {4, 5}, {5, 2}}),
            "er <b>schaltet heute das Licht ein</b>");
  EXPECT_EQ(render_moved("x <b>a b c</b> d e f g", "a d e f g x b c",
                         {{0, 5}, {1, 0}, {2, 6}, {3, 7}, {4, 1}, {5, 2}, {6, 3}, {7, 4}}),
            "a d e f g x <b>b c</b>");
}

TEST(TagPlacement, WordsWithoutLinksTakeWhatIsLeft) {
  EXPECT_EQ(render_moved("the <b>big</b> car", "das große Auto", {{0, 0}, {2, 2}}), "das <b>große</b> Auto");
  EXPECT_EQ(render_moved("the <b>very</b> car", "das Auto", {{0, 0}, {2, 1}}), "das <b></b>Auto");
}

TEST(TagPlacement, PunctuationStaysOnItsSideOfATag) {
  EXPECT_EQ(render_moved("<i>No</i>, \"<b>thanks</b>!\"", "Nein, \"danke!\"", {{0, 0}, {1, 1}}),
            "<i>Nein</i>, \"<b>danke</b>!\"");
  EXPECT_EQ(render_moved("<b>Stop!</b> he said.", "Halt! sagte er.", {{0, 0}, {1, 2}, {2, 1}}),
            "<b>Halt!</b> sagte er.");
}

TEST(TagPlacement, PunctuationMarksAreRecognised) {
  EXPECT_EQ(render_moved("my book, <img>? yes", "mein Buch? ja", {{0, 0}, {1, 1}, {2, 2}}), "mein Buch <img>? ja");
}

TEST(TagPlacement, SpacesStayOnTheirSideOfATag) {
  EXPECT_EQ(render_moved("one<b> two </b>three", "eins zwei drei", {{0, 0}, {1, 1}, {2, 2}}), "eins<b> zwei </b>drei");
  EXPECT_EQ(render_moved("one <b>two</b> three", "eins zwei drei", {{0, 0}, {1, 1}, {2, 2}}), "eins <b>zwei</b> drei");
}

TEST(TagPlacement, PointsStayBesideTheWordThatTheyTouch) {
  EXPECT_EQ(render_moved("the cat<sup><!--1--></sup> sleeps now", "jetzt schläft die Katze",
                         {{0, 2}, {1, 3}, {2, 1}, {3, 0}}),
            "jetzt schläft die Katze<sup><!--1--></sup>");
  EXPECT_EQ(render_moved("the <img>cat sleeps now", "jetzt schläft die Katze", {{0, 2}, {1, 3}, {2, 1}, {3, 0}}),
            "jetzt schläft die <img>Katze");
  EXPECT_EQ(render_moved("press <kbd>Esc</kbd> to stop", "zum Stoppen drücken", {{0, 2}, {1, 0}, {2, 1}}),
            "<kbd>Esc</kbd> zum Stoppen drücken");
  EXPECT_EQ(render_moved("press <kbd>Esc</kbd> please.", "drücken.", {{0, 0}}), "drücken <kbd>Esc</kbd>.");
}

TEST(TagPlacement, WithoutLinksTagsKeepTheirProportions) {
  const Document document = Document::parse("one two <b>three</b> four", Format::html);
  EXPECT_EQ(document.render({{"eins zwei drei vier", {}}}), "eins zwei <b>drei</b> vier");
  EXPECT_EQ(document.render({{"a b c d e f g h", {}}}), "a b c d <b>e f</b> g h");
}

TEST(TagPlacement, ScriptsWithoutSpacesAreDividedBetweenCharacters) {
  const Document document = Document::parse("I love <b>Beijing</b> much", Format::html);
  // Bytes: 我 0-3, 很 3-6, 爱 6-9, 北 9-12, 京 12-15.
  EXPECT_EQ(document.render({{"我很爱北京", {{0, 1, 0, 3}, {2, 6, 6, 9}, {7, 14, 9, 15}, {15, 19, 3, 6}}}}),
            "我很爱<b>北京</b>");
}

TEST(TagPlacement, AnElementOverSeveralSentencesReachesTheirEnds) {
  const Document document = Document::parse("We saw <b>cats. They</b> slept.", Format::html);
  ASSERT_EQ(document.segments(), (std::vector<std::string>{"We saw cats.", "They slept."}));
  EXPECT_EQ(document.render({with_word_links("We saw cats.", "Katzen sahen wir.", {{0, 2}, {1, 1}, {2, 0}}),
                             with_word_links("They slept.", "Schliefen sie.", {{0, 1}, {1, 0}})}),
            "Katzen sahen wir.<b> Schliefen sie</b>.");
}

TEST(TagPlacement, AnEmptyTranslationKeepsTheTags) {
  const Document document = Document::parse("<p>a <b>bold <img></b> word</p>", Format::html);
  EXPECT_EQ(document.render({{"", {}}}), "<p><b><img></b></p>");
}

TEST(TagPlacement, TheNumberOfTranslationsMustFit) {
  const Document document = Document::parse("a word", Format::html);
  EXPECT_THROW(document.render({}), Error);
}

}  // namespace
}  // namespace dragoman::document
