#include "smt/ngram_arpa.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

#include "base/file.h"
#include "base/quote.h"
#include "data/line_reader.h"
#include "data/words.h"

namespace dragoman::smt {
namespace {

constexpr std::string_view kSpecial[] = {"<unk>", "<s>", "</s>"};
constexpr double kAnyWeight = std::numeric_limits<double>::infinity();  // of backoff, which may exceed one

// Reads the sections line by line; errors name the current line. The counts of the header are compared with the
// sections; no memory is allocated for them.
class ArpaReader {
 public:
  explicit ArpaReader(const std::string& path) : path_(path), lines_(data::open_bytes(path)) {}

  ArpaModel read() {
    read_counts();
    read_unigrams();
    NgramModelBuilder builder(static_cast<std::uint32_t>(vocabulary_->size()), counts_.size());
    std::vector<bool> given(static_cast<std::size_t>(vocabulary_->size()));
    for (const Unigram& unigram : unigrams_) {
      const std::uint32_t id = find(unigram.word);
      expect(!given[id], "the word '{}' occurs twice", unigram.word);
      given[id] = true;
      builder.add({&id, 1}, unigram.probability, unigram.backoff, unigram.is_context);
    }
    expect(given[kSentenceBegin] && given[kSentenceEnd], "'{}' is missing from the 1-grams",
           given[kSentenceBegin] ? "</s>" : "<s>");
    for (std::size_t n = 2; n <= counts_.size(); ++n) read_ngrams(n, builder);
    expect(line_ == "\\end\\", "expected \\end\\ but got '{}'", line_);
    return {std::move(*vocabulary_), builder.finish()};
  }

 private:
  struct Unigram {
    std::string word;
    double probability, backoff;
    bool is_context;
  };

  // Quotes text by excerpt(), which takes time, only if the condition fails.
  template <class... Args>
  void expect(bool condition, fmt::string_view format, const Args&... args) const {
    if (!condition) fail("{}:{}: {}", path_, lines_.count(), fmt::format(fmt::runtime(format), shown(args)...));
  }
  template <class T>
  static auto shown(const T& value) {
    if constexpr (std::is_arithmetic_v<T>)
      return value;
    else
      return excerpt(value);
  }

  // Moves to the next line that is not blank.
  void advance() {
    data::Line line;
    do {
      expect(lines_.next(line), "the file ends before \\end\\");
      line_ = line.text;
      while (!line_.empty() && data::is_space(line_.back())) line_.pop_back();
    } while (line_.empty());
  }

  // A probability, unless another bound is given.
  double number(std::string_view text, double most = 0) const {
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    expect(!(value > most), "expected the logarithm of a probability but got {}, which is positive", value);
    expect(result.ec == std::errc() && result.ptr == text.data() + text.size() && std::isfinite(value),
           "expected a base 10 logarithm but got '{}'", text);
    return value;
  }

  void read_counts() {
    do advance();
    while (line_ != "\\data\\");
    for (advance(); line_.starts_with("ngram "); advance()) {
      std::size_t order = 0;
      std::uint64_t count = 0;
      const char* const end = line_.data() + line_.size();
      auto result = std::from_chars(line_.data() + 6, end, order);
      const bool has_equals = result.ec == std::errc() && result.ptr != end && *result.ptr == '=';
      if (has_equals) result = std::from_chars(result.ptr + 1, end, count);
      expect(has_equals && result.ec == std::errc() && result.ptr == end, "expected 'ngram N=COUNT' but got '{}'",
             line_);
      expect(order == counts_.size() + 1, "expected the count of {}-grams but got that of {}-grams", counts_.size() + 1,
             order);
      expect(order <= kMaxNgramOrder, "expected orders up to {} but got {}-grams", kMaxNgramOrder, order);
      counts_.push_back(count);
    }
    expect(!counts_.empty(), "expected 'ngram 1=COUNT' but got '{}'", line_);
  }

  void expect_section(std::size_t n) {
    expect(line_ == fmt::format("\\{}-grams:", n), "expected \\{}-grams: but got '{}'", n, line_);
    advance();
  }

