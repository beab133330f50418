// Files that are damaged, incomplete, unsafe or of a kind that is not supported are refused with a sentence.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "exchange/import.h"
#include "exchange/marian_file.h"
#include "exchange/marian_shortlist.h"
#include "exchange/npz_file.h"
#include "exchange/pickle.h"
#include "exchange/torch_file.h"
#include "tests/exchange/case.h"
#include "tests/support/errors.h"

namespace dragoman::exchange {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

// What support::message() says if nothing was thrown.
constexpr const char* kAccepted = "nothing was thrown";

std::string refusal_of_pickle(const std::string& bytes) {
  return support::message([&] { pickled_tensors(Pickle(bytes, "file"), "file"); });
}

TEST(Pickle, AFileThatWantsToRunCodeIsRefusedByName) {
  EXPECT_NE(refusal_of_pickle("\x80\x02"s + "cos\nsystem\nX\x04\x00\x00\x00"s + "echo\x85R."s).find("'os.system'"),
            std::string::npos);
  EXPECT_NE(refusal_of_pickle("\x80\x04\x8c\x08"s + "builtins\x8c\x04"s + "eval\x93."s).find("'builtins.eval'"),
            std::string::npos);
  EXPECT_NE(refusal_of_pickle("\x80\x02"s + "ctorch._utils\n_rebuild_qtensor\n."s).find("_rebuild_qtensor"),
            std::string::npos);
}

TEST(Pickle, OtherInstructionsAndDamageAreRefused) {
  EXPECT_NE(refusal_of_pickle("\x80\x02i").find("instruction 0x69"), std::string::npos);
  EXPECT_NE(refusal_of_pickle("\x80\x09.").find("version 9"), std::string::npos);
  EXPECT_NE(refusal_of_pickle("}q").find("truncated"), std::string::npos);
  EXPECT_NE(refusal_of_pickle("s.").find("stack"), std::string::npos);
  EXPECT_NE(refusal_of_pickle("h\x05.").find("not stored"), std::string::npos);
  EXPECT_NE(refusal_of_pickle("N.").find("dictionary of tensors"), std::string::npos);
}

// A byte of a pickle may make a value of a hundred.
TEST(Pickle, TooManyValuesForAModelAreRefused) {
  constexpr std::size_t kMany = 5'000'000;
  EXPECT_NE(refusal_of_pickle(std::string(kMany, 'N') + ".").find("too many for a model"), std::string::npos);
  EXPECT_NE(refusal_of_pickle("N" + std::string(kMany, '\x94') + ".").find("too many for a model"), std::string::npos);
}

// A copy of a case whose files a test damages.
class DamagedCase {
 public:
  explicit DamagedCase(const std::string& name) { fs::copy(case_folder(name), path(), fs::copy_options::recursive); }

