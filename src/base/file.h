#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace dragoman {

// Thrown when a file cannot be written, for instance because the disk is full.
class WriteError : public Error {
 public:
  using Error::Error;
};

// A regular file that is open for reading. Throws for folders, pipes and devices instead of waiting for them.
class InputFile {
 public:
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  // When it was opened.
  std::uint64_t size() const { return size_; }
  int descriptor() const { return descriptor_; }
  // Reads `count` bytes from `begin`; any thread may. Throws if the file has become shorter meanwhile.
  void read(std::uint64_t begin, char* to, std::size_t count) const;
  // Throws if the file has been written to since it was opened. A file that replaces it by a rename is another file.
  void check_unchanged() const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::int64_t modified_ = 0;  // ns
};

// The content of a regular file.
std::string read_file(const std::string& path);

// A memory-mapped file, read-only and shared with every process that maps it. The bytes stay valid if the file is
// removed or replaced by a rename. If it is truncated instead, reading beyond its new end raises SIGBUS: a program that
// maps files calls report_mapped_file_faults() first (base/mapped_file_faults.h). Code that is part of the library
// reads files into memory, because signals belong to the application.
class MappedFile {
 public:
  // Throws if the file cannot be opened; an empty file gives an empty view.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {data_, size_}; }
  // Throws if the file has been written to since it was mapped. Ask after reading bytes that matter: in the last page
  // of a file that was truncated they are 0 and raise no signal.
  void check_unchanged() const { file_.check_unchanged(); }

 private:
  InputFile file_;
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

// A file that appears as a whole or not at all: written under a temporary name in the same folder and renamed by
// commit(). Follows symbolic links; writes to devices, pipes and open descriptors, such as /dev/stdout, directly.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Appends.
  void write(std::string_view bytes);
  // Overwrites bytes starting at `begin`, for a header that is known only at the end; write() still appends at the end
  // of the file.
  void write_at(std::string_view bytes, std::uint64_t begin);
  // Makes durable what was written, for a file that must not appear without another: both are synced, then committed.
  void sync();
  void commit();
  // Bytes appended so far.
  std::uint64_t size() const { return size_; }
  // The temporary name, by which other processes can write to it; empty if it is written directly.
  const std::string& partial() const { return partial_; }

 private:
  std::string path_, partial_;  // no partial_: written directly
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

// An existing file, open to be written at any place. Several processes may write to different places of it.
class SharedOutput {
 public:
  explicit SharedOutput(std::string path);
  ~SharedOutput();
  SharedOutput(const SharedOutput&) = delete;
  SharedOutput& operator=(const SharedOutput&) = delete;

  void write_at(std::string_view bytes, std::uint64_t begin);
  // Makes durable what was written, and visible to other machines.
  void sync();

 private:
  std::string path_;
  int descriptor_;
};

}  // namespace dragoman
