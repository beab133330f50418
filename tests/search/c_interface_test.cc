#include "tests/search/c_interface.h"

#include <gtest/gtest.h>

#include "tests/search/c_details.h"
#include "tests/search/text_model.h"
#include "tests/support/temp_folder.h"

namespace dragoman::search::test {
namespace {

TEST(CInterface, KeepsItsWord) {
  const support::TempFolder folder;
  const std::string model = folder.file("model.safetensors");
  write_text_model(model, "transformer-small", 3);
  const char* const problem = check_c_interface(model.c_str());
  EXPECT_EQ(problem, nullptr) << problem;
}

TEST(CInterface, RequestsExplanationsAndScoresKeepTheirWord) {
  const support::TempFolder folder;
  const std::string model = folder.file("model.safetensors");
  write_text_model(model, "transformer-small", 3);
  const char* const problem = check_c_details(model.c_str());
  EXPECT_EQ(problem, nullptr) << problem;
}

}  // namespace
}  // namespace dragoman::search::test
