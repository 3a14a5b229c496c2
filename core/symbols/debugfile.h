// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Finds the files of a module: its own file, and the separate file with its debug information.
#pragma once

#include "core/stream/module.h"
#include "core/symbols/describedaddress.h"
#include "core/symbols/elfimage.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ct {

struct DebugSearchPath {
    /// Prefix of each module's path: "" for the path in the maps, "/proc/PID/root" for a live process in a container,
    /// or the root of a copied tree.
    std::vector<std::string> roots{""};
    /// Folders of the user, searched for <folder>/<path>, <folder>/<file name> and <folder>/.build-id.
    std::vector<std::string> folders;
    /// Folders in which the system keeps debug files.
    std::vector<std::string> debugFolders{"/usr/lib/debug"};
    /// Called last, with a build id. Returns a path, empty = none. If not set, nothing is ever fetched from a server.
    std::function<std::string(const std::string &buildId)> fetch;
};

/// The files that were found. If one is missing, `reason` and `remedy` say why.
struct ModuleFiles {
    std::optional<ElfImage> binary;  ///< the module's own file, of the recorded build
    std::optional<ElfImage> debug;   ///< set only if the debug information is in another file
    Unresolved reason = Unresolved::None;
    std::string remedy;
    bool lacksMemory = false;  ///< a file was refused because it would need too much memory
};

/// Finds a module's files. Reads files, so not for the GUI thread. A file belongs to the module if the build ids are
/// equal. A module without a build id (not recorded, or linked without) uses the file at its path.
ModuleFiles findModuleFiles(const Module &module, const DebugSearchPath &searchPath);

/// CRC-32 (IEEE 802.3) of a file, as in .gnu_debuglink; nullopt = cannot be read.
std::optional<std::uint32_t> fileCrc(const std::string &path);

}  // namespace ct
