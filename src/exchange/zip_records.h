#pragma once

#include <cstdint>

// The numbers of the zip format that reading and writing share.
namespace dragoman::exchange::zip {

inline constexpr std::uint32_t kLocalHeader = 0x04034b50, kDirectoryEntry = 0x02014b50, kEnd = 0x06054b50,
                               kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
inline constexpr std::uint64_t kEnd64Size = 56;
inline constexpr std::uint16_t kZip64 = 1;          // the extra field with sizes of 64 bits
inline constexpr std::uint32_t kIn64 = 0xFFFFFFFF;  // a size that is in that field

}  // namespace dragoman::exchange::zip
