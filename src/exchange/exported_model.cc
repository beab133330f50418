#include "exchange/exported_model.h"

#include "base/error.h"

namespace dragoman::exchange {
namespace {

template <class Network>
std::unique_ptr<Network> load(const store::ModelFile& file) {
  auto network = std::make_unique<Network>(file.info().config);
  network->parameters().allocate(cpu_device(), DType::f32, std::nullopt, false);
  file.load(network->parameters());
  return network;
}

}  // namespace

ExportedModel::ExportedModel(const std::string& path) : path_(path) {
  const store::ModelFile file(path);
  info_ = file.info();
  if (info_.config.classes > 0)
    classifier_ = load<models::Classifier>(file);
  else
    translator_ = load<models::Seq2seq>(file);
}

std::span<const float> ExportedModel::weights(const std::string& parameter) const {
  const nn::Parameters::Entry* const entry = parameters().find(parameter);
  check(entry != nullptr, "{}: has no parameter '{}'", path_, parameter);
  return weights(*entry);
}

std::span<const float> ExportedModel::weights(const nn::Parameters::Entry& entry) const {
  const Tensor values = parameters().weights_of(entry);
  return {static_cast<const float*>(values.raw()), static_cast<std::size_t>(values.count())};
}

}  // namespace dragoman::exchange
