#pragma once

#include <boost/asio/ip/address.hpp>
#include <string>
#include <string_view>

namespace dragoman::serve {

// An IPv4 address that came through a socket of IPv6 is one of IPv4.
boost::asio::ip::address unmapped(const boost::asio::ip::address& address);

// What counts as one client: an IPv4 address, or the network of an IPv6 address (64 bits), which belongs to one
// subscriber.
std::string network_of(const std::string& address);

// A host, perhaps with a port, as in the header Host.
struct HostName {
  std::string name;         // without the brackets of an IPv6 address
  bool is_address = false;  // of IP

  static HostName parse(std::string_view text);
};

}  // namespace dragoman::serve
