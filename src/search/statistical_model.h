#pragma once

#include <string>

#include "smt/phrase_system.h"
#include "store/safetensors.h"

namespace dragoman::search {

// A statistical model as one safetensors file: each part is a tensor of bytes, and the metadata names the kind of
// model.
void save_statistical(const std::string& path, const smt::PhraseSystem& system, const store::Metadata& card = {});

smt::PhraseSystem load_statistical(const std::string& path);

}  // namespace dragoman::search
