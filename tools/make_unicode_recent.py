#!/usr/bin/env python3
"""Writes src/text/unicode_recent.cc: letters, numbers and marks that Unicode 14 leaves unassigned.

Needs the Python module `regex` (whose Unicode is newer) and a Python whose `unicodedata` is Unicode 14 (3.11).
usage: tools/make_unicode_recent.py > src/text/unicode_recent.cc
"""
import unicodedata

import regex

assert unicodedata.unidata_version == "14.0.0", unicodedata.unidata_version
classes = [("letter", regex.compile(r"\p{L}")), ("number", regex.compile(r"\p{N}")), ("mark", regex.compile(r"\p{M}"))]
ranges = []
for code in range(0x110000):
    if 0xD800 <= code < 0xE000 or unicodedata.category(chr(code)) != "Cn":
        continue
    for name, pattern in classes:
        if pattern.match(chr(code)):
            if ranges and ranges[-1][1] == code - 1 and ranges[-1][2] == name:
                ranges[-1][1] = code
            else:
                ranges.append([code, code, name])
print('// Made by tools/make_unicode_recent.py; do not edit.\n#include "text/unicode_recent.h"\n')
print("namespace dragoman::text {\n\nconst std::array<RecentRange, %d> kRecentRanges = {{" % len(ranges))
for first, last, name in ranges:
    print("    {0x%X, 0x%X, CharClass::%s}," % (first, last, name))
print("}};\n\n}  // namespace dragoman::text")
