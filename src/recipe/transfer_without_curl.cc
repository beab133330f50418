#include "base/error.h"
#include "recipe/transfer.h"

// What a program that was built without libcurl answers.
namespace dragoman::recipe {

TransferEnd transfer(const TransferRequest& request, TransferSink&) {
  fail("{}: cannot be downloaded, because this program was built without libcurl", request.url);
}

bool can_transfer() { return false; }

}  // namespace dragoman::recipe
