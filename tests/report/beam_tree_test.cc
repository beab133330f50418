#include "report/beam_tree.h"

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "tests/support/errors.h"

namespace dragoman::report::beam_trees {
namespace {

struct Box {
  std::string fate, token;
  double x = 0, y = 0;
};

std::vector<Box> boxes(const std::string& svg) {
  static const std::regex drawn(
      "<g class='([a-z]+)'><title>[^<]*</title>(?:<path [^>]*>)?<rect class='box' x='([0-9.]+)' y='([0-9.]+)'[^>]*>"
      "<text class='token'[^>]*>([^<]*)</text>");
  std::vector<Box> found;
  for (auto match = std::sregex_iterator(svg.begin(), svg.end(), drawn); match != std::sregex_iterator(); ++match)
    found.push_back({(*match)[1], (*match)[4], std::stod((*match)[2]), std::stod((*match)[3])});
  return found;
}

Box box_of(const std::string& svg, const std::string& token) {
  for (const Box& box : boxes(svg))
    if (box.token == token) return box;
  ADD_FAILURE() << "no box for " << token;
  return {};
}

// <s> -> a -> b -> </s> (best)
//          -> c -> </s> (complete)
//          -> d         (dropped)
//     -> e -> f -> g    (unfinished)
std::vector<TreeNode> small_tree() {
  return {
      {-1, "", 0, 0, false, true},         {0, "a", -0.5, -0.5, false, true},   {0, "e", -0.001, -0.001, false, false},
      {1, "b", -0.75, -0.4, false, true},  {1, "c", -1.5, -0.75, false, false}, {1, "d", -2, -1, false, false},
      {2, "f", -2.25, -1.1, false, false}, {3, "</s>", -0.9, -0.3, true, true}, {4, "</s>", -1.8, -0.6, true, false},
      {6, "g", -3, -1, false, false}};
}

TEST(BeamTree, HasNoControlCharacters) {
  std::vector<TreeNode> tree = small_tree();
  tree[1].token = "a\x01";
  EXPECT_EQ(draw_file(BeamTree{tree, "ein\x1B"}).find_first_of("\x01\x1B"), std::string::npos);
}

TEST(BeamTree, ShowsWhatBecameOfEveryHypothesis) {
  const std::string svg = draw(BeamTree{small_tree(), "ein <Satz>"});
  EXPECT_EQ(boxes(svg).size(), 10u);
  EXPECT_EQ(box_of(svg, "b").fate, "best");
  EXPECT_EQ(box_of(svg, "c").fate, "complete");
  EXPECT_EQ(box_of(svg, "d").fate, "dropped");
  EXPECT_EQ(box_of(svg, "e").fate, "open");
  EXPECT_EQ(box_of(svg, "&lt;/s&gt; #1").fate, "best");
  EXPECT_EQ(box_of(svg, "&lt;/s&gt; #2").fate, "complete");
  for (const char* part :
       {"ein &lt;Satz&gt;", "score −0.30", "−0.75", ">0.00<", "9 hypotheses in 3 steps, 2 of them complete",
        "a b\nlog probability −0.750, score −0.400, this token has probability 0.779", "dropped from the beam",
        "unfinished when the search stopped"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  EXPECT_EQ(svg.find("<Satz>"), std::string::npos);
}

TEST(BeamTree, TheBestPathIsStraightAndTimeRunsToTheRight) {
  const std::string svg = draw(BeamTree{small_tree(), ""});
  const double top = box_of(svg, "&lt;s&gt;").y;
  for (const char* token : {"a", "b", "&lt;/s&gt; #1"}) EXPECT_EQ(box_of(svg, token).y, top) << token;
  EXPECT_GT(box_of(svg, "e").y, top);
  EXPECT_GT(box_of(svg, "b").x, box_of(svg, "a").x);
  EXPECT_EQ(box_of(svg, "b").x, box_of(svg, "f").x) << "one column per step";
}

// Random beams: each step extends random hypotheses of the step before.
std::vector<TreeNode> random_tree(std::uint32_t seed, int beam, int steps) {
  const auto draw = [&seed](std::uint32_t below) {
    seed = seed * 1664525 + 1013904223;
    return seed / 65536 % below;
  };
  std::vector<TreeNode> nodes{{-1, "", 0, 0, false, true}};
  std::vector<int> live{0};
  for (int step = 0; step < steps; ++step) {
    std::vector<int> next;
    for (int i = 0; i < beam; ++i) {
      const int parent = live[draw(static_cast<std::uint32_t>(live.size()))];
      const double sum = nodes[static_cast<std::size_t>(parent)].log_probability - 0.1 * (1 + draw(20));
      nodes.push_back({parent, "w" + std::to_string(nodes.size()), sum, sum, step > 3 && draw(8) == 0, false});
      if (!nodes.back().finished) next.push_back(static_cast<int>(nodes.size()) - 1);
    }
    if (next.empty()) break;
    live = next;
  }
  return nodes;
}

TEST(BeamTree, BoxesDoNotOverlapAndEdgesDoNotCross) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const std::vector<TreeNode> nodes = random_tree(seed, 5, 15);
    const std::vector<Box> drawn = boxes(draw(BeamTree{nodes, "", 100}));
    ASSERT_EQ(drawn.size(), nodes.size());
    std::map<std::string, Box> by_token;
    for (const Box& box : drawn) by_token[box.token.substr(0, box.token.find(' '))] = box;
    const auto place = [&](std::size_t n) { return by_token.at(n == 0 ? "&lt;s&gt;" : nodes[n].token); };
    for (std::size_t a = 1; a < nodes.size(); ++a)
      for (std::size_t b = 1; b < a; ++b) {
        const Box one = place(a), other = place(b);
        if (one.x != other.x) continue;
        EXPECT_NE(one.y, other.y);
        const double parents =
            place(static_cast<std::size_t>(nodes[a].parent)).y - place(static_cast<std::size_t>(nodes[b].parent)).y;
        EXPECT_GE(parents * (one.y - other.y), 0) << "seed " << seed << ": " << one.token << " and " << other.token;
      }
  }
}

TEST(BeamTree, AWideBeamIsLimitedToItsBestHypotheses) {
  const std::string svg = draw(BeamTree{random_tree(7, 40, 10), "", 6});
  std::map<double, int> columns;
  for (const Box& box : boxes(svg)) ++columns[box.x];
  for (const auto& [x, count] : columns) EXPECT_LE(count, 6);
  std::set<double> rows;
  for (const Box& box : boxes(svg)) rows.insert(box.y);
  EXPECT_LE(rows.size(), 6u) << "as many rows as the fullest step has hypotheses";
  EXPECT_NE(svg.find(">1 (+34)<"), std::string::npos);
}

TEST(BeamTree, AFileHasItsOwnColoursInLightAndDark) {
  const std::string file = draw_file(BeamTree{small_tree(), "x"});
  EXPECT_EQ(file.rfind("<svg xmlns='http://www.w3.org/2000/svg' class='beam-tree' role='img'", 0), 0u);
  EXPECT_NE(file.find("prefers-color-scheme:dark"), std::string::npos);
  EXPECT_NE(file.find("<title>Beam search: x</title>"), std::string::npos);
}

TEST(BeamTree, RefusesWhatIsNoTree) {
  EXPECT_NE(support::message([] { draw(BeamTree{{}, ""}); }).find("no hypotheses"), std::string::npos);
  EXPECT_NE(support::message([] {
              draw(BeamTree{{{-1, "", 0, 0, false, false}, {2, "a", 0, 0, false, false}}, ""});
            }).find("parents must come first"),
            std::string::npos);
}

}  // namespace
}  // namespace dragoman::report::beam_trees
