#pragma once

#include "recipe/job_runner.h"
#include "recipe/results.h"

// Collects the results of finished jobs from the files that their steps wrote. The GPU of a result is that of the
// steps: of those that made the model if they used one.
namespace dragoman::recipe {

SystemResult measure_system(const Recipe& recipe, const Folder& folder, const System& system, const Job& job,
                            const Environment& environment);

FigureResult measure_figure(const Job& job, const Environment& environment);

}  // namespace dragoman::recipe
