#include "store/convert.h"

#include "models/classifier.h"
#include "models/seq2seq.h"
#include "store/model_file.h"

namespace dragoman::store {
namespace {

template <class Network>
void convert(const ModelFile& file, StoredFormat format, const std::string& output, const Metadata& card) {
  Network network(file.info().config);
  network.parameters().allocate(cpu_device(), DType::f32, std::nullopt, false);
  file.load(network.parameters());
  ModelInfo info = file.info();
  info.card["weights"] = name_of(format);
  for (const auto& [key, value] : card) info.card[key] = value;
  std::erase_if(info.card, [](const auto& entry) { return entry.second.empty(); });
  save_model(output, info, network.parameters(), format);
}

}  // namespace

void convert_model(const std::string& path, StoredFormat format, const std::string& output, const Metadata& card) {
  const ModelFile file(path);
  if (file.info().config.classes > 0)
    convert<models::Classifier>(file, format, output, card);
  else
    convert<models::Seq2seq>(file, format, output, card);
}

}  // namespace dragoman::store
