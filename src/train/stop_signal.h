#pragma once

namespace dragoman::train {

// While one lives, SIGINT and SIGTERM ask the trainer to save and leave instead of ending the program; a second one
// ends it.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // The signal that came, or 0.
  static int received();
};

}  // namespace dragoman::train
