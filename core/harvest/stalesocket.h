// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Socket files, by their addresses. Qt-free.
#pragma once

#include "core/result.h"

#include <string>
#include <sys/un.h>

namespace ct {

/// An error when the path is longer than a socket's path may be.
Result<sockaddr_un> socketAddressOf(const std::string &path);

/// Removes the socket file of an engine that is gone. An error when somebody listens on it, or it is another kind of
/// file; nothing there is none.
Result<void> removeStaleSocket(const std::string &path);

}  // namespace ct
