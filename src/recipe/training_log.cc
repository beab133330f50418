#include "recipe/training_log.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

namespace dragoman::recipe {

using Json = nlohmann::json;

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
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return;
  const std::string kind = json.value("kind", "");
  position_ = {json.value("update", std::uint64_t{0}), json.value("epoch", 0.0),
               json.value("tokens", std::uint64_t{0})};
  if (kind == "start") {
    parameters_ = json.value("parameters", std::uint64_t{0});
    until_ = train::parse_amounts(json.value("until", std::vector<std::string>()));
  } else if (kind == "train") {
    loss_ = json.value("loss", 0.0);
    tokens_per_second_ = json.value("tokens_per_second", 0.0);
    losses_.emplace_back(position_.epochs, json.value("nll", 0.0));
  } else if (kind == "validation") {
    validation_seconds_ += json.value("seconds", 0.0);
    if (!json.contains("scores") || !json.at("scores").contains("perplexity")) return;
    const double perplexity = json.at("scores").at("perplexity");
    best_perplexity_ = std::min(best_perplexity_.value_or(perplexity), perplexity);
  } else if (kind == "end") {
    seconds_ = json.value("seconds", 0.0);
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
