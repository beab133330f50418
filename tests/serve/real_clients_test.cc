// The Python packages deepl and libretranslatepy, where they are installed: DRAGOMAN_CLIENTS_PYTHON names a Python that
// has them (python3 by default).
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/serve/test_server.h"
#include "tests/support/temp_folder.h"

namespace dragoman::serve::test {
namespace {

TEST(RealClients, WorkUnchanged) {
  const char* const named = std::getenv("DRAGOMAN_CLIENTS_PYTHON");
  const std::string python = named != nullptr ? named : "python3";
  if (std::system((python + " -c 'import deepl, libretranslatepy' >/dev/null 2>&1").c_str()) != 0)
    GTEST_SKIP() << python << " has no packages deepl and libretranslatepy; DRAGOMAN_CLIENTS_PYTHON may name another";
  const TestServer server;
  const support::TempFolder folder;
  const int status = std::system((python + " " DRAGOMAN_SOURCE "/tests/serve/real_clients.py http://127.0.0.1:" +
                                  std::to_string(server.port()) + " >'" + folder.file("said") + "' 2>&1")
                                     .c_str());
  const std::string said = support::read_all(folder.file("said"));
  EXPECT_EQ(status, 0) << said;
  EXPECT_EQ(said, "all calls worked\n");
}

}  // namespace
}  // namespace dragoman::serve::test
