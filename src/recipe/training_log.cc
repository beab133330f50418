#include "recipe/training_log.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "base/log.h"

namespace dragoman::recipe {

using report::Json;
using report::number;

namespace {

// The count of an object's key; 0 if it has none. (A conversion of any number would overflow.)
std::uint64_t count(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_number_unsigned() ? at->get<std::uint64_t>() : 0;
}

}  // namespace

bool TrainingLog::update() {
  struct stat properties {};
  if (stat(path_.c_str(), &properties) != 0) return false;
  // A resumed run replaces its log by the part that is still valid.
  if (properties.st_ino != file_) {
    *this = TrainingLog(path_);
    file_ = properties.st_ino;
  }
  std::ifstream file(path_);
  file.seekg(static_cast<std::streamoff>(offset_));
  for (std::string line; std::getline(file, line) && !file.eof(); offset_ += line.size() + 1) read(line);
  return true;
}

void TrainingLog::read(const std::string& line) {
  const Json json = parse_json_or_null<Json>(line);
  if (!json.is_object()) return;
  try {
    read(json);
  } catch (const Json::exception&) {
    log::warning("{}: a line is skipped, because one of its values has an unexpected type", path_);
  }
}

void TrainingLog::read(const Json& json) {
  const std::string kind = json.value("kind", "");
  position_ = {count(json, "update"), number(json, "epoch").value_or(0), count(json, "tokens")};
  if (kind == "start") {
    parameters_ = count(json, "parameters");
    until_ = train::parse_amounts(json.value("until", std::vector<std::string>()));
  } else if (kind == "train") {
    loss_ = number(json, "loss").value_or(std::numeric_limits<double>::quiet_NaN());
    tokens_per_second_ = number(json, "tokens_per_second").value_or(0);
    if (const auto loss = number(json, "nll")) losses_.emplace_back(position_.epochs, *loss);
  } else if (kind == "validation") {
    validation_seconds_ += number(json, "seconds").value_or(0);
    const auto perplexity = json.contains("scores") ? number(json.at("scores"), "perplexity") : std::nullopt;
    if (perplexity) {
      best_perplexity_ = std::min(best_perplexity_.value_or(*perplexity), *perplexity);
      last_perplexity_ = perplexity;
    }
  } else if (kind == "end") {
    seconds_ = number(json, "seconds");
  }
}

std::optional<double> TrainingLog::last_epoch_loss() const {
  double sum = 0, count = 0;
  for (const auto& [epoch, loss] : losses_)
    if (epoch > position_.epochs - 1) {
      sum += loss;
      ++count;
    }
  if (count == 0) return std::nullopt;
  return sum / count;
}

}  // namespace dragoman::recipe
