// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is known of an address, and if it is less than everything, why and what to do about it. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ct {

/// One function at an address: several, where some were inlined into others.
struct SourceFrame {
    std::string function;      ///< readable, with parameters where the compiler named them; empty = not known
    std::string file;          ///< as the compiler had it, made absolute with its folder; empty = not known
    std::uint32_t line = 0;    ///< from 1; 0 = not known
    std::uint32_t column = 0;  ///< from 1; 0 = not known
    bool inlined = false;      ///< into the next one of the list
    bool operator==(const SourceFrame &) const = default;
};

enum class SymbolGap {
    None,           ///< function and line are known
    NoModule,       ///< no mapping of a file holds the address
    NoFile,         ///< the module's file is not there
    OtherBuild,     ///< a file is there, but of another build
    Unreadable,     ///< may not be read, or is damaged
    NoSymbols,      ///< stripped: neither debug information nor a symbol for it
    NoLines,        ///< function only: no debug information, or none for this place
    NotACoroutine,  ///< a frame pointer whose resume function is none
    NotReadable,    ///< memory of the process cannot be read: gone, or not permitted
};

struct DescribedAddress {
    std::vector<SourceFrame> frames;  ///< innermost first; empty = nothing is known
    std::string module;               ///< path of its file; empty = no module
    SymbolGap gap = SymbolGap::None;
    std::string remedy;  ///< one sentence: what is missing and what to do; empty when nothing is
    bool operator==(const DescribedAddress &) const = default;
};

}  // namespace ct
