#pragma once

#include "recipe/composer.h"

namespace dragoman::recipe {

// The commands of a figure; none for a figure that is drawn from the results of the systems.
Job plan_figure(const Recipe& recipe, const Folder& folder, const Composer& composer, const Figure& figure);

}  // namespace dragoman::recipe
