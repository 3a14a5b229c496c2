// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// From a resume function and its frame to the line of the co_await.
#pragma once

#include "core/symbols/codewalk.h"
#include "core/symbols/modulesymbols.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ct {

struct SuspensionLine {
    std::optional<std::uint64_t> index;  ///< of the suspension point
    std::string file;
    std::uint32_t line = 0;  ///< 0: not to be had
    std::uint32_t column = 0;
};

/// `resume`: address of the resume function in the process, `linked`: the same as linked.
SuspensionLine suspensionLine(ModuleSymbols &symbols, std::uint64_t resume, std::uint64_t linked, std::uint64_t frame,
                              const MemoryReader &read);

}  // namespace ct
