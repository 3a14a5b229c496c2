// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// From a resume function and its frame to the line of the co_await.
#pragma once

#include "core/symbols/codewalk.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace ct {

struct SuspensionLine {
    std::optional<std::uint64_t> index;  ///< of the suspension point
    std::string file;
    std::uint32_t line = 0;  ///< 0: not to be had
    std::uint32_t column = 0;
};

struct ResumedFrame {
    std::uint64_t resume = 0;  ///< address of the resume function in the process
    std::uint64_t linked = 0;  ///< the same as linked
    std::uint64_t frame = 0;   ///< address
};

class ModuleSymbols;
class ResumeFunction;

/// Of one module; remembers what it found: there may be a frame for each of a million coroutines, but of few functions.
class SuspensionLines {
public:
    SuspensionLines();
    ~SuspensionLines();
    SuspensionLines(const SuspensionLines &) = delete;
    SuspensionLines &operator=(const SuspensionLines &) = delete;

    /// `symbols`: always the same.
    SuspensionLine find(ModuleSymbols &symbols, const ResumedFrame &frame, const MemoryReader &read);

private:
    std::unordered_map<std::uint64_t, std::unique_ptr<ResumeFunction>> m_functions;  ///< by address as linked
};

}  // namespace ct
