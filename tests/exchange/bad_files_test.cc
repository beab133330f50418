// Files that are damaged, incomplete, unsafe or of a kind that is not supported are refused with a sentence.
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
