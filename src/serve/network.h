#pragma once

#include <string>

namespace dragoman::serve {

// What counts as one client: an IPv4 address, or the network of an IPv6 address (64 bits), which belongs to one
// subscriber. A text that is no address stays as it is, up to the length of one.
std::string network_of(const std::string& address);

}  // namespace dragoman::serve
