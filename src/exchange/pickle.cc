#include "exchange/pickle.h"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>

#include "base/error.h"
#include "base/quote.h"
#include "exchange/little_endian.h"

namespace dragoman::exchange {
namespace {

// Instructions of the format's versions 0 to 5 that tensors need, by the names of Python's module pickle.
enum Instruction : std::uint8_t {
  kMark = '(',
  kStop = '.',
  kPop = '0',
  kPopMark = '1',
  kBinFloat = 'G',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kNone = 'N',
  kBinPersId = 'Q',
  kReduce = 'R',
  kBinUnicode = 'X',
  kAppend = 'a',
  kBuild = 'b',
  kGlobal = 'c',
  kAppends = 'e',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kSetItems = 'u',
  kEmptyTuple = ')',
  kEmptyList = ']',
  kEmptyDict = '}',
  kProto = 0x80,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8a,
  kShortBinUnicode = 0x8c,
  kStackGlobal = 0x93,
  kMemoize = 0x94,
  kFrame = 0x95
};

// Of a name, a key or a shape. Values may be used many times, so long ones would cost more than the file's size.
constexpr std::size_t kLongestName = 500, kMostAxes = 8;
constexpr std::size_t kMostTensors = 100'000;
// A tensor takes about 25. A value takes far more memory than the byte that makes one.
constexpr std::size_t kMostValues = std::size_t{1} << 22;
constexpr std::uint8_t kNewestVersion = 5;

struct StorageType {
  std::string_view name, type;
};
constexpr std::array kStorages = {
    StorageType{"torch.FloatStorage", "F32"},     StorageType{"torch.HalfStorage", "F16"},
    StorageType{"torch.BFloat16Storage", "BF16"}, StorageType{"torch.DoubleStorage", "F64"},
    StorageType{"torch.LongStorage", "I64"},      StorageType{"torch.IntStorage", "I32"},
    StorageType{"torch.ShortStorage", "I16"},     StorageType{"torch.CharStorage", "I8"},
    StorageType{"torch.ByteStorage", "U8"},       StorageType{"torch.BoolStorage", "BOOL"}};
constexpr std::string_view kOrderedDict = "collections.OrderedDict", kRebuildTensor = "torch._utils._rebuild_tensor_v2",
                           kRebuildParameter = "torch._utils._rebuild_parameter";

bool is_storage(std::string_view name) {
  return std::any_of(kStorages.begin(), kStorages.end(), [&](const StorageType& one) { return one.name == name; });
}

bool is_allowed(std::string_view name) {
  return name == kOrderedDict || name == kRebuildTensor || name == kRebuildParameter || is_storage(name);
}

}  // namespace

// Runs the instructions of one pickle.
class PickleMachine {
 public:
  PickleMachine(std::string_view bytes, std::string_view where, Pickle& pickle)
      : in_(bytes, where), where_(where), pickle_(pickle) {}

  void run() {
    for (;;) {
      const std::uint8_t instruction = in_.byte();
      if (instruction == kStop) break;
      if (!push_constant(instruction) && !collect(instruction) && !use_memory(instruction)) call(instruction);
    }
    pickle_.top_ = pop();
    pickle_.size_ = in_.at();
  }

 private:
  using Index = Pickle::Index;
  using Kind = Pickle::Kind;
  using Value = Pickle::Value;

  bool push_constant(std::uint8_t instruction) {
    switch (instruction) {
      case kProto: {
        const std::uint8_t version = in_.byte();
        check(version <= kNewestVersion, "{}: is a pickle of version {}, which is not known", where_, version);
        return true;
      }
      case kFrame: in_.take(8); return true;
      case kMark: push({.kind = Kind::mark}); return true;
      case kNone: push({}); return true;
      case kNewTrue: push({.kind = Kind::boolean, .integer = 1}); return true;
      case kNewFalse: push({.kind = Kind::boolean}); return true;
      case kBinInt: push_integer(in_.number<std::int32_t>()); return true;
      case kBinInt1: push_integer(in_.byte()); return true;
      case kBinInt2: push_integer(in_.number<std::uint16_t>()); return true;
      case kLong1: push_long(in_.take(in_.byte())); return true;
      case kBinFloat:
        in_.take(8);
        push({.kind = Kind::number});
        return true;
      case kBinUnicode: push_text(in_.take(in_.number<std::uint32_t>())); return true;
      case kShortBinUnicode: push_text(in_.take(in_.byte())); return true;
      default: return false;
    }
  }

