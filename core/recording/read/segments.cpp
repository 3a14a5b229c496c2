// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/recording/read/segments.h"

#include "core/recording/read/blockreader.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace ct::ctr {

std::uint64_t recordingOf(const std::string &path, std::uint32_t segment)
{
    const Result<std::unique_ptr<BlockReader>> reader = BlockReader::open(path);
    return reader && (*reader)->head().segment == segment ? (*reader)->head().recording : 0;
}

std::optional<SegmentName> segmentNameOf(const std::string &path)
{
    const std::filesystem::path whole(path);
    const std::filesystem::path stem = whole.stem();
    const std::string digits = stem.extension().string();
    SegmentName result;
    const char *const end = digits.data() + digits.size();
    if (digits.size() < 2 || std::from_chars(digits.data() + 1, end, result.number).ptr != end)
        return std::nullopt;
    result.path = (whole.parent_path() / stem.stem()).string() + whole.extension().string();
    return segmentPath(result.path, result.number) == path ? std::optional(result) : std::nullopt;
}

std::string segmentPath(const std::string &path, std::uint32_t segment)
{
    const std::filesystem::path whole(path);
    std::filesystem::path name = whole.stem();
    name.concat(".").concat(std::to_string(segment)).concat(whole.extension().native());
    return (whole.parent_path() / name).string();
}

std::optional<std::string> segmentAfter(const std::string &path)
{
    const std::optional<SegmentName> one = segmentNameOf(path);
    return one ? std::optional(segmentPath(one->path, one->number + 1)) : std::nullopt;
}

std::vector<std::string> segmentsAround(const std::string &path)
{
    const std::optional<SegmentName> one = segmentNameOf(path);
    const std::uint64_t recording = one ? recordingOf(path, one->number) : 0;
    if (recording == 0)
        return {path};
    const auto isThere = [&](std::uint32_t number) {
        return recordingOf(segmentPath(one->path, number), number) == recording;
    };
    std::uint32_t first = one->number;
    while (first > 0 && isThere(first - 1))
        --first;
    std::vector<std::string> all;
    std::uint32_t number = first;
    for (; number <= one->number || isThere(number); ++number)
        all.push_back(segmentPath(one->path, number));
    // An unreadable segment is the last one listed: the reader reports the error when it opens it. exists() also fails
    // if the next name would be too long for the file system.
    std::error_code ignored;
    if (const std::string next = segmentPath(one->path, number);
        std::filesystem::exists(next, ignored) && !BlockReader::open(next))
        all.push_back(next);
    return all;
}

std::vector<std::string> segmentsOf(const std::string &path)
{
    const std::filesystem::path directory = std::filesystem::path(path).parent_path();
    std::vector<std::uint32_t> numbers;
    std::error_code failed;
    for (std::filesystem::directory_iterator at(directory.empty() ? "." : directory, failed), end; !failed && at != end;
         at.increment(failed)) {
        const std::optional<SegmentName> one = segmentNameOf((directory / at->path().filename()).string());
        if (one && one->path == path)
            numbers.push_back(one->number);
    }
    std::sort(numbers.begin(), numbers.end());
    std::vector<std::string> paths;
    for (const std::uint32_t number : numbers)
        paths.push_back(segmentPath(path, number));
    if (paths.empty() && std::filesystem::exists(path, failed))
        paths.push_back(path);
    return paths;
}

}  // namespace ct::ctr
