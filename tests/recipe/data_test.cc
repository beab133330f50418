// The declared data: found, checked, downloaded, and replaced by the phrasebook.
#include <gtest/gtest.h>

#include <map>

#include "base/sha256.h"
#include "recipe/data_files.h"
#include "recipe/download.h"
#include "tests/support/errors.h"
#include "tests/support/http_server.h"
#include "tests/support/temp_folder.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;
using support::file_reply;
using support::HttpReply;
using support::HttpRequest;
using support::HttpServer;
using support::message;

// Folders of files whose content is their name.
std::vector<DataFolder> folder_of(const std::string& url, const std::vector<std::string>& names) {
  DataFolder folder{.name = "news", .about = {}, .licence = {}, .url = url, .files = {}};
  for (const std::string& name : names) folder.files.emplace_back(name, sha256_of(name));
  return {folder};
}

class DataFiles : public ::testing::Test {
 protected:
  DataFiles() {
    setenv("no_proxy", "127.0.0.1", 1);
    options_.directory = folder_.file("data");
    fs::create_directories(folder_.file("data/news"));
  }
  // Downloads need libcurl.
  void need_downloads() {
    const support::TempFolder other;
    if (has(message([&] { fetch("file://" + other.write("a", ""), other.file("b")); }), "without libcurl"))
      GTEST_SKIP() << "needs libcurl";
  }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
  std::string path(const std::string& name) const { return folder_.file("data/news/" + name); }

  support::TempFolder folder_;
  DataOptions options_;
};

TEST_F(DataFiles, AllProblemsAreListedBeforeAnyDownload) {
  const HttpServer server([](const HttpRequest&) { return HttpReply(); });
  folder_.write("data/news/a", "a");
  folder_.write("data/news/b", "damaged");
  std::vector<DataFolder> folders = folder_of("", {"a", "b", "c"});
  folders.push_back(folder_of(server.url(), {"d"})[0]);
  const std::string said = message([&] { find_data(folders, options_); });
  for (const std::string& part :
       {path("b") + ": expected SHA-256 " + sha256_of("b") + " but got " + sha256_of("damaged"),
        std::string("\n  news/c: missing"), "Put missing files at " + options_.directory, std::string("--mirror URL")})
    EXPECT_TRUE(has(said, part)) << part << " in\n" << said;
  EXPECT_FALSE(has(said, "news/a")) << said;
  EXPECT_TRUE(server.requests().empty());
}

TEST_F(DataFiles, MissingFilesAreDownloadedFromTheirFolderOrTheMirror) {
  need_downloads();
  const HttpServer server(
      [](const HttpRequest& request) { return file_reply(request, request.path.substr(request.path.rfind('/') + 1)); });
  find_data(folder_of(server.url("/files/"), {"a"}), options_);
  options_.mirror = server.url("/mirror");
  find_data(folder_of("http://127.0.0.1:1/none", {"a", "b"}), options_);
  ASSERT_EQ(server.requests().size(), 2u) << "what is there is not downloaded again";
  EXPECT_EQ(server.requests()[0].path, "/files/a");
  EXPECT_EQ(server.requests()[1].path, "/mirror/news/b");
  EXPECT_EQ(support::read_all(path("b")), "b");
}

class Downloads : public DataFiles {
 protected:
  void SetUp() override {
    need_downloads();
    for (int i = 0; i < 100'000; ++i) content_ += std::to_string(i) + "\n";
  }
  void get(const std::string& url) const { download(url, path("file"), sha256_of(content_)); }
  void expect_file() const {
    EXPECT_TRUE(support::read_all(path("file")) == content_);
    EXPECT_FALSE(fs::exists(path("file.part")));
  }

  std::string content_;
};

TEST_F(Downloads, ABrokenOneGoesOnWhereItBroke) {
  int count = 0;
  const HttpServer server([&](const HttpRequest& request) {
    HttpReply reply = file_reply(request, content_);
    if (++count == 1) reply.send = 200'000;
    return reply;
  });
  const std::string said = message([&] { get(server.url("/file")); });
  EXPECT_TRUE(has(said, server.url("/file") + ": cannot be downloaded")) << said;
  EXPECT_FALSE(fs::exists(path("file")));
  get(server.url("/file"));
  expect_file();
  EXPECT_EQ(server.requests().at(1).header("range"), "bytes=200000-");
  EXPECT_EQ(server.served(), content_.size());
}

TEST_F(Downloads, APartOfAnotherVersionIsReplaced) {
  const HttpServer server([&](const HttpRequest& request) { return file_reply(request, content_); });
  const HttpServer without_ranges([&](const HttpRequest&) { return HttpReply{.headers = {}, .body = content_}; });
  for (const std::string& part : {std::string(1000, 'x'), content_ + "more"})
    for (const std::string& url : {server.url("/file"), without_ranges.url("/file")}) {
      fs::remove(path("file"));
      folder_.write("data/news/file.part", part);
      get(url);
      expect_file();
    }
}

TEST_F(Downloads, AWrongChecksumOrAnErrorLeavesNoFile) {
  const HttpServer server([](const HttpRequest& request) {
    return request.path == "/other" ? file_reply(request, "something else")
                                    : HttpReply{.status = 404, .headers = {}, .body = "no"};
  });
  const std::string said = message([&] { get(server.url("/other")); });
  EXPECT_TRUE(has(said, "expected " + sha256_of(content_) + ", got " + sha256_of("something else"))) << said;
  EXPECT_TRUE(has(message([&] { get(server.url("/none")); }), "cannot be downloaded"));
  EXPECT_TRUE(has(message([&] { get("ftp://127.0.0.1/file"); }), "cannot be downloaded"));
  EXPECT_FALSE(fs::exists(path("file")));
}

TEST(StandIns, AreChosenByTheNamesOfFiles) {
  const support::TempFolder folder;
  Recipe recipe;
  recipe.miniature.sentences = 30;
  recipe.data = folder_of("", {"train1.en.gz", "valid.en.0.gz", "dev.cs", "newstest2014.hi.gz", "test.talp.gz"});
  write_stand_ins(recipe, folder.file("data"));
  for (const auto& [name, part] : {std::pair("dev.cs", "valid.de")})
    EXPECT_EQ(support::read_all(folder.file(std::string("data/news/") + name)),
              support::read_all(folder.file(std::string("data/phrasebook.") + part)));
  for (const auto& [name, sha256] : recipe.data[0].files) EXPECT_TRUE(fs::exists(folder.file("data/news/" + name)));
  EXPECT_NE(message([&] { write_stand_ins(Recipe(), folder.file("x")); }).find("has no miniature"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::recipe
