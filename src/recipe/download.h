#pragma once

#include <string>

namespace dragoman::recipe {

// Downloads a file with a progress bar. The bytes are collected in PATH.part, which stays when the download breaks off
// and from which the next one goes on; PATH appears once its checksum is right. Throws with URL and reason.
void download(const std::string& url, const std::string& path, const std::string& sha256);

// Adds the bytes of the file that are not in `part` yet, over HTTP, HTTPS or from a file: URL. Throws if the transfer
// breaks off or stalls, or if this program has no libcurl, which is loaded by the first call.
void fetch(const std::string& url, const std::string& part);

}  // namespace dragoman::recipe
