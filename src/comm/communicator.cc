#include "comm/communicator.h"

namespace dragoman::comm {

Communicator& alone() {
  static Alone one;
  return one;
}

}  // namespace dragoman::comm
