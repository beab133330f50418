#include "report/beam_tree.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "report/escape.h"
#include "report/svg.h"

namespace dragoman::report {
namespace {

// In pixels.
constexpr double kTreeMargin = 14, kTitle = 26, kSteps = 22, kLegend = 34;
constexpr double kNodeRow = 44, kBox = 22, kPad = 7, kGap = 36;  // kGap: between the boxes of two steps
constexpr double kFont = 13, kSmallFont = 10.5;
constexpr std::size_t kLongestToken = 18;   // characters; the tooltip shows all of it
constexpr std::size_t kLongestTitle = 110;  // characters

// Each colour twice: plain for programs that know no CSS variables, then as a variable.
constexpr const char* kStyle =
    ".beam-tree text{fill:#1d2430;fill:var(--ink,#1d2430)}"
    ".beam-tree .paper{fill:#fff;fill:var(--paper,#fff)}"
    ".beam-tree .note,.beam-tree .number{fill:#667085;fill:var(--dim,#667085)}"
    ".beam-tree .edge{fill:none;stroke:#98a2b3;stroke:var(--dim,#98a2b3)}"
    ".beam-tree .box{fill:#fff;fill:var(--paper,#fff);stroke:#98a2b3;stroke:var(--dim,#98a2b3)}"
    ".beam-tree .complete .box{stroke-width:1.5}"
    ".beam-tree .dropped,.beam-tree .open{opacity:.5}"
    ".beam-tree .open .box{stroke-dasharray:3 2}"
    ".beam-tree .best .edge{stroke:#2563eb;stroke:var(--s0,#2563eb)}"
    ".beam-tree .best .box{fill:#2563eb;fill:var(--s0,#2563eb);stroke:#2563eb;stroke:var(--s0,#2563eb)}"
    ".beam-tree .best .token{fill:#fff;fill:var(--paper,#fff);font-weight:600}"
    ".beam-tree .best .number{fill:#2563eb;fill:var(--s0,#2563eb);font-weight:600}";

// What became of a hypothesis.
enum class Fate {
  best,      // part of the best translation
  complete,  // part of another complete hypothesis
  open,      // unfinished when the search stopped
  dropped    // none of its continuations stayed in the beam long enough
};
struct FateWords {
  Fate fate;
  const char *name, *words;
};
constexpr FateWords kFates[] = {{Fate::best, "best", "best translation"},
                                {Fate::complete, "complete", "other complete hypothesis"},
                                {Fate::open, "open", "unfinished when the search stopped"},
                                {Fate::dropped, "dropped", "dropped from the beam"}};

struct Place {
  int step = 0, row = 0;
  Fate fate = Fate::dropped;
  int rank = 0;                // of a complete hypothesis, from 1
  double promise = -INFINITY;  // score of the best complete hypothesis below this node
  bool shown = false;
  std::vector<std::size_t> below;  // children, the most promising one first
};

// Decides which nodes are shown, and in which step and row. In every step, nodes are in the order of a depth-first
// walk, so that no edges cross, and each is as close to the row of its parent as the others permit. There are as many
// rows as nodes in the fullest step.
class TreeLayout {
 public:
  explicit TreeLayout(const BeamTree& tree) : nodes_(tree.nodes), places_(nodes_.size()) {
    check(!nodes_.empty(), "[beam tree] there are no hypotheses to draw");
    check(tree.most_per_step >= 1, "[beam tree] most_per_step must be at least 1, got {}", tree.most_per_step);
    link();
    rank();
    judge();
    choose(tree.most_per_step);
    next_row_.assign(unplaced_.size(), 0);
    rows_ = *std::max_element(unplaced_.begin(), unplaced_.end());
    place(0, 0);
    measure();
  }

