// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/library/recordedruns.h"

#include "core/base/fileending.h"
#include "core/base/fileremedy.h"
#include "core/recording/format/ctrformat.h"
#include "core/recording/read/segments.h"
#include "core/recording/write/fileclaim.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace ct {

using namespace ctr;

namespace {

constexpr std::string_view kNamePattern = "dddd-dd-ddTdd.dd.dd-";
/// A killed window leaves empty files without a claim. A younger file (age in ns) may only not be claimed yet.
constexpr std::int64_t kNewNs = 60'000'000'000;

std::int64_t nanoseconds(const timespec &time)
{
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

std::uint64_t size(const struct stat &info)
{
    return static_cast<std::uint64_t>(info.st_size);
}

Claims claimsOn(const std::vector<std::string> &files)
{
    Claims all;
    for (const std::string &file : files) {
        const Claims one = ctr::claimsOn(file);
        all.written |= one.written;
        all.read |= one.read;
    }
    return all;
}

/// Files by number, in groups. The key has the name of the run, and whether its files have numbers.
using Groups = std::map<std::pair<std::string, bool>, std::map<std::uint32_t, std::string>>;

/// The files of a RecordedRun::path.
std::vector<std::string> filesOf(const std::string &path)
{
    std::error_code ignored;
    const std::optional<SegmentName> name = segmentNameOf(path);
    if (!name && std::filesystem::exists(path, ignored))
        return {path};
    std::vector<std::string> files = segmentsOf(name ? name->path : path);
    if (name)
        std::erase(files, name->path);  // a file without a number is another recording
    return files;
}

bool isLeftOver(const std::string &path)
{
    struct stat info = {};
    timespec now = {};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return ::stat(path.c_str(), &info) == 0 && info.st_size == 0 &&
           nanoseconds(info.st_mtim) + kNewNs < nanoseconds(now) && !ctr::claimsOn(path).written;
}

}  // namespace

std::string targetInFileName(const std::string &path)
{
    const std::string stem = std::filesystem::path(path).stem().string();
    if (stem.size() <= kNamePattern.size())
        return {};
    for (std::size_t i = 0; i < kNamePattern.size(); ++i) {
        const bool digit = std::isdigit(static_cast<unsigned char>(stem[i])) != 0;
        if (kNamePattern[i] == 'd' ? !digit : stem[i] != kNamePattern[i])
            return {};
    }
    return stem.substr(kNamePattern.size());
}

const Result<RecordingSummary> &RecordedRuns::summaryOf(const std::string &path, const struct stat &info)
{
    Seen &seen = m_seen[path];
    const Seen now{info.st_ino, size(info), nanoseconds(info.st_mtim), RecordingSummary(), true};
    const bool isKnown = seen.inode == now.inode && seen.size == now.size && seen.changed == now.changed;
    if (!isKnown) {
        seen = now;
        seen.summary = readRecordingSummary(path);
    }
    seen.stillThere = true;
    return seen.summary;
}

/// Fills in `run` from its files. `run.files` must be set. `lastWritten`: ns since 1970.
void RecordedRuns::describe(RecordedRun &run, std::uint64_t lastWritten)
{
    run.begun = lastWritten;
    std::uint64_t firstTs = 0;
    std::uint64_t lastTs = 0;
    bool ended = false;
    bool readable = false;
    for (const std::string &path : run.files) {
        struct stat info = {};
        if (::stat(path.c_str(), &info) != 0)
            continue;  // it was removed after it was listed
        run.bytes += size(info);
        const Result<RecordingSummary> &summary = summaryOf(path, info);
        ended = summary && summary->ended;
        if (!summary) {
            // A file that was just begun is still empty.
            if (run.error.empty() && size(info) != 0)
                run.error = summary.error().message;
            continue;
        }
        if (!std::exchange(readable, true)) {
            run.segment = summary->segment;
            run.begun = summary->begun;
            run.command = summary->info.command;
            firstTs = summary->firstTs;
        }
        lastTs = std::max(lastTs, summary->lastTs);
        run.events += summary->transitions;
    }
    run.duration = firstTs != 0 && lastTs > firstTs ? lastTs - firstTs : 0;
    const Claims claims = claimsOn(run.files);
    run.isOpen = claims.read;
    if (claims.written)
        run.state = RecordedRun::State::Recording;
    else if (!readable)
        run.state = RecordedRun::State::Unreadable;
    else
        run.state = ended ? RecordedRun::State::Complete : RecordedRun::State::Interrupted;
}

Result<std::vector<RecordedRun>> RecordedRuns::list(const std::string &directory)
{
    for (auto &[path, seen] : m_seen)
        seen.stillThere = false;
    Groups groups;
    std::error_code failed;
    std::filesystem::directory_iterator at(directory, failed);
    for (; !failed && at != std::filesystem::directory_iterator(); at.increment(failed)) {
        const std::string path = at->path().string();
        std::error_code ignored;
        if (!hasEnding(path, ".ctr") || !at->is_regular_file(ignored))
            continue;
        const std::optional<SegmentName> name = segmentNameOf(path);
        groups[{name ? name->path : path, name.has_value()}].emplace(name ? name->number : 0, path);
    }
    if (failed && failed != std::errc::no_such_file_or_directory)
        return readError(failed.value(), directory + " cannot be listed");
    std::vector<RecordedRun> runs;
    for (const auto &[key, files] : groups) {
        const auto &[path, isRow] = key;
        RecordedRun run;
        run.path = isRow && groups.contains({path, false}) ? files.begin()->second : path;
        std::int64_t lastWritten = 0;
        for (const auto &[number, file] : files) {
            run.files.push_back(file);
            struct stat info = {};
            if (::stat(file.c_str(), &info) == 0)
                lastWritten = std::max(lastWritten, nanoseconds(info.st_mtim));
        }
        run.name = targetInFileName(path);
        if (run.name.empty())
            run.name = std::filesystem::path(path).stem().string();
        describe(run, static_cast<std::uint64_t>(lastWritten));
        if (run.bytes != 0 || run.state == RecordedRun::State::Recording)
            runs.push_back(std::move(run));
    }
    std::erase_if(m_seen, [](const auto &one) { return !one.second.stillThere; });
    std::sort(runs.begin(), runs.end(), [](const RecordedRun &a, const RecordedRun &b) {
        return a.begun != b.begun ? a.begun > b.begun : a.path < b.path;
    });
    return runs;
}

FreedSpace RecordedRuns::freeSpace(const std::string &directory, std::uint64_t most)
{
    FreedSpace made;
    const Result<std::vector<RecordedRun>> runs = list(directory);
    if (!runs) {
        made.failures.push_back(runs.error().message);
        return made;
    }
    std::uint64_t sum = 0;
    for (const RecordedRun &run : *runs)
        sum += run.bytes;
    for (auto run = runs->rbegin(); run != runs->rend() && sum > most; ++run) {
        if (run->state == RecordedRun::State::Recording || run->isOpen || targetInFileName(run->path).empty())
            continue;
        if (const Result<void> removed = removeRun(run->path); !removed) {
            if (removed.error().code != ErrorCode::Busy)
                made.failures.push_back(removed.error().message);
            continue;
        }
        sum -= run->bytes;
        ++made.runs;
        made.bytes += run->bytes;
        made.latest = run->begun;
    }
    std::error_code failed;
    for (std::filesystem::directory_iterator at(directory, failed), end; !failed && at != end; at.increment(failed)) {
        const std::string path = at->path().string();
        const std::optional<SegmentName> name = segmentNameOf(path);
        if (hasEnding(path, ".ctr") && name && !targetInFileName(name->path).empty() && isLeftOver(path))
            ::unlink(path.c_str());
    }
    return made;
}

Result<void> removeRun(const std::string &path)
{
    const std::vector<std::string> files = filesOf(path);
    const Claims claims = claimsOn(files);
    if (claims.written)
        return Error{ErrorCode::Busy, path + " is being recorded; stop the capture first"};
    if (claims.read)
        return Error{ErrorCode::Busy, path + " is open in a window; close the window, or open another file in it"};
    for (const std::string &file : files) {
        if (::unlink(file.c_str()) != 0 && errno != ENOENT)
            return errnoError(errno, file + " cannot be deleted", "check who may write to its folder");
    }
    return {};
}

}  // namespace ct
