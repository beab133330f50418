#include "base/sha256.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman {
namespace {

// The examples of FIPS 180-2, appendix B, and of NIST's test vectors for the empty message.
TEST(Sha256, GivesThePublishedValues) {
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_of(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowTheBytesAreDivided) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  for (const std::size_t step : {1u, 3u, 55u, 56u, 63u, 64u, 65u, 128u}) {
    Sha256 hash;
    for (std::size_t at = 0; at < text.size(); at += step) hash.add(std::string_view(text).substr(at, step));
    EXPECT_EQ(hash.hex(), sha256_of(text)) << step;
  }
}

TEST(Sha256, OfAFileIsThatOfItsBytes) {
  const support::TempFolder folder;
  const std::string content(1'000'000, 'x');
  std::int64_t bytes = 0;
  EXPECT_EQ(sha256_of_file(folder.write("a", content), [&](std::int64_t more) { bytes += more; }), sha256_of(content));
  EXPECT_EQ(bytes, 1'000'000);
  EXPECT_NE(support::message([&] { sha256_of_file(folder.file("none")); }).find("none: cannot be opened"),
            std::string::npos);
}

}  // namespace
}  // namespace dragoman