  // Splits the line into probability, n words and an optional backoff weight.
  void split(std::size_t n) {
    fields_.clear();
    data::for_each_word(line_, [&](std::string_view field) { fields_.push_back(field); });
    expect(fields_.size() == n + 1 || fields_.size() == n + 2,
           "expected a logarithm, {} word{} and optionally a backoff weight but got '{}'", n, n == 1 ? "" : "s", line_);
  }

  void read_unigrams() {
    expect_section(1);
    std::vector<std::string> words;
    for (std::uint64_t i = 0; i < counts_[0]; ++i, advance()) {
      expect(line_[0] != '\\', "the header announces {} 1-grams but there are only {}", counts_[0], i);
      split(1);
      const bool is_context = fields_.size() == 3;
      unigrams_.push_back(
          {std::string(fields_[1]), number(fields_[0]), is_context ? number(fields_[2], kAnyWeight) : 0, is_context});
      if (std::find(std::begin(kSpecial), std::end(kSpecial), fields_[1]) == std::end(kSpecial))
        words.emplace_back(fields_[1]);
    }
    std::vector<std::string> sorted = words;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    expect(twice == sorted.end(), "the word '{}' occurs twice among the 1-grams",
           twice == sorted.end() ? std::string_view() : std::string_view(*twice));
    vocabulary_.emplace(std::move(words));
  }

  std::uint32_t find(std::string_view word) const {
    for (std::uint32_t id = 0; id < std::size(kSpecial); ++id)
      if (word == kSpecial[id]) return id;
    const std::int32_t id = vocabulary_->find(word);
    expect(id != 0, "the word '{}' is missing from the 1-grams", word);
    return static_cast<std::uint32_t>(id);
  }

  void read_ngrams(std::size_t n, NgramModelBuilder& builder) {
    expect_section(n);
    std::vector<std::uint32_t> words(n);
    for (std::uint64_t i = 0; i < counts_[n - 1]; ++i, advance()) {
      expect(line_[0] != '\\', "the header announces {} {}-grams but there are only {}", counts_[n - 1], n, i);
      split(n);
      for (std::size_t w = 0; w < n; ++w) words[w] = find(fields_[w + 1]);
      const bool is_context = fields_.size() == n + 2;
      const double backoff = is_context ? number(fields_[n + 1], kAnyWeight) : 0;
      expect(builder.add(words, number(fields_[0]), backoff, is_context),
             "the {}-gram '{}' lacks the shorter n-grams it contains", n, line_);
    }
  }

  std::string path_;
  data::LineReader lines_;
  std::string line_;
  std::vector<std::string_view> fields_;
  std::vector<std::uint64_t> counts_;
  std::vector<Unigram> unigrams_;
  std::optional<text::Vocabulary> vocabulary_;
};

}  // namespace

void write_arpa(const std::string& path, NgramEstimator& estimates, const text::Vocabulary& vocabulary) {
  const auto word = [&](std::uint32_t id) -> std::string_view {
    return id < std::size(kSpecial) ? kSpecial[id] : vocabulary.word(static_cast<std::int32_t>(id));
  };
  AtomicFile file(path);
  std::string text = "\\data\\\n";
  for (int n = 1; n <= estimates.order(); ++n) text += fmt::format("ngram {}={}\n", n, estimates.count(n));
  constexpr std::size_t kPiece = 1 << 16;
  for (int n = 1; n <= estimates.order(); ++n) {
    text += fmt::format("\n\\{}-grams:\n", n);
    estimates.visit(n, [&](const NgramEntry& entry) {
      text += fmt::format("{:.8g}\t", entry.probability > 0 ? std::log10(entry.probability) : -99.0);
      for (std::size_t i = 0; i < entry.words.size(); ++i) {
        if (i > 0) text += ' ';
        text += word(entry.words[i]);
      }
      text += entry.is_context ? fmt::format("\t{:.8g}\n", std::log10(entry.backoff)) : "\n";
      if (text.size() < kPiece) return;
      file.write(text);
      text.clear();
    });
  }
  file.write(text + "\n\\end\\\n");
  file.commit();
}

ArpaModel read_arpa(const std::string& path) { return ArpaReader(path).read(); }

}  // namespace dragoman::smt
