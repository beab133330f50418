// Requests as clients write them: queries, forms, files and JSON.
#include <gtest/gtest.h>

#include "serve/duration.h"
#include "serve/fields.h"
#include "serve/url_encoding.h"
#include "tests/support/errors.h"

namespace dragoman::serve {
namespace {

HttpRequest request_of(const std::string& type, const std::string& body, const std::string& query = "") {
  HttpRequest request;
  request.query = query;
  request.body = body;
  if (!type.empty()) request.headers.emplace_back("content-type", type);
  return request;
}

int status_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const HttpError& error) {
    return error.status();
  }
  return 200;
}

TEST(UrlEncoding, DecodesBytesAndKeepsOtherCharacters) {
  EXPECT_EQ(decode_url("a%20b%C3%BC+c"), "a b\u00fc+c");
  for (const char* const damaged : {"%", "%4", "%g1", "a%1"})
    EXPECT_EQ(status_of([&] { decode_url(damaged); }), 400) << damaged;
}

TEST(UrlEncoding, FormsHavePairsAndPlusIsASpace) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(decode_form("q=a+b&&x&y=1%3D2"), (Pairs{{"q", "a b"}, {"x", ""}, {"y", "1=2"}}));
}

TEST(Duration, HasAUnit) {
  EXPECT_EQ(parse_duration("5ms", "x"), std::chrono::milliseconds(5));
  EXPECT_EQ(parse_duration("1.5s", "x"), std::chrono::milliseconds(1500));
  EXPECT_EQ(parse_duration("2min", "x"), std::chrono::minutes(2));
  for (const char* const wrong : {"", "5", "ms", "-1s", "1h", "1e9s", "nans", "s5"})
    EXPECT_NE(support::message([&] { parse_duration(wrong, "max-wait"); }).find("--max-wait"), std::string::npos)
        << wrong;
}

TEST(Fields, JsonFormAndPartsGiveTheSameFields) {
  const std::string parts =
      "--xyz\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\nHello\r\n"
      "--xyz\r\nContent-Disposition: form-data; name=\"alternatives\"\r\n\r\n3\r\n--xyz--\r\n";
  for (const HttpRequest& request :
       {request_of("application/json", R"({"q": "Hello", "alternatives": 3})"),
        request_of("application/json; charset=utf-8", R"({"q": "Hello", "alternatives": "3"})"),
        request_of("application/x-www-form-urlencoded", "q=Hello&alternatives=3"),
        request_of("multipart/form-data; boundary=xyz", parts), request_of("", "", "q=Hello&alternatives=3")}) {
    const Fields fields(request);
    EXPECT_EQ(fields.text("q"), "Hello");
    EXPECT_EQ(fields.texts("q"), std::vector<std::string>{"Hello"});
    EXPECT_EQ(fields.integer_or("alternatives", 0, 0, 5), 3);
    EXPECT_FALSE(fields.has("target"));
  }
}

TEST(Fields, RepeatedFieldsAndArraysAreLists) {
  for (const HttpRequest& request :
       {request_of("Application/JSON ; charset=utf-8", R"({"q": ["a", "b"]})"), request_of("", "q=a&q=b")}) {
    EXPECT_TRUE(Fields(request).is_list("q"));
    EXPECT_EQ(Fields(request).texts("q"), (std::vector<std::string>{"a", "b"}));
  }
}

TEST(Fields, FilesKeepTheirBytes) {
  const std::string content("line\r\n--xy\0\xff", 13);
  const HttpRequest request =
      request_of("multipart/form-data; boundary=\"xyz\"",
                 "--xyz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../../a.txt\"\r\n"
                 "Content-Type: text/plain\r\n\r\n" +
                     content + "\r\n--xyz--");
  const Fields fields(request);
  EXPECT_EQ(fields.file("file").content, content);
  EXPECT_EQ(fields.file("file").file_name, "../../a.txt");
}

TEST(Fields, WhatCannotBeReadIsTheClientsError) {
  const std::string deep = "{\"q\":" + std::string(100'000, '[') + "}";
  for (const HttpRequest& request :
       {request_of("application/json", "{"), request_of("application/json", "[1]"),
        request_of("application/json", deep), request_of("application/json", "{\"q\": \"\xff\"}"),
        request_of("application/json", R"({"q": 1, "q": 2})"), request_of("", "q=%ff"), request_of("image/png", "x"),
        request_of("application/jsonx", "{}"), request_of("multipart/form-data", "x"),
        request_of("multipart/form-data; boundary=a", "--a\r\nx"),
        request_of("multipart/form-data; boundary=a", "--a\r\n\r\nno name\r\n--a--")})
    EXPECT_EQ(status_of([&] { Fields fields(request); }), 400) << request.body.substr(0, 50);
}

TEST(Fields, WrongTypesAndMissingFieldsAreNamed) {
  const Fields fields(request_of("application/json", R"({"q": 1, "n": "x", "list": [1], "flag": "maybe"})"));
  EXPECT_NE(support::message([&] { fields.text("target"); }).find("missing target"), std::string::npos);
  EXPECT_EQ(status_of([&] { fields.text("q"); }), 400);
  EXPECT_EQ(status_of([&] { fields.texts("list"); }), 400);
  EXPECT_EQ(status_of([&] { fields.integer_or("n", 0, 0, 9); }), 400);
  EXPECT_EQ(status_of([&] { fields.integer_or("q", 0, 2, 9); }), 400);
  EXPECT_EQ(status_of([&] { fields.flag_or("flag", true); }), 400);
}

}  // namespace
}  // namespace dragoman::serve
