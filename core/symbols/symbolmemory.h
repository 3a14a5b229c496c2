// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// How much memory symbols may take: a target chooses which files are read for it, so nothing in a file may decide
// alone.
#pragma once

#include <cstdint>

namespace ct {

/// The share of one file in what symbols of the whole process may take. Counts estimates before the memory is asked
/// for; gives all of it back in the end. One thread at a time; the sum is shared by all threads.
class SymbolMemory {
public:
    SymbolMemory() = default;
    ~SymbolMemory() { release(m_bytes); }
    SymbolMemory(const SymbolMemory &) = delete;
    SymbolMemory &operator=(const SymbolMemory &) = delete;

    /// For bytes that the file really has. False: too much, and nothing is taken.
    bool take(std::uint64_t bytes);
    /// Another file that belongs to it, which libelf maps: takes nothing by itself.
    void addMapped(std::uint64_t bytes) { m_real += bytes; }
    /// For what is made from them: unpacked sections, tables. At most kFactor times as much as the file really has, and
    /// kFree more. False as above.
    bool takeDerived(std::uint64_t bytes);
    void giveBack(std::uint64_t bytes);  ///< of what was derived

    std::uint64_t bytes() const { return m_bytes; }

    /// Compilers' output unpacks to five times its size; zlib's worst case is 1032 times.
    static constexpr std::uint64_t kFactor = 32;
    static constexpr std::uint64_t kFree = std::uint64_t{64} << 20;

    /// Of the process: a quarter of the machine's memory, within 512 MiB and 8 GiB.
    static std::uint64_t limit();
    static void setLimit(std::uint64_t bytes);  ///< for tests
    static std::uint64_t used();

private:
    bool add(std::uint64_t bytes);
    void release(std::uint64_t bytes);

    std::uint64_t m_bytes = 0;
    std::uint64_t m_derived = 0;  ///< of these
    std::uint64_t m_real = 0;     ///< what the file has, and those that belong to it
};

}  // namespace ct
