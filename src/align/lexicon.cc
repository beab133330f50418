#include "align/lexicon.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <system_error>

#include "base/checked_file.h"
#include "base/quote.h"
#include "data/line_reader.h"
#include "data/utf8.h"

namespace dragoman::align {
namespace {

constexpr std::string_view kLexiconKind = "dragoman lexicon 1\n";

bool is_probability(float value) { return value > 0 && value <= 1; }

// One line of a text lexicon.
struct TextEntry {
  std::string source, target;
  float probability = 0;

  TextEntry(std::string_view line, const std::string& where) {
    const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
    const bool has_fields = first != std::string_view::npos && second != std::string_view::npos;
    const std::string_view number = has_fields ? line.substr(second + 1) : "";
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), probability);
    const bool has_words =
        has_fields && first > 0 && second > first + 1 && data::find_invalid_utf8(line) == std::string_view::npos;
    if (!has_words || error != std::errc() || end != number.data() + number.size() || !is_probability(probability))
      fail("{}: expected source word, target word and probability in UTF-8, separated by tabs, but got '{}'", where,
           excerpt(line));
    source = line.substr(0, first);
    target = line.substr(first + 1, second - first - 1);
  }
};

// The lines may be in any order.
Lexicon load_text(const std::string& path) {
  WordIndex sources, targets;
  std::vector<std::vector<Lexicon::Entry>> rows;
  data::LineReader reader(data::open_bytes(path));
  for (data::Line line; reader.next(line);) {
    const TextEntry entry(line.text, fmt::format("{}:{}", path, line.number));
    const auto source = static_cast<std::size_t>(sources.of(entry.source));
    rows.resize(sources.words.size());
    rows[source].push_back({targets.of(entry.target), entry.probability});
  }
  check(!rows.empty(), "{}: the lexicon is empty", path);
  std::vector<std::uint64_t> row_begin{0};
  std::vector<Lexicon::Entry> entries;
  for (std::vector<Lexicon::Entry>& row : rows) {
    std::stable_sort(row.begin(), row.end(),
                     [](const auto& a, const auto& b) { return a.probability > b.probability; });
    entries.insert(entries.end(), row.begin(), row.end());
    row_begin.push_back(entries.size());
  }
  return Lexicon(std::move(sources.words), std::move(targets.words), std::move(row_begin), std::move(entries));
}

Lexicon load_binary(const std::string& path) {
  const CheckedFile file(path, kLexiconKind);
  ByteReader reader = file.reader();
  std::vector<std::string> sources = reader.get_texts(), targets = reader.get_texts();
  std::vector<std::uint64_t> row_begin = reader.get_array<std::uint64_t>();
  const std::vector<std::int32_t> ids = reader.get_array<std::int32_t>();
  const std::vector<float> probabilities = reader.get_array<float>();
  reader.expect_end();
  const auto known = [&](std::int32_t id) { return id >= 0 && static_cast<std::size_t>(id) < targets.size(); };
  const bool fits = ids.size() == probabilities.size() && row_begin.size() == sources.size() + 1 &&
                    row_begin.front() == 0 && row_begin.back() == ids.size() &&
                    std::is_sorted(row_begin.begin(), row_begin.end()) && std::all_of(ids.begin(), ids.end(), known) &&
                    std::all_of(probabilities.begin(), probabilities.end(), is_probability);
  check(fits, "{}: the parts of the lexicon are inconsistent", path);
  for (std::size_t row = 0; row + 1 < row_begin.size(); ++row)
    check(std::is_sorted(probabilities.begin() + static_cast<std::ptrdiff_t>(row_begin[row]),
                         probabilities.begin() + static_cast<std::ptrdiff_t>(row_begin[row + 1]), std::greater<>()),
          "{}: the translations of word {} are not sorted by probability", path, row);
  for (const std::string& word : targets) {
    check(word.find_first_of("\t\r\n") == std::string::npos, "{}: a word contains a tab or a line end", path);
    check(data::find_invalid_utf8(word) == std::string::npos, "{}: a word is not UTF-8: '{}'", path, excerpt(word));
  }
  std::vector<Lexicon::Entry> entries;
  entries.reserve(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) entries.push_back({ids[i], probabilities[i]});
  return Lexicon(std::move(sources), std::move(targets), std::move(row_begin), std::move(entries));
}

}  // namespace

Lexicon::Lexicon(std::vector<std::string> sources, std::vector<std::string> targets,
                 std::vector<std::uint64_t> row_begin, std::vector<Entry> entries)
    : sources_(std::move(sources)),
      targets_(std::move(targets)),
      row_begin_(std::move(row_begin)),
      entries_(std::move(entries)) {
  for (std::size_t row = 0; row < sources_.size(); ++row) rows_.emplace(sources_[row], row);
}

Lexicon Lexicon::load(const std::string& path) {
  return MappedFile(path).bytes().starts_with(kLexiconKind) ? load_binary(path) : load_text(path);
}

void Lexicon::save_binary(const std::string& path) const {
  std::vector<std::int32_t> ids;
  std::vector<float> probabilities;
  for (const Entry& entry : entries_) {
    ids.push_back(entry.target);
    probabilities.push_back(entry.probability);
  }
  CheckedFileWriter writer(path, kLexiconKind);
  writer.put_texts(sources_);
  writer.put_texts(targets_);
  writer.put_array(row_begin_);
  writer.put_array(ids);
  writer.put_array(probabilities);
  writer.commit();
}

void Lexicon::save_text(const std::string& path) const {
  AtomicFile file(path);
  std::string text;
  for (std::size_t source = 0; source < sources_.size(); ++source) {
    text.clear();
    for (const Entry& entry : row(source))
      text += fmt::format("{}\t{}\t{}\n", sources_[source], targets_[entry.target], entry.probability);
    file.write(text);
  }
  file.commit();
}

std::span<const Lexicon::Entry> Lexicon::translations(std::string_view source) const {
  const auto found = rows_.find(std::string(source));
  return found == rows_.end() ? std::span<const Entry>{} : row(found->second);
}

std::int32_t WordIndex::of(const std::string& word) {
  const auto [found, is_new] = ids.try_emplace(word, static_cast<std::int32_t>(words.size()));
  if (is_new) words.push_back(word);
  return found->second;
}

void LexiconBuilder::add(std::span<const std::string> source, std::span<const std::string> target, const Links& links) {
  for (const Link& link : links) {
    const std::int32_t from = sources_.of(source[link.source]), to = targets_.of(target[link.target]);
    counts_.resize(sources_.words.size());
    ++counts_[from][to];
  }
}

Lexicon LexiconBuilder::finish(std::size_t best) const {
  std::vector<std::uint64_t> row_begin{0};
  std::vector<Lexicon::Entry> entries;
  for (const auto& row : counts_) {
    std::vector<std::pair<std::int32_t, std::int64_t>> sorted(row.begin(), row.end());
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    std::int64_t total = 0;
    for (const auto& [target, count] : sorted) total += count;
    sorted.resize(std::min(best, sorted.size()));
    for (const auto& [target, count] : sorted)
      entries.push_back({target, static_cast<float>(static_cast<double>(count) / static_cast<double>(total))});
    row_begin.push_back(entries.size());
  }
  return Lexicon(sources_.words, targets_.words, std::move(row_begin), std::move(entries));
}

}  // namespace dragoman::align