  bool collect(std::uint8_t instruction) {
    switch (instruction) {
      case kEmptyTuple:
      case kEmptyList: push({.kind = Kind::list}); return true;
      case kEmptyDict: push({.kind = Kind::dictionary}); return true;
      case kTuple: push_list(above_mark()); return true;
      case kTuple1: push_list(last(1)); return true;
      case kTuple2: push_list(last(2)); return true;
      case kTuple3: push_list(last(3)); return true;
      case kAppend: extend(Kind::list, last(1)); return true;
      case kAppends: extend(Kind::list, above_mark()); return true;
      case kSetItem: extend(Kind::dictionary, last(2)); return true;
      case kSetItems: extend(Kind::dictionary, above_mark()); return true;
      case kPop: pop(); return true;
      case kPopMark: above_mark(); return true;
      default: return false;
    }
  }

  bool use_memory(std::uint8_t instruction) {
    switch (instruction) {
      case kBinPut: put(in_.byte()); return true;
      case kLongBinPut: put(in_.number<std::uint32_t>()); return true;
      case kMemoize: put(static_cast<std::uint32_t>(memory_.size())); return true;
      case kBinGet: get(in_.byte()); return true;
      case kLongBinGet: get(in_.number<std::uint32_t>()); return true;
      default: return false;
    }
  }

  void call(std::uint8_t instruction) {
    switch (instruction) {
      case kGlobal: {
        const std::string_view module = line();
        return push_name(module, line());
      }
      case kStackGlobal: {
        const std::vector<Index> names = last(2);
        for (const Index part : names)
          check(pickle_[part].kind == Kind::text, "{}: the pickle is damaged: a name is not a text", where_);
        return push_name(pickle_[names[0]].text, pickle_[names[1]].text);
      }
      case kBinPersId: return push_storage();
      case kReduce: return reduce();
      case kBuild: pop(); return;  // attributes of a dictionary, which say nothing about tensors
      default:
        fail(
            "{}: the pickle has an instruction {:#04x} that no file of tensors needs; it is damaged or not safe to "
            "load",
            where_, instruction);
    }
  }

  void push(Value value) {
    check(pickle_.values_.size() < kMostValues, "{}: the pickle has more than {} values, too many for a model", where_,
          kMostValues);
    stack_.push_back(static_cast<Index>(pickle_.values_.size()));
    pickle_.values_.push_back(std::move(value));
  }
  void push_integer(std::int64_t value) { push({.kind = Kind::integer, .integer = value}); }
  void push_text(std::string_view text) { push({.kind = Kind::text, .text = std::string(text)}); }
  void push_list(std::vector<Index> parts) { push({.kind = Kind::list, .parts = std::move(parts)}); }

  // Least significant byte first, in two's complement. Larger numbers than 64 bits are kept as their bytes.
  void push_long(std::string_view bytes) {
    std::uint64_t value = !bytes.empty() && (static_cast<std::uint8_t>(bytes.back()) & 0x80u) != 0 ? ~0ull : 0;
    for (std::size_t i = std::min<std::size_t>(bytes.size(), 8); i-- > 0;)
      value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
    push({.kind = Kind::integer, .integer = static_cast<std::int64_t>(value), .text = std::string(bytes)});
  }

  void push_name(std::string_view module, std::string_view name) {
    std::string full = std::string(module) + "." + std::string(name);
    check(is_allowed(full), "{}: the pickle wants to call '{}', which loading tensors does not need; it is not safe",
          where_, excerpt(full));
    push({.kind = Kind::name, .text = std::move(full)});
  }

  // ('storage', type, key, device, elements)
  void push_storage() {
    const Value& tuple = pickle_[pop()];
    const bool valid = tuple.kind == Kind::list && tuple.parts.size() >= 5 &&
                       pickle_[tuple.parts[0]].text == "storage" && pickle_[tuple.parts[1]].kind == Kind::name &&
                       is_storage(pickle_[tuple.parts[1]].text) && pickle_[tuple.parts[2]].kind == Kind::text &&
                       pickle_[tuple.parts[2]].text.size() <= kLongestName &&
                       pickle_[tuple.parts[4]].kind == Kind::integer && pickle_[tuple.parts[4]].integer >= 0;
    check(valid, "{}: the pickle is damaged: it names a storage in an unknown way", where_);
    push({.kind = Kind::storage, .text = pickle_[tuple.parts[2]].text, .parts = {tuple.parts[1], tuple.parts[4]}});
  }

