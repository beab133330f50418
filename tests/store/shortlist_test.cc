#include <gtest/gtest.h>

#include "models/presets.h"
#include "models/seq2seq.h"
#include "store/average.h"
#include "store/convert.h"
#include "store/model_file.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::store {
namespace {

using Ids = std::vector<std::int32_t>;

class StoredShortlists : public ::testing::Test {
 protected:
  StoredShortlists() {
    info_.config = models::preset("transformer-tiny");
    info_.config.source_vocabulary = 4;
    info_.config.target_vocabulary = 9;
    info_.shortlist = {{4, 9}, {0, 2}, {0, 2, 2, 3, 3}, {5, 8, 1}};
  }

  std::string path(const std::string& name) const { return folder_.file(name); }
  void save(const std::string& name, std::uint64_t seed) const {
    models::Seq2seq model(info_.config);
    model.parameters().allocate(cpu_device(), DType::f32, seed, false);
    save_model(path(name), info_, model.parameters());
  }
  // Saves the model without a shortlist, and with these tensors.
  std::string error_of(const std::vector<StoredTensor>& tensors) {
    info_.shortlist = {};
    save("plain", 1);
    const SafetensorsFile plain(path("plain"));
    const auto bytes = plain.read_all();
    std::vector<StoredTensor> all = tensors;
    for (const TensorRecord& tensor : plain.tensors())
      all.push_back({tensor.name, tensor.type, tensor.shape, bytes.at(tensor.name)});
    write_safetensors(path("hostile"), plain.metadata(), all);
    return support::message([&] { ModelFile file(path("hostile")); });
  }
  static StoredTensor stored(const char* name, const Ids& ids) {
    return {name, "I32", {std::ssize(ids)}, {reinterpret_cast<const char*>(ids.data()), 4 * ids.size()}};
  }

  support::TempFolder folder_;
  ModelInfo info_;
};

TEST_F(StoredShortlists, SurviveSavingRoundingAndAveraging) {
  save("a", 1);
  EXPECT_EQ(ModelFile(path("a")).info().shortlist, info_.shortlist);
  convert_model(path("a"), StoredFormat::int8, path("small"));
  EXPECT_EQ(ModelFile(path("small")).info().shortlist, info_.shortlist);
  const align::Shortlist first = info_.shortlist;
  info_.shortlist = {};
  save("b", 2);
  info_.shortlist = {{4, 9}, {3}, {0, 0, 0, 0, 0}, {}};
  save("c", 3);
  average_models({path("a"), path("b"), path("c")}, path("mean"));
  EXPECT_EQ(ModelFile(path("mean")).info().shortlist, first);
  average_models({path("b"), path("c")}, path("mean"));
  EXPECT_TRUE(ModelFile(path("mean")).info().shortlist.empty());
}

TEST_F(StoredShortlists, AreReplacedWithoutTouchingTheWeights) {
  save("a", 1);
  convert_model(path("a"), StoredFormat::int8, path("small"));
  const align::Shortlist other({4, 9}, {7}, {0, 1, 1, 1, 1}, {4});
  save_with_shortlist(path("small"), other, "by hand", path("new"));
  const ModelFile before(path("small")), after(path("new"));
  EXPECT_EQ(after.info().shortlist, other);
  EXPECT_EQ(after.info().card.at("shortlist"), "by hand");
  EXPECT_TRUE(after.file().verify());
  const auto old_bytes = before.file().read_all(), new_bytes = after.file().read_all();
  for (const TensorRecord& tensor : before.file().tensors())
    if (!tensor.name.starts_with(kShortlistPrefix)) {
      EXPECT_EQ(new_bytes.at(tensor.name), old_bytes.at(tensor.name)) << tensor.name;
      EXPECT_EQ(after.file().find(tensor.name)->type, tensor.type);
    }
}

TEST_F(StoredShortlists, ThatDoNotFitAreRefused) {
  const Ids frequent = {0, 2}, begins = {0, 2, 2, 3, 3}, targets = {5, 8, 1}, beyond = {5, 9, 1}, less = {5, -1, 1},
            falling = {0, 3, 2, 3, 3}, few = {0, 2, 3, 3};
  const auto with = [&](const Ids& f, const Ids& b, const Ids& t) {
    return error_of({stored("shortlist.frequent", f), stored("shortlist.begins", b), stored("shortlist.targets", t)});
  };
  EXPECT_EQ(with(frequent, begins, targets), "nothing was thrown");
  EXPECT_NE(with(frequent, begins, beyond).find("hostile: the shortlist has token 9"), std::string::npos);
  EXPECT_NE(with(frequent, begins, less).find("token -1"), std::string::npos);
  EXPECT_NE(with(beyond, begins, targets).find("token 9"), std::string::npos);
  EXPECT_NE(with(frequent, falling, targets).find("must rise"), std::string::npos);
  EXPECT_NE(with(frequent, few, targets).find("needs 5"), std::string::npos);
  EXPECT_NE(error_of({stored("shortlist.begins", begins)}).find("expected a tensor 'shortlist."), std::string::npos);
  StoredTensor wrong = stored("shortlist.frequent", frequent);
  wrong.type = "F32";
  EXPECT_NE(
      error_of({wrong, stored("shortlist.begins", begins), stored("shortlist.targets", targets)}).find("a list of I32"),
      std::string::npos);
  EXPECT_NE(error_of({stored("shortlist.other", frequent)}).find("does not belong"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::store
