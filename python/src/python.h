#pragma once

// pybind11's headers, which every file of the module includes through this one.
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/options.h"

namespace dragoman::python {

namespace py = pybind11;

// Each defines the part of the module `dragoman._core` that its file is about.
void define_translator(py::module_& module);
void define_models(py::module_& module);
void define_metrics(py::module_& module);
void define_alignment(py::module_& module);
void define_text(py::module_& module);
void define_training(py::module_& module);
void define_pictures(py::module_& module);

// The keyword arguments of a call as settings: names with '-' and the values as text.
class Arguments {
 public:
  // Python writes '_' where flags have '-', one more behind its own keywords (from_), and a dictionary for a group:
  // model={"layers": 2} is model.layers. None leaves a setting as it is.
  explicit Arguments(const py::dict& given) { read("", given); }

  // Throws Error if a setting is unknown, has an invalid value or has no effect beside the others.
  void apply(Settings& settings) const;
  // Applies them without looking at their effects.
  Parsed assign(Settings& settings) const;

 private:
  struct Value {
    std::vector<std::string> texts;
    bool is_list = false;
  };
  void read(const std::string& prefix, const py::dict& given, int depth = 0);

  std::vector<std::pair<std::string, Value>> values_;
};

// Names, types, defaults and descriptions of the settings of `Options`.
template <class Options>
py::list describe() {
  Options options;
  const Settings settings(options);
  py::list list;
  for (const Setting& setting : settings.all())
    list.append(py::make_tuple(setting.key, setting.type, setting.get(), setting.help));
  return list;
}

// The UTF-8 of a str. Throws the TypeError or UnicodeError of Python for anything else; `what` names it.
std::string text_of(py::handle object, const char* what);
std::vector<std::string> texts_of(const py::iterable& objects, const char* what);
// Lists of tokens.
std::vector<std::vector<std::string>> token_lists_of(const py::iterable& objects, const char* what);
// A str of UTF-8; bytes that are not, as a token can have, become U+FFFD.
py::str as_str(std::string_view text);
py::list as_strs(const std::vector<std::string>& texts);
// A path: a str or an object with __fspath__.
std::string path_of(py::handle object);
std::vector<std::string> paths_of(const py::iterable& objects);

// While Python waits for other threads: throws the exception of a signal handler, such as KeyboardInterrupt.
void check_signals();

// Releases the interpreter's lock during its lifetime.
class Unlocked {
 public:
  Unlocked() : thread_(PyEval_SaveThread()) {}
  // A daemon thread that wants the lock back while the interpreter ends is unwound by it, through functions that do not
  // expect that; such a thread stays here instead, until the process is gone.
  ~Unlocked() {
    try {
      PyEval_RestoreThread(thread_);
    } catch (...) {
      for (;;) pause();
    }
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* thread_;
};

// The process that opened a model. Threads do not follow into one that is forked from it.
class OwnProcess {
 public:
  bool is_this() const { return id_ == getpid(); }
  void check() const {
    dragoman::check(is_this(),
                    "the model was opened in process {}, whose threads this process, which was forked from it, "
                    "does not have; open the model in each process",
                    id_);
  }

 private:
  pid_t id_ = getpid();
};

// Calls compute(begin, end) for all of `count` items, block by block and without the interpreter's lock, and looks for
// signals in between.
template <class Compute>
void in_blocks(std::size_t count, const Compute& compute) {
  constexpr std::size_t kBlock = 128;
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    {
      const Unlocked unlocked;
      compute(begin, std::min(begin + kBlock, count));
    }
    check_signals();
  }
}

}  // namespace dragoman::python
