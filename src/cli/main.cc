#include <malloc.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>

#include "base/error.h"
#include "base/log.h"
#include "base/mapped_file_faults.h"
#include "base/system_reason.h"
#include "base/unfinished_files.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/help.h"

namespace dragoman::cli {
namespace {

int run(const Words& arguments) {
  if (arguments.empty()) {
    std::fputs(overview().c_str(), stderr);
    return 2;
  }
  const std::string& word = arguments[0];
  if (word == "--version") {
    fmt::print("dragoman {}\n", DRAGOMAN_VERSION);
    return 0;
  }
  const bool asks = word == "help" || word == "--help" || word == "-h";
  if (asks && arguments.size() == 1) {
    std::fputs(overview().c_str(), stdout);
    return 0;
  }
  const Command& command = find_command(asks ? arguments[1] : word);
  return command.run(command, asks ? Words{"--help"} : Words{arguments.begin() + 1, arguments.end()});
}

// Says why the command failed, even if there is no memory for a log message.
void report(const char* reason) {
  try {
    log::error("{}", reason);
  } catch (const std::exception&) {
    std::fputs(reason, stderr);
    std::fputc('\n', stderr);
  }
}

// Large blocks go back to the system when they are freed. By default glibc moves them to its heap as soon as one was
// freed, where arenas that grow leave holes behind.
void return_large_blocks() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

// Threads have stacks of this size, too; no message could be printed when one is used up.
void check_stack() {
  constexpr rlim_t kLeast = 512 << 10;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kLeast) return;
  fail("the stack is limited to {} kB; expected at least {} kB (ulimit -s)", limit.rlim_cur >> 10, kLeast >> 10);
}

}  // namespace
}  // namespace dragoman::cli

int main(int argc, char** argv) {
  dragoman::report_mapped_file_faults();
  dragoman::cli::return_large_blocks();
  dragoman::remove_unfinished_files_on_signals();
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit of its size is an error of write()
  try {
    dragoman::cli::check_stack();
    const int status = dragoman::cli::run({argv + 1, argv + argc});
    // Results that did not reach their destination are no results.
    dragoman::check(std::fflush(stdout) == 0 && std::ferror(stdout) == 0, "standard output cannot be written: {}",
                    dragoman::system_reason);
    return status;
  } catch (const std::bad_alloc&) {
    dragoman::cli::report("memory ran out");
  } catch (const std::filesystem::filesystem_error& error) {
    dragoman::cli::report((error.path1().string() + ": " + error.code().message()).c_str());
  } catch (const std::exception& error) {
    dragoman::cli::report(error.what());
  }
  // A thread that waits for input outlives an error (run/translation_stream.h), and must not meet destroyed globals.
  std::fflush(stdout);
  std::_Exit(1);
}
