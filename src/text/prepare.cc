#include "text/prepare.h"

#include "text/contractions.h"

namespace dragoman::text {

MappedText prepare(std::string_view line, const PrepareOptions& options) {
  MappedText text(line);
  text.normalize(options.normalize);
  if (options.expand_contractions) text.replace(find_contractions(text.text()));
  if (options.lower) text.lower_case();
  return text;
}

}  // namespace dragoman::text
