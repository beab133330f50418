#pragma once

#include <cstddef>
#include <string>

namespace dragoman {

// For programs, never for the library: installs a handler for SIGBUS. When a mapped file has been truncated and a page
// beyond its new end is read, the handler prints which file it was and ends the process with status 1. Faults elsewhere
// keep their default action.
void report_mapped_file_faults();

// Called by MappedFile. Up to 256 mappings are remembered by name; a fault in any other keeps its default action.
void remember_mapping(const char* begin, std::size_t size, const std::string& path);
void forget_mapping(const char* begin);

}  // namespace dragoman
