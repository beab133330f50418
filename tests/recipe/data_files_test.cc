#include "recipe/data_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/sha256.h"
#include "recipe/transfer.h"
#include "tests/support/errors.h"
#include "tests/support/http_server.h"
#include "tests/support/temp_folder.h"

namespace dragoman::recipe {
namespace {

namespace fs = std::filesystem;
using support::HttpReply;
using support::HttpRequest;
using support::HttpServer;
using support::message;
using support::TempFolder;

// A file whose content is its name.
DataFile declared(const std::string& name) { return {.name = name, .sha256 = sha256_of(name), .url = {}}; }
DataFolder folder_of(const std::string& name, const std::string& url, std::vector<DataFile> files) {
  return {.name = name, .about = "Sentences of " + name, .licence = {}, .url = url, .files = std::move(files)};
}

class DataFiles : public ::testing::Test {
 protected:
  DataFiles() {
    setenv("no_proxy", "127.0.0.1", 1);
    options_.directory = work_.file("data");
    options_.download.first_wait = 0.01;
    fs::create_directories(work_.file("data/news"));
  }
  void put(const std::string& name) const { work_.write("data/news/" + name, name); }
  std::string find(const std::vector<DataFolder>& folders) const { return find_data(folders, options_, output_); }
  std::string why(const std::vector<DataFolder>& folders) const {
    return message([&] { find(folders); });
  }
  // A server whose files contain their own names.
  static HttpReply echo(const HttpRequest& request) {
    std::string name = request.path.substr(request.path.rfind('/') + 1);
    if (const std::size_t space = name.find("%20"); space != std::string::npos) name.replace(space, 3, " ");
    return support::file_reply(request, name);
  }

