#include "base/error.h"
#include "recipe/transfer.h"

// What a program that was built without libcurl answers.
namespace dragoman::recipe {

TransferEnd transfer(const TransferRequest& request, TransferSink&) {
  fail("{}: {}", request.url, transfer_obstacle());
}

std::string transfer_obstacle() { return "files cannot be downloaded, because this program was built without libcurl"; }

}  // namespace dragoman::recipe
