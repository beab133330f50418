#pragma once

#include <string>
#include <string_view>

#include "serve/file_store.h"
#include "serve/http_message.h"

// Translated files on their way back to the client.
namespace dragoman::serve {

// "film.de.srt" for "film.srt" and for "film.en.srt", translated from en to de. What a client calls its file is without
// folders and characters that file systems or headers reserve afterwards, and not long.
std::string name_of_translation(std::string_view file_name, std::string_view source, std::string_view target);

// The response that makes a browser save the file under its name.
HttpResponse as_download(const FileStore::File& file);

}  // namespace dragoman::serve
