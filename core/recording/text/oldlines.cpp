// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/text/oldlines.h"

#include "core/recording/text/jsonlline.h"
#include "core/recording/text/linesource.h"

#include <algorithm>
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

/// The text behind the last line feed. Of a longer line than a reader accepts, only the end.
std::string lastLineOf(std::ifstream &file)
{
    file.seekg(0, std::ios::end);
    const auto size = static_cast<std::size_t>(file.tellg());
    std::string text(std::min(size, LineSource::kLongestLine), '\0');
    file.seekg(-static_cast<std::streamoff>(text.size()), std::ios::end);
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    return text.substr(text.rfind('\n') + 1);
}

/// A writer that was killed leaves a line without its end. With a run behind it, it would end the reading.
bool isTorn(std::string_view line)
{
    const std::size_t last = line.find_last_not_of(" \t\r");
    JsonlLine parsed;
    return last != std::string_view::npos && (line[last] != '}' || !parseJsonlLine(line, parsed).empty());
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
    const std::string last = packing == Packing::None ? lastLineOf(file) : std::string(line.text);
    if (packing == Packing::None ? last.empty() : line.ended)
        return OldLines::Whole;
    if (isTorn(last))
        return notAppendable(path + ": the last line is cut off");
    return OldLines::LastIsOpen;
}

}  // namespace ct
