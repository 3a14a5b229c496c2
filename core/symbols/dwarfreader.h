// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// DWARF of one file: addresses to functions and lines.
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

/// One thread. The image must live as long.
class DwarfReader {
public:
    /// nullptr: the image has no debug information that can be read. `debugFolders`: where files that several debug
    /// files share (dwz) are looked for.
    static std::unique_ptr<DwarfReader> open(const ElfImage &image, const std::vector<std::string> &debugFolders);
    ~DwarfReader();
    DwarfReader(const DwarfReader &) = delete;
    DwarfReader &operator=(const DwarfReader &) = delete;

    struct Place {
        std::vector<SourceFrame> frames;  ///< innermost first; empty = no unit knows the address
        bool outerNamed = false;          ///< the last one's name is the linker's; otherwise a symbol is better
    };
    /// One per address; `addresses`: ascending, as linked.
    std::vector<Place> places(std::span<const Dwarf_Addr> addresses);

    /// The function's DIE that begins there, and its unit. False: none.
    bool functionAt(Dwarf_Addr begin, Dwarf_Die &function, Dwarf_Die &unit);

private:
    /// File, line and column.
    struct Spot {
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
    void describe(const UnitIndex::Group &group, std::span<const Dwarf_Addr> addresses, std::vector<Place> &places);
    Spot spotOf(Dwarf_Lines *lines, std::size_t count, Dwarf_Addr address) const;
    static Spot callOf(Dwarf_Die &inlined, Dwarf_Files *files, std::size_t fileCount);
    /// False: only its plain name is known.
    bool nameOf(Dwarf_Die &function, std::string &name);

    const ElfImage &m_image;
    std::unordered_map<const UnitIndex::Unit *, bool> m_canReadLines;
    std::unique_ptr<ElfImage> m_sharedImage;  ///< each of these three is used by the next ones
    std::unique_ptr<Dwarf, End> m_shared;
    std::unique_ptr<Dwarf, End> m_dwarf;
    UnitIndex m_units;
    std::unordered_map<const char *, std::string> m_readable;  ///< by the linker's name in the file
};

}  // namespace ct
