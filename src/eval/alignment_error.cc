#include "eval/alignment_error.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>

#include "base/error.h"
#include "base/quote.h"
#include "data/text_file.h"
#include "eval/python_str.h"

namespace dragoman::eval {
namespace {

void sort_unique(std::vector<Link>& links) {
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
}

std::size_t common(const std::vector<Link>& a, const std::vector<Link>& b) {
  std::vector<Link> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both.size();
}

// Sure and possible links together.
std::vector<Link> all_links(const SentenceLinks& sentence) {
  std::vector<Link> all;
  std::set_union(sentence.sure.begin(), sentence.sure.end(), sentence.possible.begin(), sentence.possible.end(),
                 std::back_inserter(all));
  return all;
}

double share(std::size_t part, std::size_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace

SentenceLinks parse_links(const std::string& line, const LinkFormat& format, const std::string& where) {
  SentenceLinks result;
  for (const std::string_view word : python::split(line)) {
    const char* const end = word.data() + word.size();
    std::uint16_t left = 0, right = 0;
    const auto first = std::from_chars(word.data(), end, left);
    const bool has_mark = first.ec == std::errc() && first.ptr < end && (*first.ptr == '-' || *first.ptr == 'p');
    const auto second = has_mark ? std::from_chars(first.ptr + 1, end, right) : first;
    check(has_mark && second.ec == std::errc() && second.ptr == end,
          "{}: expected a link such as 3-4 (sure) or 3p4 (possible) but got '{}'", where, excerpt(word));
    check(std::min(left, right) >= format.from, "{}: the link '{}' has a word number below {}", where, excerpt(word),
          format.from);
    Link link{left - format.from, right - format.from};
    if (format.swap) std::swap(link.source, link.target);
    (*first.ptr == '-' ? result.sure : result.possible).push_back(link);
  }
  sort_unique(result.sure);
  sort_unique(result.possible);
  std::erase_if(result.possible,
                [&](const Link& link) { return std::binary_search(result.sure.begin(), result.sure.end(), link); });
  return result;
}

std::vector<SentenceLinks> read_links(const std::string& path, const LinkFormat& format) {
  std::vector<SentenceLinks> sentences;
  for (const std::string& line : data::read_lines(path))
    sentences.push_back(parse_links(line, format, fmt::format("{}:{}", path, sentences.size() + 1)));
  return sentences;
}

double AlignmentError::precision() const { return share(in_possible, links); }
double AlignmentError::recall() const { return share(in_sure, sure); }
double AlignmentError::alignment_error() const {
  return links + sure > 0 ? 1 - share(in_sure + in_possible, links + sure) : 0;
}

AlignmentError compare_links(const std::vector<SentenceLinks>& hypothesis, const std::vector<SentenceLinks>& gold) {
  check(hypothesis.size() == gold.size(), "alignment error: {} sentences but {} gold sentences", hypothesis.size(),
        gold.size());
  AlignmentError error;
  for (std::size_t i = 0; i < gold.size(); ++i) {
    const std::vector<Link> proposed = all_links(hypothesis[i]), possible = all_links(gold[i]);
    error.links += proposed.size();
    error.sure += gold[i].sure.size();
    error.possible += possible.size();
    error.in_sure += common(proposed, gold[i].sure);
    error.in_possible += common(proposed, possible);
  }
  return error;
}

}  // namespace dragoman::eval
