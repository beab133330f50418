#include "run/side_by_side.h"

#include <algorithm>

#include "base/counted.h"
#include "base/error.h"

namespace dragoman::run {
namespace {

std::string cell(std::string text) {
  std::replace(text.begin(), text.end(), '\t', ' ');
  return text;
}

}  // namespace

SideBySide::SideBySide(Format format, const std::string& references) : format_(format), path_(references) {
  if (!path_.empty()) references_.emplace(data::open_bytes(path_));
}

std::string SideBySide::header() const {
  if (format_ == Format::text) return "";
  return references_ ? "source\treference\toutput\n" : "source\toutput\n";
}

std::string SideBySide::next(const std::string& source, const std::string& output) {
  ++sentences_;
  data::Line reference;
  check(!references_ || references_->next(reference), "{} has {}, fewer than the input", path_,
        counted(sentences_ - 1, "line"));
  const std::string between(reference.text);
  if (format_ == Format::tsv)
    return cell(source) + "\t" + (references_ ? cell(between) + "\t" : "") + cell(output) + "\n";
  return fmt::format("source     {}\n{}output     {}\n\n", source,
                     references_ ? fmt::format("reference  {}\n", between) : "", output);
}

void SideBySide::finish() {
  data::Line more;
  check(!references_ || !references_->next(more), "{} has more lines than the {} of the input", path_, sentences_);
}

}  // namespace dragoman::run
