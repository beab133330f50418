#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "train/append_file.h"
#include "train/observer.h"
#include "train/run_record.h"

namespace dragoman::train {

// CRC-32C (Castagnoli), the checksum of event files.
std::uint32_t crc32c(std::string_view bytes);

// Writes scalars, sample translations and hyper-parameters as TensorBoard event files: records (length, checksum,
// event, checksum) of protocol buffers. A resumed run writes a new file; its first event, a session start, makes
// TensorBoard drop the events that the interrupted process wrote after the checkpoint.
class TensorBoard final : public Observer {
 public:
  explicit TensorBoard(std::string folder, RunRecord record = {})
      : folder_(std::move(folder)), record_(std::move(record)) {}

  void on_start(const RunInfo& info) override;
  void on_log(const StepReport& step) override;
  void on_validation(const Validation& validation) override;
  void on_end(const RunEnd& end) override;
  void on_failure(const std::string& words, const Position& position) override;

 private:
  void write_record(const std::string& event) const;

  std::string folder_;
  RunRecord record_;
  AppendFile file_;
};

}  // namespace dragoman::train
