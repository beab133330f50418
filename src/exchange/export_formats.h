#pragma once

#include <string>
#include <vector>

#include "exchange/exported_model.h"

// One function per format; each is defined in a file of its own name. Throws Error if the format cannot express the
// model, before anything is written. `folder` exists and is empty.
namespace dragoman::exchange {

class ExportFolder;

void export_huggingface(const ExportedModel& model, ExportFolder& folder);
void export_ctranslate2(const ExportedModel& model, ExportFolder& folder);
void export_numpy(const ExportedModel& model, ExportFolder& folder);

}  // namespace dragoman::exchange
