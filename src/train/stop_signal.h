#pragma once

namespace dragoman::train {

// During its lifetime, SIGINT, SIGTERM and, unless it is ignored (nohup), SIGHUP are recorded instead of ending the
// program, so that the trainer can save a checkpoint and return. A second signal ends the program, but not within a
// second: at a time limit, Slurm sends SIGTERM twice within milliseconds.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // The signal that was received, or 0.
  static int received();
};

}  // namespace dragoman::train
