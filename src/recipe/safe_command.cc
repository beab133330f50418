#include "recipe/safe_command.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/quote.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;

// Flags that name files or folders to write.
constexpr const char* kWritten[] = {"--output",
                                    "--output-source",
                                    "--output-target",
                                    "--out",
                                    "--cache",
                                    "--save",
                                    "--svg",
                                    "--lexicon",
                                    "--lexicon-text",
                                    "--alignments",
                                    "--tree",
                                    "--tree-svg",
                                    "--attention-svg",
                                    "--side-by-side",
                                    "--statistical.write-arpa",
                                    "--statistical.ngrams.folder",
                                    "--statistical.phrases.folder"};
constexpr const char* kRefused[] = {"recipe", "serve", "docs"};

bool is_below(const std::string& path, const std::string& folder) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  const fs::path base = (fs::absolute(folder) / "").lexically_normal();
  // A folder ends in a slash: its last part is empty.
  return std::mismatch(base.begin(), std::prev(base.end()), whole.begin(), whole.end()).first == std::prev(base.end());
}

void check_written(const std::string& path, const std::string& output, const std::string& data) {
  if (path.empty() || path == "-") return;
  check(is_below(path, output) && path.find('\0') == std::string::npos,
        "a command writes to {}; expected a file below the output folder, such as {{system}}/FILE or {{work}}/FILE",
        excerpt(path));
  // Results may be kept beside the data; but where the data is linked into the output folder, writing would follow
  // links.
  check(is_below(output, data) || !is_below(path, data),
        "a command writes to {}, which is in the folder of the data; use {{work}} instead", excerpt(path));
}

}  // namespace

void check_safe(const CommandLine& command, const std::string& output, const std::string& data) {
  for (const char* name : kRefused) check(command.words[0] != name, "a recipe cannot run the command '{}'", name);
  check(!has_flag(command, "--config"),
        "a recipe gives all settings as flags, so that its report shows them; expected "
        "flags instead of --config");
  check_written(command.output, output, data);
  for (const char* flag : kWritten)
    for (const std::string& path : flag_values(command, flag)) check_written(path, output, data);
}

void check_below(const std::string& path, const std::string& where) {
  const fs::path parts(path);
  check(!path.empty() && parts.is_relative() && std::find(parts.begin(), parts.end(), "..") == parts.end(),
        "{}: '{}' must be the name of a file, which does not lead out of its folder", where, excerpt(path));
}

}  // namespace dragoman::recipe
