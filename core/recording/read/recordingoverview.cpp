// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/recording/read/recordingoverview.h"

#include "core/recording/format/batchcodec.h"
#include "core/recording/read/blocksurvey.h"
#include "core/recording/read/segments.h"

#include <algorithm>

namespace ct {

using namespace ctr;

namespace {

bool isOf(const BlockLocation &location, Kind kind)
{
    return location.kind == static_cast<std::uint16_t>(kind);
}

/// True if the block has a time range. A block with nothing but sums has none.
bool hasTime(const BlockLocation &location)
{
    return isOf(location, Kind::Stream) && location.firstTs != 0 && location.firstTs <= location.lastTs;
}

void addBlock(RecordingOverview &overview, const BlockLocation &location, std::uint32_t file)
{
    overview.blocks.push_back({location, file});
    if (!isOf(location, Kind::Stream))
        return;
    overview.transitions += location.transitions;
    if (!hasTime(location))
        return;
    overview.firstTs = overview.firstTs == 0 ? location.firstTs : std::min(overview.firstTs, location.firstTs);
    overview.lastTs = std::max(overview.lastTs, location.lastTs);
}

/// Skips blocks that are damaged. Reading the recording reports the damage.
Result<void> readInfo(BlockReader &reader, const BlockSurvey &survey, RecordingOverview &overview,
                      std::uint64_t &infoBytes)
{
    Block block;
    for (const BlockLocation &location : survey.blocks) {
        if (!isOf(location, Kind::Info) || infoBytes > RecordingOverview::kMostInfoBytes)
            continue;
        const Result<bool> read = reader.read(location, block);
        if (!read)
            return read.error();
        if (!*read)
            continue;
        infoBytes += block.payload.size();
        if (const std::optional<RecordingInfo> info = recordingInfoOf(block.payload))
            overview.info.mergeLater(*info);
    }
    return {};
}

/// Reads the sums in the last Stream block. Earlier ones may have sums, too, but the last sums are final.
Result<void> readSums(BlockReader &reader, const BlockSurvey &survey, RecordingOverview &overview)
{
    const auto last = std::find_if(survey.blocks.rbegin(), survey.blocks.rend(),
                                   [](const BlockLocation &location) { return isOf(location, Kind::Stream); });
    if (last == survey.blocks.rend())
        return {};
    Block block;
    const Result<bool> read = reader.read(*last, block);
    if (!read)
        return read.error();
    std::vector<Accounting> sums;
    if (*read && readOnly<SumsLayout>(block.payload, sums) && sums.size() == 1)
        overview.sums = sums.front();
    return {};
}

Result<void> addFile(RecordingOverview &overview, const std::string &path, std::uint64_t &infoBytes)
{
    const Result<std::unique_ptr<BlockReader>> reader = BlockReader::open(path);
    if (!reader)
        return reader.error();
    const Result<BlockSurvey> survey = surveyBlocks(**reader);
    if (!survey)
        return survey.error();
    const auto file = static_cast<std::uint32_t>(overview.files.size());
    overview.files.push_back(path);
    overview.bytes += (*reader)->size();
    for (const BlockLocation &location : survey->blocks)
        addBlock(overview, location, file);
    for (Damage damage : survey->damages) {
        damage.file = file;
        overview.damages.push_back(damage);
    }
    overview.hasEnded = survey->hasEnded;
    if (Result<void> read = readInfo(**reader, *survey, overview, infoBytes); !read)
        return read;
    return readSums(**reader, *survey, overview);
}

}  // namespace

Result<RecordingOverview> overviewOf(const std::string &path)
{
    RecordingOverview overview;
    std::uint64_t infoBytes = 0;
    for (const std::string &file : segmentsAround(path)) {
        const Result<void> added = addFile(overview, file, infoBytes);
        if (!added && overview.files.empty())
            return added.error();
        if (!added) {
            overview.trouble = added.error().message;
            overview.hasEnded = false;
            break;
        }
    }
    return overview;
}

std::vector<double> RecordingOverview::transitionsOverTime(std::uint64_t from, std::uint64_t to,
                                                           std::size_t columns) const
{
    columns = std::min(columns, kMostColumns);
    std::vector<double> counts(columns);
    if (columns == 0 || from >= to)
        return counts;
    // Transitions that each column has from blocks that cover the whole column, as the difference from the column
    // before. So a block costs the same, however many columns it covers.
    std::vector<double> across(columns + 1);
    const double width = static_cast<double>(to - from) / static_cast<double>(columns);
    for (const Block &block : blocks) {
        const BlockLocation &location = block.location;
        if (location.transitions == 0 || !hasTime(location) || location.firstTs >= to || location.lastTs < from)
            continue;
        const auto inColumns = [&](std::uint64_t ts) {
            return ts <= from ? -static_cast<double>(from - ts) / width : static_cast<double>(ts - from) / width;
        };
        const double begin = inColumns(location.firstTs);
        const double end = inColumns(location.lastTs) + 1 / width;  // one ns behind its latest time
        if (!(end > begin)) {                                       // the block is too short for a double
            counts[std::min(static_cast<std::size_t>(std::max(begin, 0.0)), columns - 1)] += location.transitions;
            continue;
        }
        const double each = location.transitions / (end - begin);
        const double shownBegin = std::max(begin, 0.0);
        const double shownEnd = std::min(end, static_cast<double>(columns));
        const auto first = std::min(static_cast<std::size_t>(shownBegin), columns - 1);
        const auto last = std::min(static_cast<std::size_t>(shownEnd), columns - 1);
        if (first == last) {
            counts[first] += each * (shownEnd - shownBegin);
            continue;
        }
        counts[first] += each * (static_cast<double>(first + 1) - shownBegin);
        counts[last] += each * (shownEnd - static_cast<double>(last));
        across[first + 1] += each;
        across[last] -= each;
    }
    double level = 0;
    for (std::size_t i = 0; i < columns; ++i) {
        level += across[i];
        counts[i] += std::max(level, 0.0);
    }
    return counts;
}

}  // namespace ct
