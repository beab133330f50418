#include "base/external_sort.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"
#include "tests/support/errors.h"

namespace dragoman {
namespace {

struct Counted {
  std::uint32_t key = 0, count = 1;
  bool before(const Counted& other) const { return key < other.key; }
  bool same(const Counted& other) const { return key == other.key; }
  void absorb(const Counted& other) { count += other.count; }
};

TEST(ExternalSorter, ReturnsDistinctRecordsInOrderWhetherInMemoryOrOnDisk) {
  for (const std::size_t memory : {std::size_t{0}, std::size_t{4096}, std::size_t{1} << 20}) {
    ExternalSorter<Counted> sorter(memory);
    std::map<std::uint32_t, std::uint32_t> expected;
    Random random(7);
    for (int i = 0; i < 5000; ++i) {
      const auto key = static_cast<std::uint32_t>(random.below(900));
      sorter.add({key, 1});
      ++expected[key];
    }
    sorter.finish();
    Counted record;
    for (const auto& [key, count] : expected) {
      ASSERT_TRUE(sorter.next(record));
      EXPECT_EQ(record.key, key);
      EXPECT_EQ(record.count, count);
    }
    EXPECT_FALSE(sorter.next(record));
  }
}

TEST(ExternalSorter, WithoutRecordsHasNothingToReturn) {
  ExternalSorter<Counted> sorter(0);
  sorter.finish();
  Counted record;
  EXPECT_FALSE(sorter.next(record));
}

TEST(Spool, ReadsBackWhatWasWrittenAnyNumberOfTimes) {
  Spool<int> spool;
  for (int i = 0; i < 100; ++i) spool.add(i);
  EXPECT_EQ(spool.size(), 100u);
  for (int pass = 0; pass < 2; ++pass) {
    spool.rewind();
    int value = -1;
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(spool.next(value));
      EXPECT_EQ(value, i);
    }
    EXPECT_FALSE(spool.next(value));
  }
}

TEST(Spool, NamesTheFolderItCannotWriteTo) {
  EXPECT_NE(support::message([] { Spool<int> spool("/no/such/folder"); }).find("/no/such/folder"), std::string::npos);
}

}  // namespace
}  // namespace dragoman
