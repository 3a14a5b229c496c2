// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Finds the line of the co_await at which a coroutine is suspended, from its resume function and frame.
#pragma once

#include "core/symbols/codewalk.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace ct {

struct SuspensionLine {
    std::optional<std::uint64_t> index;  ///< number of the suspension point
    std::string file;
    std::uint32_t line = 0;  ///< 0 = unknown
    std::uint32_t column = 0;
};

struct ResumedFrame {
    std::uint64_t resume = 0;  ///< address of the resume function in the process
    std::uint64_t linked = 0;  ///< address of the resume function as linked, without the module's bias
    std::uint64_t frame = 0;   ///< address of the frame in the process
};

class ModuleSymbols;
class ResumeFunction;

/// Finds suspension lines in one module. Keeps its results, because a million coroutines may have only a few functions.
class SuspensionLines {
public:
    SuspensionLines();
    ~SuspensionLines();
    SuspensionLines(const SuspensionLines &) = delete;
    SuspensionLines &operator=(const SuspensionLines &) = delete;

    /// `symbols` must be the same in all calls.
    SuspensionLine lineOf(ModuleSymbols &symbols, const ResumedFrame &frame, const MemoryReader &read);

private:
    std::unordered_map<std::uint64_t, std::unique_ptr<ResumeFunction>> m_functions;  ///< by address as linked
};

}  // namespace ct