  void reduce() {
    const std::vector<Index> call = last(2);
    const Value &function = pickle_[call[0]], &arguments = pickle_[call[1]];
    check(function.kind == Kind::name && arguments.kind == Kind::list,
          "{}: the pickle is damaged: it calls something that is not a function", where_);
    if (function.text == kOrderedDict) return push({.kind = Kind::dictionary});
    check(!is_storage(function.text), "{}: the pickle is damaged: it calls a type of storages", where_);
    if (function.text == kRebuildParameter) {
      check(!arguments.parts.empty() && pickle_[arguments.parts[0]].kind == Kind::tensor,
            "{}: the pickle is damaged: a parameter is not a tensor", where_);
      return stack_.push_back(arguments.parts[0]);
    }
    const bool valid = arguments.parts.size() >= 4 && pickle_[arguments.parts[0]].kind == Kind::storage &&
                       pickle_[arguments.parts[1]].kind == Kind::integer && is_sizes(pickle_[arguments.parts[2]]) &&
                       is_sizes(pickle_[arguments.parts[3]]);
    check(valid, "{}: the pickle is damaged: a tensor is described in an unknown way", where_);
    push({.kind = Kind::tensor, .parts = {arguments.parts.begin(), arguments.parts.begin() + 4}});
  }

  bool is_sizes(const Value& value) const {
    return value.kind == Kind::list && value.parts.size() <= kMostAxes &&
           std::all_of(value.parts.begin(), value.parts.end(),
                       [&](Index part) { return pickle_[part].kind == Kind::integer; });
  }

  void extend(Kind kind, const std::vector<Index>& parts) {
    Value& value = pickle_.values_[peek()];
    check(value.kind == kind && (kind == Kind::list || parts.size() % 2 == 0),
          "{}: the pickle is damaged: it adds to something that is not a collection", where_);
    value.parts.insert(value.parts.end(), parts.begin(), parts.end());
  }

  std::vector<Index> last(std::size_t count) {
    check(stack_.size() >= count, "{}: the pickle is damaged: its stack is empty", where_);
    std::vector<Index> parts(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return parts;
  }
  std::vector<Index> above_mark() {
    std::size_t at = stack_.size();
    while (at > 0 && pickle_[stack_[at - 1]].kind != Kind::mark) --at;
    check(at > 0, "{}: the pickle is damaged: a mark is missing", where_);
    std::vector<Index> parts = last(stack_.size() - at);
    stack_.pop_back();
    return parts;
  }
  Index pop() { return last(1)[0]; }
  Index peek() {
    check(!stack_.empty(), "{}: the pickle is damaged: its stack is empty", where_);
    return stack_.back();
  }
  void put(std::uint32_t slot) {
    memory_[slot] = peek();
    check(memory_.size() <= kMostValues, "{}: the pickle stores more than {} values, too many for a model", where_,
          kMostValues);
  }
  void get(std::uint32_t slot) {
    const auto found = memory_.find(slot);
    check(found != memory_.end(), "{}: the pickle is damaged: it reads a value that it has not stored", where_);
    stack_.push_back(found->second);
  }
  std::string_view line() {
    const std::size_t begin = in_.at();
    std::size_t length = 0;
    while (in_.byte() != '\n') check(++length <= kLongestName, "{}: the pickle is damaged: a name has no end", where_);
    return in_.between(begin, begin + length);
  }

  ByteReader in_;
  std::string_view where_;
  Pickle& pickle_;
  std::vector<Index> stack_;
  std::unordered_map<std::uint32_t, Index> memory_;
};

Pickle::Pickle(std::string_view bytes, std::string_view where) { PickleMachine(bytes, where, *this).run(); }

std::vector<PickledTensor> pickled_tensors(const Pickle& pickle, std::string_view where) {
  const Pickle::Value& top = pickle.top();
  check(top.kind == Pickle::Kind::dictionary, "{}: expected a dictionary of tensors", where);
  const auto sizes = [&](const Pickle::Value& list) {
    std::vector<std::int64_t> numbers;
    for (const Pickle::Index part : list.parts) numbers.push_back(pickle[part].integer);
    return numbers;
  };
  std::vector<PickledTensor> tensors;
  for (std::size_t i = 0; i + 1 < top.parts.size(); i += 2) {
    const Pickle::Value &key = pickle[top.parts[i]], &value = pickle[top.parts[i + 1]];
    if (value.kind != Pickle::Kind::tensor || key.kind != Pickle::Kind::text) continue;
    check(key.text.size() <= kLongestName && tensors.size() < kMostTensors,
          "{}: has too many tensors or a name of {} bytes", where, key.text.size());
    const Pickle::Value& storage = pickle[value.parts[0]];
    const std::string& type_name = pickle[storage.parts[0]].text;
    const auto type =
        std::find_if(kStorages.begin(), kStorages.end(), [&](const StorageType& one) { return one.name == type_name; });
    tensors.push_back({.name = key.text,
                       .type = std::string(type->type),
                       .storage = storage.text,
                       .storage_elements = pickle[storage.parts[1]].integer,
                       .offset = pickle[value.parts[1]].integer,
                       .shape = sizes(pickle[value.parts[2]]),
                       .strides = sizes(pickle[value.parts[3]])});
  }
  return tensors;
}

}  // namespace dragoman::exchange
