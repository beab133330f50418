#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace dragoman::faults {

using Words = std::vector<std::string>;

// How a process ended.
struct Outcome {
  enum class End { exited, killed, hung };
  End end = End::hung;
  int number = 0;  // exit status or signal
  std::string out, err;

  bool succeeded() const { return end == End::exited && number == 0; }
  // Ended with a status and a message, as for any mistake of a user.
  bool refused() const { return end == End::exited && number > 0 && !err.empty(); }
  std::string describe() const;
};

struct Launch {
  Words words;                                     // of the command line, after the program
  std::filesystem::path folder;                    // to run in
  std::map<std::string, std::string> environment;  // added to that of this process
  std::string input = "";                          // a file; empty: none
  int input_descriptor = -1;                       // instead of `input`
  std::string output = "";                         // standard output; empty: a file that is read back
  std::map<int, std::uint64_t> limits{};           // of resources (setrlimit)
};

// The program, running. Its output goes to files in its folder.
class Process {
 public:
  explicit Process(const Launch& launch);
  // Kills it, if it is still running.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  bool is_running();
  void send(int signal) const;
  // Waits for the end; a process that runs longer than the limit hangs.
  Outcome wait(std::chrono::seconds limit = std::chrono::seconds(DRAGOMAN_PATIENCE));
  std::string error_output() const;
  std::string output() const;

 private:
  std::filesystem::path stdout_, stderr_;
  pid_t process_ = -1;
  int status_ = 0;
};

Outcome run(const Launch& launch);

// The program to disturb: by default that of the build.
void set_program(const std::string& path);

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& text);

}  // namespace dragoman::faults
