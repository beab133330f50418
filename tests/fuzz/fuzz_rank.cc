// What a stranger may send to the port where ranks meet, and what a launcher may write into the environment: any bytes
// are read or refused with an error. The first byte says what the rest is: h the introduction of a rank, n a list of
// hosts, v lines of NAME=VALUE.
#include <cstdlib>
#include <map>
#include <sstream>

#include "base/error.h"
#include "comm/hello.h"
#include "comm/place.h"

namespace {

using namespace dragoman;

void require(bool condition) {
  if (!condition) std::abort();
}

void read_hello(const std::string& bytes) {
  const comm::Hello hello = comm::Hello::parse(bytes);
  require(hello.rank >= 0 && hello.size >= 0);
  require(comm::Hello::parse(hello.serialize()).serialize() == hello.serialize());
}

void read_variables(const std::string& text) {
  std::map<std::string, std::string> values;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos) values[line.substr(0, equals)] = line.substr(equals + 1);
  }
  const comm::Place place = comm::find_place([&](const char* name) -> const char* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second.c_str();
  });
  require(place.rank >= 0 && place.rank < place.size && place.local_rank < place.size && place.port <= 65535);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    if (data[0] == 'h') read_hello(rest);
    if (data[0] == 'n') comm::first_host(rest);
    if (data[0] == 'v') read_variables(rest);
  } catch (const Error&) {
  }
  return 0;
}
