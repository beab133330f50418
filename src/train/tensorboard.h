#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "train/append_file.h"
#include "train/observer.h"

namespace dragoman::train {

// CRC-32C (Castagnoli), the checksum of event files.
std::uint32_t crc32c(std::string_view bytes);

// Writes scalars and sample translations as TensorBoard event files: records (length, checksum, event, checksum) of
// protocol buffers. A resumed run writes a new file; its first event, a session start, makes TensorBoard drop the
// events that the interrupted process wrote after the checkpoint.
class TensorBoard final : public Observer {
 public:
  explicit TensorBoard(std::string folder) : folder_(std::move(folder)) {}

  void on_start(const RunInfo& info) override;
  void on_log(const StepReport& step) override;
  void on_validation(const Validation& validation) override;

 private:
  void write_record(const std::string& event) const;

  std::string folder_;
  AppendFile file_;
};

}  // namespace dragoman::train
