// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Addresses of socket files, and removal of stale ones. Qt-free.
#pragma once

#include "core/base/result.h"

#include <string>
#include <sys/un.h>

namespace ct {

/// Returns an error if the path is empty or longer than corotracer::kSocketPathMax.
Result<sockaddr_un> socketAddressOf(const std::string &path);

/// Removes the socket file of an engine that is gone. Returns an error if a process listens on the socket, or if the
/// file is not a socket. A missing file is no error.
Result<void> removeStaleSocket(const std::string &path);

}  // namespace ct
