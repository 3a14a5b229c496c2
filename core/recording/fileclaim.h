// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Says to other windows and processes that a recording, or a file of another format, is being written, or is open in a
// window, so that nobody writes or removes it. Advisory: locks of open files (F_OFD_SETLK) far behind all content. A
// claim is gone with its descriptor, also when the process is killed. On a file system without locks nobody is told,
// and nothing fails.
#pragma once

#include "core/result.h"

#include <string>
#include <vector>

namespace ct::ctr {

struct Claims {
    bool written = false;
    bool read = false;
};

/// `fd` is open for writing. False: somebody else writes the file.
bool claimForWriting(int fd);
/// What to say then.
Error writtenElsewhere(const std::string &path);
/// Of anybody but this descriptor. Nobody's, when the file is not there.
Claims claimsOn(const std::string &path);

/// Files that somebody here has open, and wants to find again later. Any thread.
class ReadClaim {
public:
    ReadClaim() = default;
    /// Those that cannot be opened are left out.
    explicit ReadClaim(const std::vector<std::string> &paths);
    ReadClaim(ReadClaim &&other) noexcept;
    ReadClaim &operator=(ReadClaim &&other) noexcept;
    ~ReadClaim();

private:
    std::vector<int> m_fds;
};

}  // namespace ct::ctr
