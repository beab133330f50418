#include "base/error.h"
#include "recipe/download.h"

namespace dragoman::recipe {

// What a program that was built without libcurl answers.
void fetch(const std::string& url, const std::string&) {
  fail("{}: files cannot be downloaded, because this program was built without libcurl", url);
}

}  // namespace dragoman::recipe
