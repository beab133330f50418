#include "serve/network.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>

namespace dragoman::serve {

namespace ip = boost::asio::ip;

std::string network_of(const std::string& address) {
  constexpr std::size_t kLongest = 64, kNetworkBytes = 8;
  boost::system::error_code error;
  const ip::address parsed = ip::make_address(address, error);
  if (error) return address.substr(0, kLongest);
  if (parsed.is_v4()) return parsed.to_string();
  const ip::address_v6 whole = parsed.to_v6();
  if (whole.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, whole).to_string();
  ip::address_v6::bytes_type bytes = whole.to_bytes();
  std::fill(bytes.begin() + kNetworkBytes, bytes.end(), 0);
  return ip::address_v6(bytes).to_string() + "/64";
}

}  // namespace dragoman::serve
