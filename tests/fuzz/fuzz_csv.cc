#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.h"
#include "data/csv.h"

namespace {

using Records = std::vector<std::vector<std::string>>;

Records parse(std::string_view text) {
  dragoman::data::CsvReader reader(dragoman::data::bytes_of(text, "fuzz.csv"), 1 << 16);
  Records records;
  for (std::vector<std::string> fields; reader.next(fields);) records.push_back(fields);
  return records;
}

std::string write(const Records& records) {
  std::string text;
  for (const auto& record : records) {
    for (std::size_t i = 0; i < record.size(); ++i) {
      text += i == 0 ? "\"" : ",\"";
      for (const char c : record[i]) text += c == '"' ? "\"\"" : std::string(1, c);
      text += '"';
    }
    text += '\n';
  }
  return text;
}

}  // namespace

// Whatever is read is written back with every field in quotes and must read the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const Records records = parse({reinterpret_cast<const char*>(data), size});
    if (parse(write(records)) != records) std::abort();
  } catch (const dragoman::Error&) {
  }
  return 0;
}
