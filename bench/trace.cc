// A timeline of a GPU's kernels without a separate profiler: a CUPTI library that CUDA loads into any program.
//   CUDA_INJECTION64_PATH=build/cuda/bench/libdragoman_trace.so DRAGOMAN_TRACE=timeline.txt dragoman train ...
// At the end of the program it prints how often and how long every kernel ran. The timeline has a line per run: begin
// and end in microseconds since the first, blocks, name. Kernels of a programmatic dependent launch overlap the one
// before. Of several processes that train together, each but the first adds its rank to the file's name. The time of
// NCCL's kernels is summed up on its own, with the part of it that other kernels or copies overlap.
#include <cupti.h>
#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

struct Run {
  std::uint64_t begin, end;
  long blocks;
  std::string name;
};

struct Trace {
  std::mutex mutex;
  std::vector<Run> runs;
};
Trace& trace() {
  static Trace& one =
      *std::make_unique<Trace>().release();  // never destroyed: finish() may run after static destructors
  return one;
}

// The demangled name without parameters and without our namespaces.
std::string readable(const char* name) {
  const std::unique_ptr<char, void (*)(void*)> plain(abi::__cxa_demangle(name, nullptr, nullptr, nullptr), std::free);
  std::string result = plain ? plain.get() : name;
  for (const std::string_view noise : {"dragoman::kernels::", "cuda::", "(anonymous namespace)::"})
    for (std::size_t at = 0; (at = result.find(noise, at)) != std::string::npos;) result.erase(at, noise.size());
  int depth = 0;  // of template arguments, which may contain parentheses
  const auto end = std::ranges::find_if(result, [&](char c) {
    depth += (c == '<') - (c == '>');
    return c == '(' && depth == 0;
  });
  return {result.begin(), end};
}

void CUPTIAPI give_room(std::uint8_t** memory, std::size_t* size, std::size_t* most) {
  *size = std::size_t{8} << 20;
  *memory = static_cast<std::uint8_t*>(std::aligned_alloc(8, *size));
  *most = 0;
}

void CUPTIAPI take(CUcontext, std::uint32_t, std::uint8_t* memory, std::size_t, std::size_t bytes) {
  const std::lock_guard lock(trace().mutex);
  const auto add = [](const auto& record, long blocks, const char* name) {
    trace().runs.push_back({record.start, record.end, blocks, name});
  };
  for (CUpti_Activity* one = nullptr; cuptiActivityGetNextRecord(memory, bytes, &one) == CUPTI_SUCCESS;) {
    if (one->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      const auto& kernel = *reinterpret_cast<const CUpti_ActivityKernel9*>(one);
      add(kernel, long{kernel.gridX} * kernel.gridY * kernel.gridZ, kernel.name);
    } else if (one->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
      add(*reinterpret_cast<const CUpti_ActivityMemcpy6*>(one), 0, "copy");
    } else if (one->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
      add(*reinterpret_cast<const CUpti_ActivityMemset4*>(one), 0, "clear");
    }
  }
  std::free(memory);
}

void print_timeline(const std::vector<Run>& runs, const char* path) {
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) return std::perror(path);
  for (const Run& run : runs) {
    const auto since = [&](std::uint64_t time) { return static_cast<double>(time - runs[0].begin) / 1000; };
    std::fprintf(file, "%.2f %.2f %ld %s\n", since(run.begin), since(run.end), run.blocks,
                 readable(run.name.c_str()).c_str());
  }
  std::fclose(file);
}

void print_sums(const std::vector<Run>& runs) {
  struct Sum {
    long times = 0;
    double microseconds = 0;
  };
  std::map<std::string, Sum> sums;
  std::uint64_t busy_until = 0, idle = 0;
  for (const Run& run : runs) {
    Sum& sum = sums[run.name];
    ++sum.times;
    sum.microseconds += static_cast<double>(run.end - run.begin) / 1000;
    if (busy_until > 0 && run.begin > busy_until) idle += run.begin - busy_until;
    busy_until = std::max(busy_until, run.end);
  }
  std::vector<std::pair<std::string, Sum>> list(sums.begin(), sums.end());
  std::ranges::sort(list, std::greater(), [](const auto& one) { return one.second.microseconds; });
  std::fprintf(stderr, "%10s %8s %10s  %s\n", "ms", "times", "us each", "kernel");
  for (const auto& [name, sum] : list)
    std::fprintf(stderr, "%10.3f %8ld %10.2f  %.100s\n", sum.microseconds / 1000, sum.times,
                 sum.microseconds / static_cast<double>(sum.times), readable(name.c_str()).c_str());
  std::fprintf(stderr, "%10.3f ms from first to last, %.3f of them idle\n",
               static_cast<double>(busy_until - runs[0].begin) / 1e6, static_cast<double>(idle) / 1e6);
}

// Whether it moves data between GPUs.
bool communicates(const Run& run) { return run.name.find("nccl") != std::string::npos; }

struct Interval {
  std::uint64_t begin, end;
};

// When the GPU does anything but communicate, in order and without overlap.
std::vector<Interval> other_work(const std::vector<Run>& runs) {
  std::vector<Interval> busy;
  for (const Run& run : runs) {
    if (communicates(run)) continue;
    if (busy.empty() || run.begin > busy.back().end)
      busy.push_back({run.begin, run.end});
    else
      busy.back().end = std::max(busy.back().end, run.end);
  }
  return busy;
}

// NCCL waits for the slowest GPU inside its kernels, so its time includes that.
void print_overlap(const std::vector<Run>& runs) {
  const std::vector<Interval> busy = other_work(runs);
  double sum = 0, hidden = 0;  // nanoseconds
  for (const Run& run : runs) {
    if (!communicates(run)) continue;
    sum += static_cast<double>(run.end - run.begin);
    auto work = std::ranges::upper_bound(busy, run.begin, {}, &Interval::end);
    for (; work != busy.end() && work->begin < run.end; ++work)
      hidden += static_cast<double>(std::min(run.end, work->end) - std::max(run.begin, work->begin));
  }
  if (sum > 0)
    std::fprintf(stderr, "%10.3f ms of NCCL, %.1f %% of them behind other work\n", sum / 1e6, 100 * hidden / sum);
}

// The file of the timeline of this process.
std::string timeline_path(const char* path) {
  const char* const rank = std::getenv("RANK");
  return rank == nullptr || std::string_view(rank) == "0" ? path : std::string(path) + "." + rank;
}

void finish() {
  cuptiActivityFlushAll(1);
  const std::lock_guard lock(trace().mutex);
  std::vector<Run>& runs = trace().runs;
  if (runs.empty()) return;
  std::ranges::sort(runs, {}, &Run::begin);
  if (const char* path = std::getenv("DRAGOMAN_TRACE")) print_timeline(runs, timeline_path(path).c_str());
  print_sums(runs);
  print_overlap(runs);
}

}  // namespace

// CUDA calls this after loading the library.
extern "C" int InitializeInjection() {
  cuptiActivityRegisterCallbacks(give_room, take);
  for (const CUpti_ActivityKind kind :
       {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET})
    cuptiActivityEnable(kind);
  std::atexit(finish);
  return 1;
}