  const Place& operator[](std::size_t node) const { return places_[node]; }
  int steps() const { return steps_; }
  int complete() const { return complete_; }
  bool hides() const {
    return std::any_of(hidden_.begin(), hidden_.end(), [](int count) { return count > 0; });
  }
  // The number of a step, and how many of its nodes are not shown.
  std::string heading(int step) const {
    const int hidden = hidden_[static_cast<std::size_t>(step)];
    return fmt::format("{}{}", step, hidden > 0 ? fmt::format(" (+{})", hidden) : "");
  }
  std::string label(std::size_t node) const {
    if (node == 0) return "<s>";
    return shortened(nodes_[node].token, kLongestToken) +
           (nodes_[node].finished ? fmt::format(" #{}", places_[node].rank) : "");
  }
  double left(int step) const { return columns_[static_cast<std::size_t>(step)]; }
  double x(std::size_t node) const { return left(places_[node].step); }
  double y(std::size_t node) const { return kTreeMargin + kTitle + kSteps + kNodeRow * places_[node].row; }
  double box(std::size_t node) const { return text_width(label(node), kFont) + 2 * kPad; }
  double width() const { return columns_.back() - kGap + kTreeMargin; }
  double height() const { return kTreeMargin + kTitle + kSteps + kNodeRow * rows_ + kLegend; }

 private:
  std::size_t parent(std::size_t node) const { return static_cast<std::size_t>(nodes_[node].parent); }

  void link() {
    for (std::size_t n = 1; n < nodes_.size(); ++n) {
      check(nodes_[n].parent >= 0 && parent(n) < n, "[beam tree] node {} has parent {}; parents must come first", n,
            nodes_[n].parent);
      places_[n].step = places_[parent(n)].step + 1;
      steps_ = std::max(steps_, places_[n].step);
      places_[parent(n)].below.push_back(n);
    }
  }

  void rank() {
    std::vector<std::size_t> finished;
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      if (nodes_[n].finished) finished.push_back(n);
    std::stable_sort(finished.begin(), finished.end(),
                     [&](std::size_t a, std::size_t b) { return nodes_[a].score > nodes_[b].score; });
    complete_ = static_cast<int>(finished.size());
    for (std::size_t i = 0; i < finished.size(); ++i) places_[finished[i]].rank = static_cast<int>(i) + 1;
  }

  // Fates from the leaves up, and the order of children.
  void judge() {
    for (std::size_t n = nodes_.size(); n-- > 0;) {
      Place& place = places_[n];
      if (nodes_[n].finished) place.promise = nodes_[n].score;
      if (nodes_[n].best || n == 0)
        place.fate = Fate::best;
      else if (place.promise > -INFINITY)
        place.fate = Fate::complete;
      else if (place.fate == Fate::dropped && place.below.empty() && place.step == steps_)
        place.fate = Fate::open;
      if (n > 0) {
        Place& above = places_[parent(n)];
        above.promise = std::max(above.promise, place.promise);
        if (place.fate == Fate::open) above.fate = Fate::open;
      }
      std::stable_sort(place.below.begin(), place.below.end(),
                       [&](std::size_t a, std::size_t b) { return before(a, b); });
    }
  }

  bool before(std::size_t a, std::size_t b) const {
    if (nodes_[a].best != nodes_[b].best) return nodes_[a].best;
    if (places_[a].promise != places_[b].promise) return places_[a].promise > places_[b].promise;
    return nodes_[a].log_probability > nodes_[b].log_probability;
  }

  // Shows at most `most` nodes of each step, with their parents.
  void choose(int most) {
    hidden_.assign(static_cast<std::size_t>(steps_) + 1, 0);
    unplaced_ = hidden_;
    std::vector<std::vector<std::size_t>> by_step(hidden_.size());
    for (std::size_t n = 0; n < nodes_.size(); ++n) by_step[static_cast<std::size_t>(places_[n].step)].push_back(n);
    for (std::size_t step = 0; step < by_step.size(); ++step) {
      std::stable_sort(by_step[step].begin(), by_step[step].end(),
                       [&](std::size_t a, std::size_t b) { return before(a, b); });
      for (const std::size_t n : by_step[step]) {
        places_[n].shown = unplaced_[step] < most && (n == 0 || places_[parent(n)].shown);
        ++(places_[n].shown ? unplaced_ : hidden_)[step];
      }
    }
  }

