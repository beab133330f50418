#include <algorithm>

#include "python.h"

namespace dragoman::python {
namespace {

std::string name_of_type(py::handle object) { return py::str(py::type::of(object).attr("__name__")); }

bool is_path(py::handle object) { return py::hasattr(object, "__fspath__"); }

bool is_list(py::handle object) {
  return py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object) || PyAnySet_Check(object.ptr()) != 0;
}

// A plain value as a flag would spell it.
std::string flag_text(const std::string& key, py::handle value) {
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "true" : "false";
  if (py::isinstance<py::str>(value)) return text_of(value, key.c_str());
  if (is_path(value)) return path_of(value);
  if (py::isinstance<py::int_>(value) || py::isinstance<py::float_>(value)) return py::str(value);
  // Numbers of other kinds, such as those of NumPy.
  if (py::hasattr(value, "__index__")) return py::str(value.attr("__index__")());
  if (py::hasattr(value, "__float__")) return py::str(value.attr("__float__")());
  throw py::type_error(key + ": expected text, a number, a bool or a list, got " + name_of_type(value));
}

}  // namespace

void Arguments::read(const std::string& prefix, const py::dict& given, int depth) {
  constexpr int kDeepest = 8;
  check(depth <= kDeepest, "--{}..: groups of settings are nested deeper than {} levels", prefix, kDeepest);
  for (const auto [name, object] : given) {
    std::string key = text_of(name, "a name");
    if (key.size() > 1 && key.ends_with('_')) key.pop_back();
    std::replace(key.begin(), key.end(), '_', '-');
    key.insert(0, prefix);
    if (object.is_none()) continue;
    if (py::isinstance<py::dict>(object)) {
      read(key + ".", py::reinterpret_borrow<py::dict>(object), depth + 1);
      continue;
    }
    Value value;
    value.is_list = is_list(object);
    if (value.is_list)
      for (const py::handle element : object) value.texts.push_back(flag_text(key, element));
    else
      value.texts.push_back(flag_text(key, object));
    values_.emplace_back(std::move(key), std::move(value));
  }
}

Parsed Arguments::assign(Settings& settings) const {
  Parsed parsed;
  for (const auto& [key, value] : values_) {
    const auto named = [&key = key](const Setting& setting) { return setting.key == key; };
    const auto found = std::find_if(settings.all().begin(), settings.all().end(), named);
    if (found != settings.all().end() && found->is_list) {
      found->set("");
      for (const std::string& text : value.texts) found->append(text);
    } else {
      check(!value.is_list || found == settings.all().end(), "--{}: expected one value but got a list of {}", key,
            value.texts.size());
      settings.set(key, value.is_list ? "" : value.texts.front());
    }
    parsed.given.push_back(key);
  }
  return parsed;
}

void Arguments::apply(Settings& settings) const { settings.check_effects(assign(settings)); }

std::string text_of(py::handle object, const char* what) {
  if (!py::isinstance<py::str>(object))
    throw py::type_error(std::string(what) + ": expected str, got " + name_of_type(object));
  Py_ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (bytes == nullptr) throw py::error_already_set();
  return {bytes, static_cast<std::size_t>(size)};
}

std::vector<std::string> texts_of(const py::iterable& objects, const char* what) {
  if (py::isinstance<py::str>(objects))
    throw py::type_error(std::string(what) + ": expected a list of str, got a single str");
  std::vector<std::string> texts;
  for (const py::handle object : objects) texts.push_back(text_of(object, what));
  return texts;
}

std::vector<std::vector<std::string>> token_lists_of(const py::iterable& objects, const char* what) {
  std::vector<std::vector<std::string>> lists;
  for (const py::handle object : objects) {
    if (!py::isinstance<py::iterable>(object))
      throw py::type_error(std::string(what) + ": expected lists of str, got " + name_of_type(object));
    lists.push_back(texts_of(py::reinterpret_borrow<py::iterable>(object), what));
  }
  return lists;
}

py::str as_str(std::string_view text) {
  PyObject* const decoded = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (decoded == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(decoded);
}

py::list as_strs(const std::vector<std::string>& texts) {
  py::list list;
  for (const std::string& text : texts) list.append(as_str(text));
  return list;
}

std::string path_of(py::handle object) {
  const py::object path = py::reinterpret_steal<py::object>(PyOS_FSPath(object.ptr()));
  if (!path) throw py::error_already_set();
  std::string text = text_of(path, "a path");
  if (text.find('\0') != std::string::npos) throw py::value_error("a path: embedded null character");
  return text;
}

std::vector<std::string> paths_of(const py::iterable& objects) {
  std::vector<std::string> paths;
  for (const py::handle object : objects) paths.push_back(path_of(object));
  return paths;
}

void check_signals() {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

}  // namespace dragoman::python
