// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Limits the memory for symbols. The target decides which files are read, so their content must not decide alone.
#pragma once

#include <cstdint>

namespace ct {

/// The share of one file in the process's memory for symbols. Counts estimates before memory is allocated. Releases its
/// whole share in the destructor. For one thread at a time; the process-wide sum is atomic.
class SymbolMemory {
public:
    SymbolMemory() = default;
    ~SymbolMemory() { release(m_bytes); }
    SymbolMemory(const SymbolMemory &) = delete;
    SymbolMemory &operator=(const SymbolMemory &) = delete;

    /// Reserves memory for bytes that the file really has. Returns false, and reserves nothing, if it is too much.
    bool reserve(std::uint64_t bytes);
    /// Counts a further file that libelf maps. Reserves nothing, but raises the limit of reserveDerived().
    void addMapped(std::uint64_t bytes) { m_real += bytes; }
    /// Reserves memory for data made from the files: unpacked sections, tables. The limit is kFactor times the bytes of
    /// the files, plus kFree. Returns false, and reserves nothing, if it is too much.
    bool reserveDerived(std::uint64_t bytes);
    void releaseDerived(std::uint64_t bytes);  ///< releases a part of reserveDerived()

    std::uint64_t bytes() const { return m_bytes; }

    /// Limit of derived bytes per byte. Output of compilers unpacks to five times its size; zlib's worst case is 1032.
    static constexpr std::uint64_t kFactor = 32;
    static constexpr std::uint64_t kFree = std::uint64_t{64} << 20;

    /// The limit of the process in bytes: a quarter of the machine's memory, but at least 512 MiB and at most 8 GiB.
    static std::uint64_t limit();
    static void setLimit(std::uint64_t bytes);  ///< for tests; 0 = the usual limit
    static std::uint64_t used();

private:
    bool addBytes(std::uint64_t bytes);
    void release(std::uint64_t bytes);

    std::uint64_t m_bytes = 0;
    std::uint64_t m_derived = 0;  ///< the derived part of m_bytes
    std::uint64_t m_real = 0;     ///< bytes of the file and of the further files that libelf maps
};

}  // namespace ct
