#include "base/machine.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temp_folder.h"

namespace dragoman {
namespace {

TEST(Machine, AnNvidiaGpuIsKnownByItsPciDevice) {
  const support::TempFolder folder;
  const auto add = [&](const std::string& name, const std::string& vendor, const std::string& kind) {
    std::filesystem::create_directories(folder.file(name));
    folder.write(name + "/vendor", vendor + "\n");
    folder.write(name + "/class", kind + "\n");
  };
  EXPECT_FALSE(has_nvidia_gpu(folder.file("nothing")));
  add("0000:00:01.0", "0x8086", "0x030000");
  add("0000:00:02.0", "0x10de", "0x040300");  // the audio device of a graphics card
  EXPECT_FALSE(has_nvidia_gpu(folder.path()));
  add("0000:00:03.0", "0x10de", "0x030200");
  EXPECT_TRUE(has_nvidia_gpu(folder.path()));
}

TEST(Machine, FreeMemoryIsNoMoreThanThereIs) {
  const FreeMemory memory = free_memory();
  EXPECT_GT(memory.free, 0u);
  EXPECT_LE(memory.free, memory.total);
}

}  // namespace
}  // namespace dragoman
