// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/saverecording.h"

#include "core/exporting/exporttrace.h"
#include "core/exporting/replacefile.h"
#include "core/recording/read/segments.h"
#include "core/recording/write/fileclaim.h"

#include <algorithm>
#include <filesystem>

namespace ct {

namespace {

/// Returns a file that is a segment of the recording `to`, or that has `to` as a segment; "" if there is none. "x.ctr"
/// is the common name of the segments "x.0.ctr", "x.1.ctr" and so on.
std::string namesakeOf(const std::string &to)
{
    const std::string one = std::filesystem::path(to).lexically_normal().string();
    const std::optional<ctr::SegmentName> segment = ctr::segmentNameOf(one);
    const std::string run = segment ? segment->path : one;
    std::vector<std::string> files = ctr::segmentsOf(run);
    std::error_code ignored;
    if (std::filesystem::exists(run, ignored))
        files.push_back(run);
    const auto found = std::find_if(files.begin(), files.end(), [&](const std::string &file) { return file != one; });
    return found == files.end() ? std::string() : std::filesystem::path(*found).filename().string();
}

}  // namespace

Result<void> checkRecordingName(const std::string &to)
{
    if (const ctr::Claims claims = ctr::claimsOn(to); claims.written || claims.read)
        return Error{ErrorCode::Busy, to + " is a recording that is " +
                                          (claims.written ? "being written" : "open in a window") +
                                          "; choose another name"};
    if (const std::string other = namesakeOf(to); !other.empty())
        return Error{ErrorCode::AlreadyExists, to + " is the name of the recording that " + other +
                                                   " in the same folder belongs to; choose another name"};
    return {};
}

Result<CopiedRecording> saveRecording(const std::string &from, const std::string &to, const CopyProgress &progress)
{
    if (const Result<void> isFree = checkRecordingName(to); !isFree)
        return isFree.error();
    Result<ReplaceFile> file = ReplaceFile::prepare(to);
    if (!file)
        return file.error();
    const CopyProgress part = [&](double done) { return !progress || progress(done * kRowsWritten); };
    Result<CopiedRecording> copied = copyRecording(from, file->temporaryPath(), part);
    if (!copied && copied.error().code == ErrorCode::Cancelled)
        return Error{ErrorCode::Cancelled, "saving was cancelled; nothing was changed"};
    if (!copied)
        return nothingWritten(copied.error(), file->temporaryPath(), to);
    if (Result<void> replaced = file->commit(); !replaced)
        return replaced.error();
    return copied;
}

}  // namespace ct
