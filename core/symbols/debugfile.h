// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Finds the files that tell about a module: its own, and the one its debug information was moved to.
#pragma once

#include "core/symbols/describedaddress.h"
#include "core/symbols/elfimage.h"
#include "core/symbols/module.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ct {

struct SymbolPlaces {
    /// Before a module's path: "" = as recorded; "/proc/PID/root" for a live process in a container; a copied tree.
    std::vector<std::string> roots{""};
    /// Given by the user: looked through for <folder>/<path>, <folder>/<file name> and <folder>/.build-id.
    std::vector<std::string> folders;
    /// Where the system keeps debug files.
    std::vector<std::string> debugFolders{"/usr/lib/debug"};
    /// Asked last, with a build id: gives back a path, empty = none. Not set: nothing is ever fetched from a server.
    std::function<std::string(const std::string &buildId)> fetch;
};

/// Either may be missing; `gap` and `remedy` then say why.
struct ModuleFiles {
    std::optional<ElfImage> binary;  ///< the module's own file, of the recorded build
    std::optional<ElfImage> debug;   ///< set only when the debug information is in another file
    SymbolGap gap = SymbolGap::None;
    std::string remedy;
    bool lacksMemory = false;  ///< a file was refused that would have taken too much
};

/// Reads files: not for the GUI thread. A file counts as the module's when build ids agree; a module without one (not
/// recorded, or linked without) takes the file of its path.
ModuleFiles findModuleFiles(const Module &module, const SymbolPlaces &places);

/// CRC-32 (IEEE 802.3) of a file, as .gnu_debuglink holds it; nullopt: cannot be read.
std::optional<std::uint32_t> fileCrc(const std::string &path);

}  // namespace ct