  TempFolder work_;
  const std::string output_ = work_.file("out");
  DataOptions options_;
};

// Downloads need libcurl.
class DownloadedDataFiles : public DataFiles {
 protected:
  void SetUp() override {
    if (const std::string obstacle = transfer_obstacle(); !obstacle.empty()) GTEST_SKIP() << obstacle;
  }
};

TEST_F(DataFiles, FilesThatAreThereAreUsedWhereTheyAre) {
  put("a");
  EXPECT_EQ(find({folder_of("news", "http://127.0.0.1:1/none", {declared("a")})}), options_.directory);
}

TEST_F(DataFiles, AllProblemsAreListedAtOnce) {
  put("a");
  work_.write("data/news/b", "damaged");
  const std::string said = why({folder_of("news", "", {declared("a"), declared("b"), declared("c"), declared("d")})});
  for (const std::string& words :
       {options_.directory + "/news/b: expected SHA-256 " + sha256_of("b") + " but got " + sha256_of("damaged"),
        std::string("Sentences of news\n  news/c: missing\n  news/d: missing\n"),
        "Put missing files at " + options_.directory + "/FOLDER/FILE", std::string("--data DIR")})
    EXPECT_NE(said.find(words), std::string::npos) << words << " in\n" << said;
  EXPECT_EQ(said.find("news/a"), std::string::npos) << said;
}

TEST_F(DataFiles, ChecksumsAreComputedOnceUnlessTheFileChanges) {
  put("a");
  const std::vector<DataFolder> folders = {folder_of("news", "", {declared("a")})};
  find(folders);
  // Another content with the same size and time is not noticed, so the checksum was not computed again.
  const std::string path = options_.directory + "/news/a";
  const auto time = fs::last_write_time(path);
  work_.write("data/news/a", "b");
  fs::last_write_time(path, time);
  EXPECT_EQ(look_up_data(folders, options_, output_)[0].state, DataState::present);
  fs::last_write_time(path, time + std::chrono::seconds(1));
  EXPECT_EQ(look_up_data(folders, options_, output_)[0].state, DataState::damaged);
}

TEST_F(DataFiles, ADamagedCacheIsForgotten) {
  put("a");
  fs::create_directories(output_);
  for (const char* content : {"not JSON", "[]", "{\"x\": 3}"}) {
    work_.write("out/data-checksums.json", content);
    EXPECT_EQ(find({folder_of("news", "", {declared("a")})}), options_.directory) << content;
  }
}

TEST_F(DataFiles, ChecksumsMayBeInCapitals) {
  put("a");
  DataFile file = declared("a");
  std::transform(file.sha256.begin(), file.sha256.end(), file.sha256.begin(),
                 [](unsigned char c) { return toupper(c); });
  EXPECT_EQ(find({folder_of("news", "", {file})}), options_.directory);
}

TEST_F(DataFiles, NothingIsDownloadedOffline) {
  options_.offline = true;
  const HttpServer server(echo);
  const std::string said = why({folder_of("news", server.url("/files"), {declared("a")})});
  EXPECT_NE(said.find("news/a: missing; it is at " + server.url("/files/a")), std::string::npos) << said;
  EXPECT_NE(said.find("--offline"), std::string::npos) << said;
  EXPECT_TRUE(server.requests().empty());
}

TEST_F(DownloadedDataFiles, MissingFilesAreDownloadedFromTheirOwnAddress) {
  const HttpServer server(echo);
  DataFile own = declared("b");
  own.url = server.url("/elsewhere/b");
  put("c");
  EXPECT_EQ(find({folder_of("news", server.url("/files/"), {declared("a"), own, declared("c")})}), options_.directory);
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_EQ(server.requests()[0].path, "/files/a");
  EXPECT_EQ(server.requests()[1].path, "/elsewhere/b");
  EXPECT_EQ(support::read_all(options_.directory + "/news/b"), "b");
  find({folder_of("news", server.url("/files/"), {declared("a"), own, declared("c")})});
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST_F(DownloadedDataFiles, AMirrorReplacesAllAddresses) {
  const HttpServer server(echo);
  options_.mirror = server.url("/mirror/");
  DataFile own = declared("b");
  own.url = "http://127.0.0.1:1/none";
  find({folder_of("news", "", {declared("a c"), own})});
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_EQ(server.requests()[0].path, "/mirror/news/a%20c");
  EXPECT_EQ(server.requests()[1].path, "/mirror/news/b");
}

TEST_F(DownloadedDataFiles, NothingIsDownloadedWhileAFileCanBeHadFromNowhere) {
  const HttpServer server(echo);
  const std::string said =
      why({folder_of("news", server.url(), {declared("a")}), folder_of("books", "", {declared("b")})});
  EXPECT_NE(said.find("books/b: missing"), std::string::npos) << said;
  EXPECT_NE(said.find("--mirror URL"), std::string::npos) << said;
  EXPECT_TRUE(server.requests().empty());
}

TEST_F(DownloadedDataFiles, AFolderThatIsNotWritableIsCompletedElsewhere) {
  const HttpServer server(echo);
  put("a");
  // A file where a folder is needed cannot be written to, not even by root.
  work_.write("data/books", "");
  const std::vector<DataFolder> folders = {folder_of("news", server.url(), {declared("a")}),
                                           folder_of("books", server.url(), {declared("b")})};
  EXPECT_EQ(find(folders), output_ + "/data");
  EXPECT_EQ(support::read_all(output_ + "/data/news/a"), "a");
  EXPECT_EQ(support::read_all(output_ + "/data/books/b"), "b");
  EXPECT_TRUE(fs::is_symlink(output_ + "/data/news/a"));
  EXPECT_EQ(find(folders), output_ + "/data");
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(DownloadedDataFiles, FailedDownloadsAreListedTogether) {
  const HttpServer server([](const HttpRequest& request) {
    return request.path == "/b" ? echo(request) : HttpReply{.status = 404, .headers = {}, .body = ""};
  });
  const std::string said = why({folder_of("news", server.url(), {declared("a"), declared("b"), declared("c")})});
  for (const std::string& words : {server.url("/a") + ": cannot be downloaded: the server answers 404",
                                   server.url("/c") + ": cannot be downloaded", std::string("--mirror URL")})
    EXPECT_NE(said.find(words), std::string::npos) << words << " in\n" << said;
  EXPECT_TRUE(fs::exists(options_.directory + "/news/b"));
}

TEST_F(DownloadedDataFiles, AServerThatCannotBeReachedIsNotAskedForEveryFile) {
  std::string url;
  { url = HttpServer(echo).url(); }
  const std::string said = why({folder_of("news", url, {declared("a"), declared("b")})});
  EXPECT_NE(said.find(url + "/a"), std::string::npos) << said;
  EXPECT_EQ(said.find(url + "/b"), std::string::npos) << said;
}

}  // namespace
}  // namespace dragoman::recipe
