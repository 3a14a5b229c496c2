// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/symbols/dwarfreader.h"

#include "core/symbols/demangle.h"
#include "core/symbols/scopes.h"

#include <algorithm>
#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <filesystem>
#include <utility>

namespace ct {

namespace {

// Bytes of each row: after libdw has sorted the rows, and before.
constexpr std::uint64_t kLineBytes = 48;
constexpr std::uint64_t kLineBytesAtFirst = 112;

std::uint32_t numberOf(Dwarf_Die &die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    const bool known = ::dwarf_attr(&die, name, &attribute) && ::dwarf_formudata(&attribute, &value) == 0;
    return known && value <= UINT32_MAX ? static_cast<std::uint32_t>(value) : 0;
}

std::string cleanPath(const char *path)
{
    const std::string_view text = path ? path : "";
    if (text.find("/..") == std::string_view::npos && text.find("/./") == std::string_view::npos)
        return std::string(text);
    return std::filesystem::path(text).lexically_normal().string();
}

Dwarf_Addr addressOf(Dwarf_Lines *lines, std::size_t index)
{
    Dwarf_Addr address = 0;
    ::dwarf_lineaddr(::dwarf_onesrcline(lines, index), &address);
    return address;
}

std::string hexOf(const unsigned char *bytes, std::size_t size)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string hex;
    for (std::size_t i = 0; i < size; ++i) {
        hex += kDigits[bytes[i] >> 4];
        hex += kDigits[bytes[i] & 15];
    }
    return hex;
}

}  // namespace

std::unique_ptr<DwarfReader> DwarfReader::open(const ElfImage &image, const std::vector<std::string> &debugFolders)
{
    // libdw itself, not libdwfl: it opens no other file by a build id, and sends no request to debuginfod.
    Dwarf *dwarf = ::dwarf_begin_elf(image.elf(), DWARF_C_READ, nullptr);
    if (!dwarf)
        return nullptr;
    std::unique_ptr<DwarfReader> reader(new DwarfReader(dwarf, image));
    reader->findShared(image, debugFolders);
    return reader;
}

DwarfReader::DwarfReader(Dwarf *dwarf, const ElfImage &image)
    : m_image(image),
      m_dwarf(dwarf),
      m_units(
          dwarf, [&](Dwarf_Addr address) { return image.isExecutable(address); }, image.memory())
{
}

DwarfReader::~DwarfReader() = default;

void DwarfReader::findShared(const ElfImage &image, const std::vector<std::string> &debugFolders)
{
    const char *name = nullptr;
    const void *id = nullptr;
    const ssize_t size = ::dwelf_dwarf_gnu_debugaltlink(m_dwarf.get(), &name, &id);
    if (size < 3 || !name || *name == '\0')
        return;
    const std::string hex = hexOf(static_cast<const unsigned char *>(id), static_cast<std::size_t>(size));
    std::vector<std::string> candidates;
    for (const std::string &folder : debugFolders)
        candidates.push_back(folder + "/.build-id/" + hex.substr(0, 2) + "/" + hex.substr(2) + ".debug");
    const std::filesystem::path folder = std::filesystem::path(image.path()).parent_path();
    candidates.push_back((folder / name).string());
    for (const std::string &candidate : candidates) {
        Result<ElfImage> found = ElfImage::open(candidate);
        if (!found || found->buildId() != hex)
            continue;
        m_sharedImage = std::make_unique<ElfImage>(std::move(*found));
        m_shared.reset(::dwarf_begin_elf(m_sharedImage->elf(), DWARF_C_READ, nullptr));
        if (m_shared)
            ::dwarf_setalt(m_dwarf.get(), m_shared.get());
        return;
    }
}

std::vector<DwarfReader::SourceLocation> DwarfReader::locations(std::span<const Dwarf_Addr> addresses)
{
    std::vector<SourceLocation> locations(addresses.size());
    for (const UnitIndex::Group &group : m_units.groups(addresses))
        describe(group, addresses, locations);
    return locations;
}

/// Returns true if there is memory for a unit's rows. Each byte of its line program may add a row, and libdw keeps all.
bool DwarfReader::canReadLines(const UnitIndex::Unit &unit)
{
    const auto [known, isNew] = m_canReadLines.try_emplace(&unit, true);
    if (!isNew)
        return known->second;
    Dwarf_Die head = unit.head;
    Dwarf_Attribute attribute;
    Dwarf_Word offset = 0;
    if (!::dwarf_attr(&head, DW_AT_stmt_list, &attribute) || ::dwarf_formudata(&attribute, &offset) != 0)
        return true;  // libdw finds no lines either
    const std::uint64_t most = m_image.lineProgramBytes(offset) * kLineBytesAtFirst;
    known->second = m_image.memory().reserveDerived(most);
    Dwarf_Lines *lines = nullptr;
    std::size_t count = 0;
    if (known->second && ::dwarf_getsrclines(&head, &lines, &count) != 0)
        count = 0;
    if (known->second)
        m_image.memory().releaseDerived(most - std::min<std::uint64_t>(most, count * kLineBytes));
    return known->second;
}

