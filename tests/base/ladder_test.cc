// The ladder of rooms: a file may include only its own room and those below it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>

namespace dragoman {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kRooms = {
    "base", "kernels", "tensor", "comm",     "text",   "data",  "document", "phrasebook", "eval",   "align", "smt",
    "nn",   "models",  "store",  "exchange", "search", "train", "report",   "run",        "recipe", "serve", "cli"};
// Rooms that know no tensors.
const std::vector<std::string> kPlain = {"text", "data", "document", "phrasebook", "eval", "align", "smt"};

int rank(const std::string& room) {
  const auto at = std::find(kRooms.begin(), kRooms.end(), room);
  return at == kRooms.end() ? -1 : static_cast<int>(at - kRooms.begin());
}

TEST(Ladder, NoIncludeClimbsToAHigherRoom) {
  const fs::path source = fs::path(DRAGOMAN_SOURCE) / "src";
  const std::regex include("^\\s*#include \"([a-z_]+)/.*");
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(source)) {
    const std::string extension = entry.path().extension();
    if (extension != ".h" && extension != ".cc" && extension != ".cu" && extension != ".cuh") continue;
    ++files;
    const std::string room = *fs::relative(entry.path(), source).begin();
    ASSERT_GE(rank(room), 0) << room << " is not on the ladder";
    const bool plain = std::find(kPlain.begin(), kPlain.end(), room) != kPlain.end();
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      std::smatch match;
      if (!std::regex_match(line, match, include)) continue;
      const std::string used = match[1];
      if (rank(used) < 0) continue;  // a library's own folder
      EXPECT_LE(rank(used), rank(room)) << entry.path() << " includes " << used;
      EXPECT_FALSE(plain && (used == "tensor" || used == "kernels")) << entry.path() << " knows tensors";
    }
  }
  EXPECT_GT(files, 20);
}

// The Python package is a front end of its own beside these rooms.
TEST(Ladder, ThePythonModuleUsesNeitherTheServerNorTheCommands) {
  const std::regex include("^\\s*#include \"([a-z_]+)/.*");
  int files = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(DRAGOMAN_SOURCE) / "python" / "src")) {
    ++files;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      std::smatch match;
      if (!std::regex_match(line, match, include)) continue;
      EXPECT_LE(rank(match[1]), rank("run")) << entry.path() << ": " << line;
    }
  }
  EXPECT_GT(files, 5);
}

}  // namespace
}  // namespace dragoman
