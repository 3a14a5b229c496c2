// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The description of an address, with a reason and a remedy if it is incomplete. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ct {

/// One function at an address. An address has several where functions were inlined.
struct SourceFrame {
    std::string function;      ///< readable, with parameters if the compiler named them; empty = unknown
    std::string file;          ///< as the compiler has it, made absolute with its folder; empty = unknown
    std::uint32_t line = 0;    ///< from 1; 0 = unknown
    std::uint32_t column = 0;  ///< from 1; 0 = unknown
    bool inlined = false;      ///< inlined into the next frame of the list
    bool operator==(const SourceFrame &) const = default;
};

/// Why an address is not resolved, or not completely.
enum class Unresolved {
    None,           ///< function and line are known
    NoModule,       ///< no mapping of a file contains the address
    NoFile,         ///< the module's file does not exist
    OtherBuild,     ///< a file exists, but of another build
    Unreadable,     ///< not readable, or damaged
    NoSymbols,      ///< stripped: neither debug information nor a symbol for the address
    NoLines,        ///< function only: no debug information, or none for this address
    NotACoroutine,  ///< a frame pointer without a coroutine's resume function
    NotReadable,    ///< the process's memory cannot be read: ended, or not permitted
};

struct DescribedAddress {
    std::vector<SourceFrame> frames;  ///< innermost first; empty = nothing is known
    std::string module;               ///< path of its file; empty = no module
    Unresolved reason = Unresolved::None;
    std::string remedy;  ///< the missing part and the remedy, one sentence; empty = nothing is missing
    bool operator==(const DescribedAddress &) const = default;
};

}  // namespace ct