  void place(std::size_t node, int row_of_parent) {
    Place& at = places_[node];
    const auto step = static_cast<std::size_t>(at.step);
    // The nodes of this step that come later need rows, too.
    at.row = std::max(next_row_[step], std::min(row_of_parent, rows_ - unplaced_[step]));
    next_row_[step] = at.row + 1;
    --unplaced_[step];
    for (const std::size_t child : at.below)
      if (places_[child].shown) place(child, at.row);
  }

  void measure() {
    std::vector<double> widths;
    for (int step = 0; step <= steps_; ++step) widths.push_back(text_width(heading(step), kSmallFont));
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      if (places_[n].shown) {
        double& width = widths[static_cast<std::size_t>(places_[n].step)];
        width = std::max(width, box(n));
      }
    columns_ = {kTreeMargin};
    for (const double width : widths) columns_.push_back(columns_.back() + width + kGap);
  }

  const std::vector<TreeNode>& nodes_;
  std::vector<Place> places_;
  std::vector<int> hidden_, unplaced_, next_row_;  // by step
  std::vector<double> columns_;                    // left edge of each step, and of the one after the last
  int steps_ = 0, rows_ = 0, complete_ = 0;
};

const FateWords& words_of(Fate fate) { return kFates[static_cast<std::size_t>(fate)]; }

// The tokens of a hypothesis, for its tooltip.
std::string tokens_up_to(const BeamTree& tree, std::size_t node) {
  std::vector<std::size_t> path;
  for (; node > 0; node = static_cast<std::size_t>(tree.nodes[node].parent)) path.push_back(node);
  std::string text;
  for (auto at = path.rbegin(); at != path.rend(); ++at) {
    if (!text.empty()) text += ' ';
    text += tree.nodes[*at].token;
  }
  return text;
}

// The probability of a node's token, given the tokens before it.
double probability(const BeamTree& tree, std::size_t node) {
  const TreeNode& at = tree.nodes[node];
  return std::exp(at.log_probability - tree.nodes[static_cast<std::size_t>(at.parent)].log_probability);
}

// With a minus sign instead of a hyphen.
std::string fixed(double value, int digits) {
  const std::string text = fmt::format("{:.{}f}", std::abs(value), digits);
  return (value < 0 && text.find_first_not_of("0.") != std::string::npos ? "−" : "") + text;
}

std::string edge(const BeamTree& tree, const TreeLayout& layout, std::size_t node) {
  const auto parent = static_cast<std::size_t>(tree.nodes[node].parent);
  const double x0 = layout.x(parent) + layout.box(parent), y0 = layout.y(parent) + kBox / 2;
  const double x1 = layout.x(node), y1 = layout.y(node) + kBox / 2;
  // Straight to the end of the parent's column, then a curve in the gap.
  const double bend = layout.left(layout[node].step) - kGap, middle = (bend + x1) / 2;
  return fmt::format(
      "<path class='edge' stroke-width='{:.1f}' d='M{:.1f} {:.1f}H{:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}'/>",
      1 + 2.5 * std::min(probability(tree, node), 1.0), x0, y0, bend, middle, y0, middle, y1, x1, y1);
}

std::string box(const BeamTree& tree, const TreeLayout& layout, std::size_t node) {
  const TreeNode& at = tree.nodes[node];
  const double x = layout.x(node), y = layout.y(node), width = layout.box(node);
  std::string svg = fmt::format(
      "<rect class='box' x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{}' rx='{}'/><text class='token' x='{:.1f}' "
      "y='{:.1f}' text-anchor='middle'>{}</text>",
      x, y, width, kBox, at.finished || node == 0 ? kBox / 2 : 4, x + width / 2, y + kBox / 2 + 0.35 * kFont,
      escape(layout.label(node)));
  if (node > 0)
    svg += fmt::format("<text class='number' x='{:.1f}' y='{:.1f}' font-size='{}' text-anchor='middle'>{}{}</text>",
                       x + width / 2, y + kBox + kSmallFont + 1, kSmallFont, at.finished ? "score " : "",
                       fixed(at.finished ? at.score : at.log_probability, 2));
  return svg;
}

std::string tooltip(const BeamTree& tree, const TreeLayout& layout, std::size_t node) {
  if (node == 0) return "the beginning of the sentence";
  const TreeNode& at = tree.nodes[node];
  return fmt::format("{}\nlog probability {}, score {}, this token has probability {:.3f}\n{}",
                     tokens_up_to(tree, node), fixed(at.log_probability, 3), fixed(at.score, 3),
                     probability(tree, node), words_of(layout[node].fate).words);
}

std::string hypothesis(const BeamTree& tree, const TreeLayout& layout, std::size_t node) {
  return fmt::format("<g class='{}'><title>{}</title>{}{}</g>\n", words_of(layout[node].fate).name,
                     escape(tooltip(tree, layout, node)), node > 0 ? edge(tree, layout, node) : "",
                     box(tree, layout, node));
}

std::string note(double x, double y, std::string_view words) {
  return fmt::format("<text class='note' x='{:.1f}' y='{:.1f}' font-size='{}'>{}</text>\n", x, y, kSmallFont, words);
}

std::string step_numbers(const TreeLayout& layout) {
  std::string svg;
  for (int step = 1; step <= layout.steps(); ++step)
    svg += note(layout.left(step), kTreeMargin + kTitle + kSteps / 2, layout.heading(step));
  return svg;
}

struct Legend {
  std::string svg;
  double width = 0;
};

// The fates that occur, and what is not shown.
Legend legend(const BeamTree& tree, const TreeLayout& layout) {
  std::string svg;
  double x = kTreeMargin;
  const double y = layout.height() - kLegend / 2;
  for (const auto& [fate, name, words] : kFates) {
    bool occurs = false;
    for (std::size_t n = 1; n < tree.nodes.size(); ++n) occurs = occurs || (layout[n].shown && layout[n].fate == fate);
    if (!occurs) continue;
    svg += fmt::format("<g class='{}'><rect class='box' x='{:.1f}' y='{:.1f}' width='18' height='12' rx='3'/></g>{}",
                       name, x, y - 9, note(x + 24, y + 1, words));
    x += 24 + text_width(words, kSmallFont) + 20;
  }
  if (layout.hides()) {
    constexpr std::string_view kHidden = "(+n): n more, not drawn";
    svg += note(x, y + 1, kHidden);
    x += text_width(kHidden, kSmallFont) + 20;
  }
  return {svg, x};
}

}  // namespace

std::string draw(const BeamTree& tree) {
  const TreeLayout layout(tree);
  const std::string title = shortened(tree.title, kLongestTitle);
  const Legend fates = legend(tree, layout);
  const double width = std::max({layout.width(), fates.width, 2 * kTreeMargin + text_width(title, kFont)});
  std::string svg = fmt::format(
      "<svg class='beam-tree' role='img' width='{0:.0f}' height='{1:.0f}' viewBox='0 0 {0:.0f} {1:.0f}' "
      "font-family='system-ui,sans-serif' font-size='{2}'>\n<title>Beam search: {3}</title>\n"
      "<desc>{4} hypotheses in {5} steps, {6} of them complete.</desc>\n<style>{7}</style>\n"
      "<rect class='paper' width='{0:.0f}' height='{1:.0f}'/>\n"
      "<text x='{8}' y='{9}' font-weight='600'>{10}</text>\n",
      width, layout.height(), kFont, escape(tree.title), tree.nodes.size() - 1, layout.steps(), layout.complete(),
      kStyle, kTreeMargin, kTreeMargin + kFont, escape(title));
  svg += step_numbers(layout);
  // The best path is drawn last, above the others.
  for (const bool best : {false, true})
    for (std::size_t n = 0; n < tree.nodes.size(); ++n)
      if (layout[n].shown && (layout[n].fate == Fate::best) == best) svg += hypothesis(tree, layout, n);
  return svg + fates.svg + "</svg>\n";
}

std::string draw_file(const BeamTree& tree) { return svg_file(draw(tree), ""); }

}  // namespace dragoman::report
