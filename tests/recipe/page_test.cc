#include <gtest/gtest.h>

#include "recipe/page.h"