void DwarfReader::describe(const UnitIndex::Group &group, std::span<const Dwarf_Addr> addresses,
                           std::vector<SourceLocation> &locations)
{
    std::vector<Dwarf_Addr> own;
    for (const std::uint32_t index : group.addresses)
        own.push_back(addresses[index]);
    Dwarf_Die head = group.unit->head;
    Dwarf_Die tree = group.unit->tree;
    Dwarf_Lines *lines = nullptr;
    std::size_t lineCount = 0;
    const bool readable = canReadLines(*group.unit);
    if (!readable || ::dwarf_getsrclines(&head, &lines, &lineCount) != 0)
        lineCount = 0;
    Dwarf_Files *files = nullptr;
    std::size_t fileCount = 0;
    if (!readable || ::dwarf_getsrcfiles(&tree, &files, &fileCount) != 0)
        fileCount = 0;
    std::vector<ScopeChain> chains = scopesOf(tree, own);
    for (std::size_t i = 0; i < own.size(); ++i) {
        SourceLocation &location = locations[group.addresses[i]];
        SourcePosition position = positionOf(lines, lineCount, own[i]);
        for (auto scope = chains[i].rbegin(); scope != chains[i].rend(); ++scope) {
            SourceFrame frame{
                {}, std::move(position.file), position.line, position.column, std::next(scope) != chains[i].rend()};
            location.outerNamed = nameOf(*scope, frame.function);
            location.frames.push_back(std::move(frame));
            position = callOf(*scope, files, fileCount);
        }
        if (location.frames.empty() && !position.file.empty())
            location.frames.push_back({{}, std::move(position.file), position.line, position.column, false});
    }
}

DwarfReader::SourcePosition DwarfReader::positionOf(Dwarf_Lines *lines, std::size_t count, Dwarf_Addr address) const
{
    // libdw sorts the rows by address. Find the last one at or before the address.
    std::size_t low = 0;
    std::size_t high = count;
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (addressOf(lines, middle) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    Dwarf_Line *line = low > 0 ? ::dwarf_onesrcline(lines, low - 1) : nullptr;
    bool ended = false;
    if (!line || ::dwarf_lineendsequence(line, &ended) != 0 || ended)
        return {};
    int number = 0;
    int column = 0;
    ::dwarf_lineno(line, &number);
    ::dwarf_linecol(line, &column);
    return {cleanPath(::dwarf_linesrc(line, nullptr, nullptr)), static_cast<std::uint32_t>(std::max(number, 0)),
            static_cast<std::uint32_t>(std::max(column, 0))};
}

DwarfReader::SourcePosition DwarfReader::callOf(Dwarf_Die &inlined, Dwarf_Files *files, std::size_t fileCount)
{
    if (::dwarf_tag(&inlined) != DW_TAG_inlined_subroutine)
        return {};
    const std::uint32_t file = numberOf(inlined, DW_AT_call_file);
    return {file < fileCount ? cleanPath(::dwarf_filesrc(files, file, nullptr, nullptr)) : std::string(),
            numberOf(inlined, DW_AT_call_line), numberOf(inlined, DW_AT_call_column)};
}

bool DwarfReader::nameOf(Dwarf_Die &function, std::string &name)
{
    for (const unsigned kind : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
        Dwarf_Attribute attribute;
        const char *text =
            ::dwarf_attr_integrate(&function, kind, &attribute) ? ::dwarf_formstring(&attribute) : nullptr;
        if (!text)
            continue;
        auto known = m_readable.find(text);
        if (known == m_readable.end())
            known = m_readable.emplace(text, readableSymbol(text)).first;
        name = known->second;
        // If the linkage name cannot be made readable (rustc's new names), the plain name is better.
        if (name != text || !::dwarf_diename(&function))
            return true;
    }
    const char *plain = ::dwarf_diename(&function);
    name = plain ? plain : "";
    return false;
}

bool DwarfReader::functionAt(Dwarf_Addr begin, Dwarf_Die &function, Dwarf_Die &unit)
{
    const std::vector<UnitIndex::Group> groups = m_units.groups(std::span(&begin, 1));
    if (groups.empty())
        return false;
    unit = groups.front().unit->tree;
    std::vector<ScopeChain> chains = scopesOf(unit, std::span(&begin, 1));
    if (chains.front().empty())
        return false;
    function = chains.front().front();
    return true;
}

}  // namespace ct
