#pragma once

#include <string>
#include <vector>

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

// The files of a model of Marian.
struct MarianFiles {
  std::string model;                        // .npz or .bin
  std::vector<std::string> vocabularies{};  // .spm or .yml, one for both sides or two
  std::vector<std::string> subwords{};      // SentencePiece models for vocabularies in .yml, likewise
  std::string shortlist{};                  // in the binary format; may be empty
};
Imported import_marian(const MarianFiles& files);

}  // namespace dragoman::exchange
