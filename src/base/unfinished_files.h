#pragma once

#include <string>

namespace dragoman {

// For programs, never for the library: if the signal of Ctrl-C, of a closed terminal, of a closed pipe or of `kill`
// ends the process, the files that are still being written under temporary names are removed first. Handlers that a
// command installs later replace this one.
void remove_unfinished_files_on_signals();

// Called by AtomicFile with the temporary name. Up to 64 files are remembered; others stay behind.
void remember_unfinished(const std::string& path);
void forget_unfinished(const std::string& path);

}  // namespace dragoman
