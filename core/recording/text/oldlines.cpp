// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/text/oldlines.h"

#include "core/recording/text/linesource.h"

#include <fstream>
#include <sys/stat.h>

namespace ct {

namespace {

Error notAppendable(const std::string &problem)
{
    return {ErrorCode::BadFormat, problem + "; no run can be appended to it; choose another file"};
}

Packing packingOfFile(std::ifstream &file)
{
    std::string begin(4, '\0');
    file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    file.clear();
    return packingOf(begin);
}

char lastByteOf(std::ifstream &file)
{
    file.seekg(-1, std::ios::end);
    return static_cast<char>(file.get());
}

/// True for a JSON object and for a blank line.
bool canBeginJsonl(const LineSource::Line &line)
{
    const std::size_t begin = line.text.find_first_not_of(" \t\xEF\xBB\xBF");
    return !line.isTooLong && (begin == std::string_view::npos || line.text[begin] == '{');
}

}  // namespace

Result<OldLines> checkOldLines(const std::string &path)
{
    struct stat info = {};
    if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0)
        return OldLines::Whole;
    const Result<std::unique_ptr<LineSource>> source = LineSource::open(path);
    if (!source)
        return source.error();
    std::ifstream file(path, std::ios::binary);
    const Packing packing = packingOfFile(file);
    if (packing != packingForName(path))
        return notAppendable(path + (packing == Packing::None ? " has an older file that is not compressed"
                                                              : " has an older file that is compressed"));
    LineSource::Line line;
    Result<bool> more = (*source)->next(line);
    if (more && *more && !canBeginJsonl(line))
        return notAppendable(path + " is not a JSONL recording");
    while (packing != Packing::None && more && *more)
        more = (*source)->next(line);
    if (!more)
        return notAppendable(more.error().message);
    const bool isWhole = packing == Packing::None ? lastByteOf(file) == '\n' : line.ended;
    return isWhole ? OldLines::Whole : OldLines::LastIsOpen;
}

}  // namespace ct
