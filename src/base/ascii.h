#pragma once

// Classes of ASCII characters, whatever the locale. Bytes of other characters belong to none.
namespace dragoman {

constexpr bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_ascii_capital(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || is_ascii_capital(c); }

}  // namespace dragoman
