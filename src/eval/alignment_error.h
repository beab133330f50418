#pragma once

#include <string>
#include <vector>

#include "dragoman/alignment.h"

// Alignment error rate against a gold alignment (Och, Ney: "A Systematic Comparison of Various Statistical Alignment
// Models", Computational Linguistics 2003).
namespace dragoman::eval {

using Link = AlignmentLink;

// The links of one sentence pair in Pharaoh format: "i-j" is sure, "ipj" only possible. Both lists are sorted, without
// duplicates; a link given as both is sure.
struct SentenceLinks {
  std::vector<Link> sure, possible;
};

struct LinkFormat {
  int from = 0;       // number of the first word: 0 or 1
  bool swap = false;  // the file has the target word first
};

// `where` names the line in errors ("gold.talp:12").
SentenceLinks parse_links(const std::string& line, const LinkFormat& format, const std::string& where);
std::vector<SentenceLinks> read_links(const std::string& path, const LinkFormat& format);

struct AlignmentError {
  std::size_t links = 0, sure = 0, possible = 0;  // `possible` includes the sure links
  std::size_t in_sure = 0, in_possible = 0;       // links that are in the gold alignment

  double precision() const;        // |A ∩ P| / |A|
  double recall() const;           // |A ∩ S| / |S|
  double alignment_error() const;  // 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|)
};

// All links of `hypothesis` count, sure or possible. Both lists have one entry per sentence pair.
AlignmentError compare_links(const std::vector<SentenceLinks>& hypothesis, const std::vector<SentenceLinks>& gold);

}  // namespace dragoman::eval
