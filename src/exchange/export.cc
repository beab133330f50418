#include "exchange/export.h"

#include "exchange/export_folder.h"
#include "exchange/export_formats.h"

namespace dragoman::exchange {

ExportSummary export_model(const std::string& path, ExportFormat format, const std::string& folder) {
  ExportFolder to(folder);
  const ExportedModel model(path);
  switch (format) {
    case ExportFormat::huggingface: export_huggingface(model, to); break;
    case ExportFormat::ctranslate2: export_ctranslate2(model, to); break;
    case ExportFormat::numpy: export_numpy(model, to); break;
  }
  if (!model.info().shortlist.empty()) to.leave_out("the lexical shortlist");
  to.finish();
  return {.parameters = model.parameters().count(), .files = to.files(), .left_out = to.left_out()};
}

}  // namespace dragoman::exchange
