// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Resolves addresses to functions and lines with the DWARF of one file.
#pragma once

#include "core/symbols/describedaddress.h"
#include "core/symbols/elfimage.h"
#include "core/symbols/unitindex.h"

#include <elfutils/libdw.h>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ct {

/// For one thread. The image must outlive the reader.
class DwarfReader {
public:
    /// Returns null if the image has no readable debug information. `debugFolders` are searched for files that several
    /// debug files share (dwz).
    static std::unique_ptr<DwarfReader> open(const ElfImage &image, const std::vector<std::string> &debugFolders);
    ~DwarfReader();
    DwarfReader(const DwarfReader &) = delete;
    DwarfReader &operator=(const DwarfReader &) = delete;

    struct SourceLocation {
        std::vector<SourceFrame> frames;  ///< innermost first; empty = no unit contains the address
        bool outerNamed = false;          ///< the last frame's name is from the linker; otherwise a symbol is better
    };
    /// Returns one location per address. `addresses` are ascending, as linked.
    std::vector<SourceLocation> locations(std::span<const Dwarf_Addr> addresses);

    /// Finds the DIE of the function that begins at `begin`, and its unit. Returns false if there is none.
    bool functionAt(Dwarf_Addr begin, Dwarf_Die &function, Dwarf_Die &unit);

private:
    /// File, line and column.
    struct SourcePosition {
        std::string file;
        std::uint32_t line = 0;
        std::uint32_t column = 0;
    };
    struct End {
        void operator()(Dwarf *dwarf) const { ::dwarf_end(dwarf); }
    };

    DwarfReader(Dwarf *dwarf, const ElfImage &image);
    bool canReadLines(const UnitIndex::Unit &unit);
    void findShared(const ElfImage &image, const std::vector<std::string> &debugFolders);
    void describe(const UnitIndex::Group &group, std::span<const Dwarf_Addr> addresses,
                  std::vector<SourceLocation> &locations);
    SourcePosition positionOf(Dwarf_Lines *lines, std::size_t count, Dwarf_Addr address) const;
    static SourcePosition callOf(Dwarf_Die &inlined, Dwarf_Files *files, std::size_t fileCount);
    /// Returns false if only the plain name is known.
    bool nameOf(Dwarf_Die &function, std::string &name);

    const ElfImage &m_image;
    std::unordered_map<const UnitIndex::Unit *, bool> m_canReadLines;
    // m_units refers to m_dwarf, which refers to m_shared, which refers to m_sharedImage: keep this order.
    std::unique_ptr<ElfImage> m_sharedImage;
    std::unique_ptr<Dwarf, End> m_shared;
    std::unique_ptr<Dwarf, End> m_dwarf;
    UnitIndex m_units;
    std::unordered_map<const char *, std::string> m_readable;  ///< by the linker's name in the file
};

}  // namespace ct
