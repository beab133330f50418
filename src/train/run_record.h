#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dragoman::train {

// What is worth knowing about a run beside its course: how it was started, where, and with which settings.
struct RunRecord {
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  std::string name{};     // of the output folder
  std::string command{};  // as typed into a shell
  std::string preset{};
  std::string version{};   // of the program
  std::string device{};    // cpu, cuda, cuda:N
  std::string hardware{};  // what the device is: the name of the GPU or of the CPU
  std::string machine{};   // CPU, cores, operating system
  std::uint64_t seed = 0;
  Pairs settings{};  // key and value
  Pairs facts{};     // about the data, in words
};

}  // namespace dragoman::train
