// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/saverecording.h"

#include "core/exporting/replacefile.h"
#include "core/recording/fileclaim.h"

namespace ct {

Result<CopiedRecording> saveRecording(const std::string &from, const std::string &to, const CopyProgress &progress)
{
    if (const ctr::Claims claims = ctr::claimsOn(to); claims.written || claims.read)
        return Error{ErrorCode::Busy, to + " is a recording that is " +
                                          (claims.written ? "being written" : "open in a window") +
                                          "; choose another name"};
    Result<ReplaceFile> file = ReplaceFile::prepare(to);
    if (!file)
        return file.error();
    // The rest belongs to bringing the file to the disk.
    const CopyProgress part = [&](double done) { return !progress || progress(done * 0.95); };
    Result<CopiedRecording> copied = copyRecording(from, file->temporaryPath(), part);
    if (!copied && copied.error().code == ErrorCode::Cancelled)
        return Error{ErrorCode::Cancelled, "saving was cancelled, nothing was changed"};
    if (!copied)
        return ofNothingWritten(copied.error(), file->temporaryPath(), to);
    if (Result<void> replaced = file->commit(); !replaced)
        return replaced.error();
    return copied;
}

}  // namespace ct
