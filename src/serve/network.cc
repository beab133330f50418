#include "serve/network.h"

#include <algorithm>

namespace dragoman::serve {

namespace ip = boost::asio::ip;

ip::address unmapped(const ip::address& address) {
  if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
  return ip::make_address_v4(ip::v4_mapped, address.to_v6());
}

std::string network_of(const std::string& address) {
  constexpr std::size_t kNetworkBytes = 8;
  boost::system::error_code error;
  const ip::address parsed = unmapped(ip::make_address(address, error));
  if (error) return address;
  if (parsed.is_v4()) return parsed.to_string();
  ip::address_v6::bytes_type bytes = parsed.to_v6().to_bytes();
  std::fill(bytes.begin() + kNetworkBytes, bytes.end(), 0);
  return ip::address_v6(bytes).to_string() + "/64";
}

HostName HostName::parse(std::string_view text) {
  boost::system::error_code error;
  const auto is_address = [&](std::string_view name) { return ip::make_address(name, error), !error; };
  if (is_address(text)) return {std::string(text), true};  // of IPv6, without brackets
  const std::size_t end = text.find(']');
  text = text.starts_with('[') && end != text.npos ? text.substr(1, end - 1) : text.substr(0, text.rfind(':'));
  return {std::string(text), is_address(text)};
}

}  // namespace dragoman::serve
