// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A program, library or debug file, with the parts that symbols need copied into memory.
#pragma once

#include "core/base/result.h"
#include "core/symbols/symbolmemory.h"

#include <cstdint>
#include <elf.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct Elf;
struct Elf_Scn;
struct stat;

namespace ct {

/// Has copies, because a mapped file that is truncated or rewritten (by a build) would raise SIGBUS. Parts that are
/// never used (code, data, location lists) are left out. The file is untrusted: SymbolMemory limits its memory,
/// unpacked sections included. For one thread.
class ElfImage {
public:
    struct Segment {
        std::uint64_t offset = 0;    ///< offset in the file, bytes
        std::uint64_t fileSize = 0;  ///< size in the file, bytes
        std::uint64_t address = 0;   ///< address that the linker assigned
        std::uint64_t size = 0;      ///< size in memory, bytes
    };
    struct DebugLink {
        std::string name;  ///< file name without a folder
        std::uint32_t crc = 0;
    };

    /// Errors: no such file, no 64-bit little-endian program or library, sections beyond the end, too much memory
    /// (NoSpace).
    static Result<ElfImage> open(const std::string &path);

    /// Reserves memory for the compressed sections of a file that libelf will open by itself. Returns false if they are
    /// too large, or if it is no usable ELF file. Returns true if there is no file.
    static bool allowUnpacking(const std::string &path, SymbolMemory &memory);

    const std::string &path() const { return m_path; }
    Elf *elf() const { return m_elf.get(); }
    const std::string &buildId() const { return m_buildId; }
    std::uint16_t machine() const { return m_machine; }  ///< EM_X86_64, EM_AARCH64 ...
    /// The memory of this image, and of everything made from it.
    SymbolMemory &memory() const { return *m_share; }
    const std::vector<Segment> &executableSegments() const { return m_executable; }
    bool hasDwarf() const;

    /// Bytes of the line program that begins at `offset` of .debug_line; 0 = none.
    std::uint64_t lineProgramBytes(std::uint64_t offset) const;
    /// The content of .gnu_debuglink.
    std::optional<DebugLink> debugLink() const;
    /// Converts an offset in the file to the address as linked. `mapping` is the offset at which the mapping begins. A
    /// debug file without code has other offsets; there the only executable segment is used.
    std::optional<std::uint64_t> linkedAddress(std::uint64_t offset, std::uint64_t mapping) const;
    /// Returns true if an executable segment contains the address.
    bool isExecutable(std::uint64_t linkedAddress) const;

private:
    /// Anonymous memory of the file's size, so offsets stay valid. Only parts that were read occupy memory.
    struct Unmap {
        std::size_t size;
        void operator()(char *memory) const;
    };
    struct End {
        void operator()(Elf *elf) const;
    };

    ElfImage() = default;
    Result<void> load(int fd, const struct stat &status);
    Result<void> loadSegments(int fd, const Elf64_Ehdr &head);
    Result<void> loadSections(int fd, const Elf64_Ehdr &head);
    Error unread(const char *what) const;
    bool readAt(int fd, std::uint64_t offset, std::uint64_t size);
    Elf_Scn *section(const char *name) const;
    std::uint64_t derivedBytes(const std::vector<Elf64_Shdr> &sections) const;

    std::string m_path;
    std::unique_ptr<SymbolMemory> m_share = std::make_unique<SymbolMemory>();
    std::unique_ptr<char, Unmap> m_memory;  ///< must outlive m_elf
    std::unique_ptr<Elf, End> m_elf;
    std::string m_buildId;
    std::vector<Segment> m_executable;
    std::uint64_t m_size = 0;
    bool m_tooLarge = false;
    std::uint16_t m_machine = 0;
};

}  // namespace ct
