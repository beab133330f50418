#pragma once

#include <string>

#include "recipe/plan.h"

namespace dragoman::recipe {

// Writes a stand-in for every declared data file to FOLDER/NAME/FILE below `data`: a part of the phrasebook, such as
// train.en, or a file beside the recipe, as `miniature.files` says. Throws for a file without a stand-in.
void write_stand_ins(const Recipe& recipe, const std::string& data);

// Throws if commands read files that the recipe does not declare, since nothing stands in for those.
void check_miniature(const Recipe& recipe, const Plan& plan);

}  // namespace dragoman::recipe
