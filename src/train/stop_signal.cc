#include "train/stop_signal.h"

#include <signal.h>

namespace dragoman::train {
namespace {

volatile sig_atomic_t received_signal = 0;
struct sigaction before_interrupt, before_terminate;

void note(int signal) { received_signal = signal; }

}  // namespace

StopSignal::StopSignal() {
  received_signal = 0;
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, &before_interrupt);
  sigaction(SIGTERM, &action, &before_terminate);
}

StopSignal::~StopSignal() {
  sigaction(SIGINT, &before_interrupt, nullptr);
  sigaction(SIGTERM, &before_terminate, nullptr);
}

int StopSignal::received() { return received_signal; }

}  // namespace dragoman::train
