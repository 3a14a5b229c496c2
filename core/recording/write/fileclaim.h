// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Claims on recordings and other files that are being written, or are open in a window. Other windows and processes see
// the claims, and do not write or remove these files.
//
// A claim is an advisory lock of the open file (F_OFD_SETLK) on a byte far behind all content. It ends with its
// descriptor, also when the process is killed. On a file system without locks, claims have no effect and do not fail.
// See docs/decisions/0019-files-that-are-not-ours.md.
#pragma once

#include "core/base/result.h"

#include <string>
#include <vector>

namespace ct::ctr {

struct Claims {
    bool written = false;
    bool read = false;
};

/// Claims a file that is open for writing. Returns false when it is being written already.
bool claimForWriting(int fd);
/// The error for a file that is being written already.
Error writtenElsewhere(const std::string &path);
/// Returns the claims on a file, including those of this process. A missing file has none.
Claims claimsOn(const std::string &path);

/// Claims files that this process has open and will read again later. Any thread.
class ReadClaim {
public:
    ReadClaim() = default;
    /// Leaves out files that cannot be opened.
    explicit ReadClaim(const std::vector<std::string> &paths);
    ReadClaim(ReadClaim &&other) noexcept;
    ReadClaim &operator=(ReadClaim &&other) noexcept;
    ~ReadClaim();

private:
    std::vector<int> m_fds;
};

}  // namespace ct::ctr