  std::string path() const { return folder_.file("model"); }
  std::string file(const std::string& name) const { return path() + "/" + name; }
  std::string content(const std::string& name) const {
    std::ifstream in(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
  }
  void replace(const std::string& name, const std::string& before, const std::string& after) const {
    std::string bytes = content(name);
    const std::size_t at = bytes.find(before);
    ASSERT_NE(at, std::string::npos) << before;
    write(name, bytes.replace(at, before.size(), after));
  }
  std::string refusal() const {
    return support::message([&] { import_model({path()}, folder_.file("out"), store::StoredFormat::f32); });
  }

 private:
  support::TempFolder folder_;
};

TEST(BadFiles, AMissingFileIsNamed) {
  for (const char* name : {"source.spm", "vocab.json", "model.safetensors"}) {
    const DamagedCase one("marian");
    fs::remove(one.file(name));
    EXPECT_NE(one.refusal().find(name), std::string::npos) << one.refusal();
  }
}

TEST(BadFiles, SettingsThatOurModelLacksAreNamed) {
  const DamagedCase activation("marian");
  activation.replace("config.json", "\"swish\"", "\"quick_gelu\"");
  EXPECT_NE(activation.refusal().find("'quick_gelu'"), std::string::npos);
  const DamagedCase type("marian");
  type.replace("config.json", "\"marian\"", "\"llama\"");
  EXPECT_NE(type.refusal().find("'llama'"), std::string::npos);
  const DamagedCase size("marian");
  size.replace("config.json", "\"d_model\": 16", "\"d_model\": 24");
  EXPECT_NE(size.refusal().find("shape"), std::string::npos) << size.refusal();
  const DamagedCase layers("marian");
  layers.replace("config.json", "\"encoder_layers\": 2", "\"encoder_layers\": 1");
  EXPECT_NE(layers.refusal().find("has no place in the model"), std::string::npos) << layers.refusal();
  const DamagedCase more("marian");
  more.replace("config.json", "\"encoder_layers\": 2", "\"encoder_layers\": 3");
  EXPECT_NE(more.refusal().find("encoder.layers.2"), std::string::npos) << more.refusal();
}

// Whatever is imported can be opened.
TEST(BadFiles, SettingsOutsideOurLimitsAreRefused) {
  const auto refusal = [](const std::string& name, const std::string& before, const std::string& after) {
    const DamagedCase one(name);
    one.replace("config.json", before, after);
    return one.refusal();
  };
  EXPECT_NE(refusal("marian", "\"encoder_layers\": 2", "\"encoder_layers\": 2147483647").find("encoder-layers"),
            std::string::npos);
  EXPECT_NE(refusal("marian", "\"dropout\": 0.1", "\"dropout\": 7").find("dropout"), std::string::npos);
  EXPECT_NE(
      refusal("m2m100", "\"max_position_embeddings\": 64", "\"max_position_embeddings\": 0").find("max-positions"),
      std::string::npos);
  const DamagedCase start("bart");
  start.write("generation_config.json", R"({"decoder_start_token_id": 2, "forced_bos_token_id": 99999})");
  EXPECT_NE(start.refusal().find("begin with the token 99999"), std::string::npos) << start.refusal();
  const DamagedCase pieces("marian");
  pieces.write("vocab.json", R"({"</s>": 0, "<unk>": 1, "a": 9999999})");
  EXPECT_NE(pieces.refusal().find("vocab.json: the id of 'a'"), std::string::npos) << pieces.refusal();
}

TEST(BadFiles, PiecesAreText) {
  const DamagedCase one("nllb");
  one.replace("sentencepiece.bpe.model", "\u2581", "\xe2\x96?");
  EXPECT_NE(one.refusal().find("is not valid UTF-8"), std::string::npos) << one.refusal();
}

TEST(BadFiles, PartsOfTheWeightsAreFilesOfTheFolder) {
  for (const char* part : {"..", ".", "", "../model.safetensors", "/etc/passwd", "a\\u0000b"}) {
    const DamagedCase one("marian");
    fs::remove(one.file("model.safetensors"));
    one.write("model.safetensors.index.json", fmt::format(R"({{"weight_map": {{"a": "{}"}}}})", part));
    EXPECT_NE(one.refusal().find("not a file of this folder"), std::string::npos) << one.refusal();
  }
}

TEST(BadFiles, LinksThatLeadNowhereAreRefused) {
  const DamagedCase one("marian");
  fs::remove(one.file("config.json"));
  fs::create_symlink("config.json", one.file("config.json"));
  EXPECT_EQ(one.refusal().find(one.file("config.json") + ": "), 0u) << one.refusal();
  const std::string longest(5000, 'x');
  EXPECT_EQ(support::message([&] { import_model({longest}, "out", {}); }).find(longest + ": cannot be read"), 0u);
}

TEST(BadFiles, AModelIsNotReplacedByItsImport) {
  const DamagedCase one("marian");
  const auto import_to = [&](const std::string& output) {
    return support::message([&] { import_model({one.path()}, one.file(output), store::StoredFormat::f32); });
  };
  const std::string before = one.content("model.safetensors");
  EXPECT_NE(import_to("model.safetensors").find("is a file of the model itself"), std::string::npos);
  EXPECT_NE(import_to("vocab.json").find("is a file of the model itself"), std::string::npos);
  EXPECT_EQ(one.content("model.safetensors"), before);
  EXPECT_EQ(import_to("new.safetensors"), kAccepted);
  EXPECT_EQ(import_to("new.safetensors"), kAccepted);  // an import may be repeated
}

// A tensor of PyTorch may repeat a number by a stride of zero, a million times a million.
TEST(BadFiles, ATensorIsNotLargerThanItsStorage) {
  const support::TempFolder folder;
  const std::string size = "\x8a\x04\x00\x00\x10\x00"s, key = "X\x01\x00\x00\x00"s + "0";  // 2^20; the storage
  const std::string tensors = "\x80\x02}X\x01\x00\x00\x00w"s + "ctorch._utils\n_rebuild_tensor_v2\n((" +
                              "X\x07\x00\x00\x00storagectorch\nFloatStorage\n"s + key +
                              "X\x03\x00\x00\x00"
                              "cpu"s +
                              "K\x01tQK\x00"s + size + size + "\x86K\x00K\x00\x86\x89}tRs."s;
  const std::string magic = "\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}."s;
  const std::string keys = "\x80\x02]"s + key + "a.", storage = "\x01\0\0\0\0\0\0\0\0\0\x80\x3f"s;
  const auto file = open_torch(folder.write("model.bin", magic + tensors + keys + storage));
  ASSERT_NE(file->find("w"), nullptr);
  EXPECT_EQ(file->find("w")->shape, (std::vector<Size>{1 << 20, 1 << 20}));
  EXPECT_NE(support::message([&] { file->read("w"); }).find("more than the 1 of its storage"), std::string::npos);
}

TEST(BadFiles, EveryTruncationIsRefused) {
  const DamagedCase one("marian_tags");
  const std::string whole = one.content("pytorch_model.bin");
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 40) {
    one.write("pytorch_model.bin", whole.substr(0, size));
    EXPECT_NE(one.refusal(), kAccepted) << size;
  }
  const DamagedCase native("marian_firefox");
  const std::string bin = native.content("model.deen.intgemm.alphas.bin");
  for (std::size_t size = 0; size < bin.size(); size += 1 + bin.size() / 40) {
    native.write("model.deen.intgemm.alphas.bin", bin.substr(0, size));
    EXPECT_NE(native.refusal(), kAccepted) << size;
  }
}

TEST(BadFiles, ChangedBytesOfAnArchiveAreNoticed) {
  const DamagedCase one("marian_npz");
  std::string whole = one.content("model.npz");
  const std::size_t at = whole.find("encoder_Wemb") == std::string::npos ? whole.size() / 2 : whole.size() / 3;
  whole[at] = static_cast<char>(whole[at] ^ 1);
  one.write("model.npz", whole);
  EXPECT_NE(one.refusal(), kAccepted);
}

TEST(BadFiles, AFileOfAnotherKindIsRefused) {
  const support::TempFolder folder;
  const std::string text = folder.write("model.bin", "this is not a model");
  EXPECT_NE(support::message([&] { open_marian(text); }), kAccepted);
  EXPECT_NE(support::message([&] { open_npz(text); }), kAccepted);
  EXPECT_NE(support::message([&] { open_torch(text); }), kAccepted);
  EXPECT_NE(support::message([&] { read_marian_shortlist(text, {1, 1}); }), kAccepted);
  EXPECT_NE(support::message([&] { import_model({folder.file("none")}, folder.file("out"), {}); }).find("no such file"),
            std::string::npos);
}

}  // namespace
}  // namespace dragoman::exchange
