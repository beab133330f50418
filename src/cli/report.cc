#include <filesystem>

#include "base/file.h"
#include "cli/command.h"
#include "report/comparison.h"
#include "report/run_report.h"
#include "run/output_files.h"

namespace dragoman::cli {
namespace {

struct ReportOptions {
  std::string output;

  template <class V>
  void visit(V& v) {
    v("output", output, "HTML file to write; of a single run by default RUN/report/index.html");
  }
};

int run_report(const Command& self, const Words& arguments) {
  return run_with<ReportOptions>(self, arguments, [](ReportOptions& options, const Words& runs) {
    check(!runs.empty(), "expected the output folders of one or more training runs");
    check(runs.size() == 1 || !options.output.empty(), "expected --output FILE, the page that compares {} runs",
          runs.size());
    run::check_output_files({}, {{"--output", options.output}});
    const std::string page = runs.size() == 1 ? report::page_of_run(runs[0]) : report::comparison_page(runs);
    const std::string path = options.output.empty() ? report::report_path(runs[0]) : options.output;
    if (options.output.empty()) std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    AtomicFile file(path);
    file.write(page);
    file.commit();
    fmt::print("{}\n", path);
    return 0;
  });
}

}  // namespace

extern const Command report_command{"report",
                                    "RUN... [--output FILE]",
                                    "writes the report of a training run, or a page that compares several",
                                    run_report,
                                    describe_options<ReportOptions>,
                                    "# the report of a run, with its state as of now\n"
                                    "dragoman report run\n"
                                    "# curves, best scores and differing settings of three runs\n"
                                    "dragoman report small medium large --output comparison.html"};

}  // namespace dragoman::cli
