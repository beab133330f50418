#pragma once

#include "exchange/huggingface_folder.h"
#include "exchange/imported.h"

// One function per format; each is defined in a file of its own name. Throws Error with the reason if the files are not
// a model of this format or if the model has something that ours lacks.
namespace dragoman::exchange {

Imported import_marian_mt(const HuggingFaceFolder& folder);
Imported import_m2m100(const HuggingFaceFolder& folder);
Imported import_bart(const HuggingFaceFolder& folder);
Imported import_mbart(const HuggingFaceFolder& folder);
Imported import_t5(const HuggingFaceFolder& folder);

}  // namespace dragoman::exchange
