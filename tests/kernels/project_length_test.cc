#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"
#include "kernels/fillings.h"

namespace dragoman::kernels {
namespace {

std::vector<float> uniform_numbers(Size count, std::uint64_t seed) {
  std::vector<float> numbers(static_cast<std::size_t>(count));
  Random random(seed);
  for (float& number : numbers) number = static_cast<float>(random.uniform(-1, 1));
  return numbers;
}

TEST(ProjectLength, OfASentenceHasTheSameBitsAmongLongerOnes) {
  constexpr Size kMixtures = 64, kSize = 512, kLength = 320, kShort = 100, kLong = 300;
  const std::vector<float> keys = uniform_numbers(kMixtures * kLength, 1),
                           values = uniform_numbers(kMixtures * kLength, 2);
  const std::vector<float> x = uniform_numbers((kShort + kLong) * kSize, 3);
  const std::int32_t offsets[] = {0, kShort, kShort + kLong};
  for (const Size parts : {1, 2}) {
    std::vector<float> alone[2], among[2];
    for (const Size sentences : {1, 2}) {
      ProjectLength<float> a{.sentences = sentences, .mixtures = kMixtures, .size = kSize, .length = kLength};
      a.longest = sentences == 1 ? kShort : kLong;
      a.offsets = offsets;
      a.projections[0] = keys.data();
      if (parts == 2) a.projections[1] = values.data();
      a.x = x.data(), a.x_stride = kSize;
      auto& y = sentences == 1 ? alone : among;
      for (Size part = 0; part < parts; ++part) {
        y[part].resize(static_cast<std::size_t>(sentences * kMixtures * kSize));
        a.y[part] = y[part].data();
      }
      cpu().project_length(a);
    }
    for (Size part = 0; part < parts; ++part) {
      among[part].resize(alone[part].size());
      EXPECT_EQ(alone[part], among[part]) << part << " of " << parts;
    }
  }
}

}  // namespace
}  // namespace dragoman::kernels
