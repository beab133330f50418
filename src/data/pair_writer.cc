#include "data/pair_writer.h"

#include "base/error.h"

namespace dragoman::data {
namespace {

const std::string& checked(const std::string& source, const std::string& target) {
  check(!source.empty() && !target.empty(),
        "expected --output-source FILE and --output-target FILE, the files to write");
  check(source != "-" && target != "-", "expected two files to write, not standard output, which is for the counts");
  return source;
}

}  // namespace

PairWriter::PairWriter(const std::string& source, const std::string& target)
    : source_(checked(source, target)), target_(target) {}

void PairWriter::write(const Pair& pair) {
  source_.write(pair.source);
  target_.write(pair.target);
  ++written_;
}

void PairWriter::commit() {
  source_.complete();
  target_.complete();
  source_.commit();
  target_.commit();
}

}  // namespace dragoman::data
