#include "data/csv.h"

#include "base/random.h"
#include "tests/data/support.h"

namespace dragoman::data {
namespace {

using testing::message;
using Records = std::vector<std::vector<std::string>>;

Records parse(const std::string& text, std::size_t max_record_bytes = 1000) {
  CsvReader reader(bytes_of(text, "t.csv"), max_record_bytes);
  Records records;
  for (std::vector<std::string> fields; reader.next(fields);) records.push_back(fields);
  return records;
}

TEST(Csv, QuotesHideCommasLineEndsAndQuotes) {
  EXPECT_EQ(parse("a,\"b,c\"\r\n\"d \"\"e\"\"\",\"f\ng\"\n"), (Records{{"a", "b,c"}, {"d \"e\"", "f\ng"}}));
}

TEST(Csv, EmptyFieldsCountAndEmptyLinesDoNot) {
  EXPECT_EQ(parse(",\n\n\r\n\"\",x,\n"), (Records{{"", ""}, {"", "x", ""}}));
  EXPECT_EQ(parse(""), Records{});
  EXPECT_EQ(parse("a,b"), (Records{{"a", "b"}}));
  EXPECT_EQ(parse("\xEF\xBB\xBF"
                  "\"a\",b"),
            (Records{{"a", "b"}}));
}

TEST(Csv, FaultsNameTheirLine) {
  EXPECT_EQ(message([] { parse("a,b\nc,\"d\ne\n"); }), "t.csv:2: the quote opened here is never closed");
  EXPECT_EQ(message([] { parse("a\n\"b\"c\n"); }),
            "t.csv:2: expected a comma or the end of the line after a closing quote but got 'c'");
  EXPECT_EQ(message([] { parse("a\"b\n"); }), "t.csv:1: a quote inside a field that does not begin with one");
  EXPECT_EQ(message([] { parse("x\n\"" + std::string(2000, 'y')); }),
            "t.csv:2: the record that begins here is longer than 1000 bytes; is a quote unclosed?");
  EXPECT_NE(message([] { parse(std::string(2000, ',')); }).find("longer than 1000 bytes"), std::string::npos);
}

TEST(Csv, WhatIsWrittenByTheRulesReadsBack) {
  const std::string alphabet = "ab,\"\n\r x\xC3\xA4";
  for (std::uint64_t round = 0; round < 500; ++round) {
    Random random(round);
    Records records(1 + random.below(5), std::vector<std::string>(2));
    std::string text;
    for (auto& record : records) {
      for (std::string& field : record) {
        for (std::uint64_t i = random.below(12); i > 0; --i) field += alphabet[random.below(alphabet.size())];
        text += &field == &record[0] ? "\"" : ",\"";
        for (const char c : field) text += c == '"' ? "\"\"" : std::string(1, c);
        text += '"';
      }
      text += random.below(2) == 0 ? "\n" : "\r\n";
    }
    EXPECT_EQ(parse(text), records) << text;
  }
}

}  // namespace
}  // namespace dragoman::data
