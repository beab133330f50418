#include "report/page_style.h"

#include "report/series_style.h"

namespace dragoman::report {

std::string page_style() { return kPageStyle + series_rules(); }

}  // namespace dragoman::report
