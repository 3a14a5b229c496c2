// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/symbols/suspensionline.h"

#include "core/symbols/demangle.h"
#include "core/symbols/modulesymbols.h"
#include "core/symbols/scopes.h"

#include <algorithm>
#include <array>
#include <dwarf.h>
#include <elf.h>
#include <map>
#include <string_view>
#include <vector>

namespace ct {

namespace {

constexpr int kDeepest = 12;

/// Calls visit(die, tag) for the DIEs in a function and its lexical blocks, without the content of inlined functions.
template <class Visit>
void forEachInside(Dwarf_Die parent, int depth, Visit &&visit)
{
    Dwarf_Die child;
    if (depth > kDeepest || ::dwarf_child(&parent, &child) != 0)
        return;
    do {
        const int tag = ::dwarf_tag(&child);
        visit(child, tag);
        if (tag == DW_TAG_lexical_block)
            forEachInside(child, depth + 1, visit);
    } while (::dwarf_siblingof(&child, &child) == 0);
}

std::string_view nameOf(Dwarf_Die &die)
{
    const char *name = ::dwarf_diename(&die);  // follows abstract origins
    return name ? name : "";
}

std::optional<std::uint64_t> number(Dwarf_Die &die, unsigned attributeName)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    const bool known =
        ::dwarf_attr_integrate(&die, attributeName, &attribute) && ::dwarf_formudata(&attribute, &value) == 0;
    return known ? std::optional<std::uint64_t>(value) : std::nullopt;
}

bool typeOf(Dwarf_Die &die, Dwarf_Die &type)
{
    Dwarf_Attribute attribute;
    return ::dwarf_attr_integrate(&die, DW_AT_type, &attribute) && ::dwarf_formref_die(&attribute, &type) &&
           ::dwarf_peel_type(&type, &type) == 0;
}

/// The field of a frame that contains the number of the suspension point.
struct IndexField {
    std::uint64_t offset = 0;  ///< in the frame
    std::size_t size = 0;      ///< bytes; 0 = no such field
    bool clang = false;
    std::size_t bits = 0;  ///< number of significant bits
};

IndexField indexField(Dwarf_Die frameType)
{
    IndexField field;
    Dwarf_Die member;
    if (::dwarf_child(&frameType, &member) != 0)
        return field;
    do {
        const std::string_view name = nameOf(member);
        field.clang = name == "__coro_index";
        if (!field.clang && name != "_Coro_resume_index" && name != "__resume_at")
            continue;
        Dwarf_Die type;
        const auto offset = number(member, DW_AT_data_member_location);
        auto size = number(member, DW_AT_byte_size);
        if (!size && typeOf(member, type))
            size = number(type, DW_AT_byte_size);
        if (offset && *offset < (1U << 24) && size && *size >= 1 && *size <= 8) {
            field.offset = *offset;
            field.size = *size;
            field.bits = std::min<std::size_t>(number(member, DW_AT_bit_size).value_or(8 * *size), 8 * *size);
        }
        return field;
    } while (::dwarf_siblingof(&member, &member) == 0);
    return field;
}

/// Finds the frame's type. g++: the parameter frame_ptr; clang: the variable __coro_frame.
IndexField indexFieldOf(Dwarf_Die function)
{
    IndexField field;
    forEachInside(function, 0, [&](Dwarf_Die &die, int tag) {
        const bool pointer = tag == DW_TAG_formal_parameter && nameOf(die) == "frame_ptr";
        const bool variable = tag == DW_TAG_variable && nameOf(die) == "__coro_frame";
        Dwarf_Die type;
        if (field.size == 0 && (pointer || variable) && typeOf(die, type) && (!pointer || typeOf(type, type)))
            field = indexField(type);
    });
    return field;
}

struct SourcePosition {
    std::string file;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    bool operator==(const SourcePosition &) const = default;
};

/// An inlined call of an awaiter's member.
struct InlinedCall {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool resumes = false;  ///< await_resume; otherwise await_ready or await_suspend
};

}  // namespace

/// The suspension points of one resume function. Keeps the result for each index.
class ResumeFunction {
public:
    ResumeFunction(ModuleSymbols &symbols, std::uint64_t linked) : m_symbols(symbols), m_linked(linked)
    {
        Dwarf_Die unit;
        if (!m_symbols.dwarf() || !m_symbols.dwarf()->functionAt(m_linked, m_function, unit))
            return;
        m_field = indexFieldOf(m_function);
        collectCalls();
    }

    SuspensionLine lineOf(std::uint64_t resume, std::uint64_t frame, const MemoryReader &read)
    {
        SuspensionLine result;
        std::array<std::uint8_t, 8> bytes{};
        if (m_field.size == 0 || !read(frame + m_field.offset, bytes.data(), m_field.size))
            return result;
        std::uint64_t index = 0;
        for (std::size_t i = m_field.size; i-- > 0;)
            index = index << 8 | bytes[i];
        if (m_field.bits < 64)
            index &= (std::uint64_t{1} << m_field.bits) - 1;
        auto known = m_known.find(index);
        if (known == m_known.end()) {
            m_resume = resume;
            m_frame = frame;
            m_read = &read;
            std::optional<SourcePosition> position = labelled(index);
            if (!position && m_symbols.machine() == EM_X86_64)
                position = followed(index);
            known = m_known.emplace(index, std::move(position)).first;
        }
        result.index = index;
        if (known->second) {
            result.file = known->second->file;
            result.line = known->second->line;
            result.column = known->second->column;
        }
        return result;
    }

private:
    /// clang 21: finds the DW_TAG_label "__coro_resume_<index>", which has the co_await's line.
    std::optional<SourcePosition> labelled(std::uint64_t index)
    {
        const std::string wanted = std::string("__coro_resume_").append(std::to_string(index));
        std::optional<SourcePosition> position;
        forEachInside(m_function, 0, [&](Dwarf_Die &die, int tag) {
            const auto line =
                tag == DW_TAG_label && nameOf(die) == wanted ? number(die, DW_AT_decl_line) : std::nullopt;
            const char *file = line ? ::dwarf_decl_file(&die) : nullptr;
            if (file && *line > 0 && *line <= UINT32_MAX)
                position = SourcePosition{file, static_cast<std::uint32_t>(*line),
                                          static_cast<std::uint32_t>(number(die, DW_AT_decl_column).value_or(0))};
        });
        return position;
    }

    std::optional<SourcePosition> followed(std::uint64_t index)
    {
        const std::vector<SourcePosition> positions = positionsAt(landings(index));
        if (positions.empty())
            return std::nullopt;
        if (!m_field.clang)
            return isTheOnlyOne(index, positions.front()) ? std::optional(positions.front()) : std::nullopt;
        const std::vector<SourcePosition> stored = storedAt(index);
        std::optional<SourcePosition> both;
        for (const SourcePosition &position : positions) {
            const bool witnessed = std::any_of(stored.begin(), stored.end(), [&](const SourcePosition &other) {
                return position.line == other.line && position.file == other.file;
            });
            if (witnessed && both && *both != position)
                return std::nullopt;
            if (witnessed)
                both = position;
        }
        return both;
    }

    void collectCalls()
    {
        forEachInside(m_function, 0, [&](Dwarf_Die &die, int tag) {
            if (tag != DW_TAG_inlined_subroutine)
                return;
            const std::string_view name = nameOf(die);
            if (name == "await_resume" || name == "await_ready" || name == "await_suspend")
                forEachRange(die, [&](Dwarf_Addr begin, Dwarf_Addr end) {
                    m_calls.push_back({begin, end, name == "await_resume"});
                });
        });
    }

    /// Returns the addresses of the await_resume() calls at which the coroutine would continue from a suspension point.
    /// For g++ this is the first one on the way. clang mixes the instructions of calls, so it includes the calls after
    /// that, up to the next co_await.
    std::vector<std::uint64_t> landings(std::uint64_t index) const
    {
        std::vector<std::uint64_t> found;
        CodeWalk walk(*m_read);
        walk.pretend(m_frame + m_field.offset, index, m_field.size);
        walk.walk(m_resume, m_frame, [&](std::uint64_t address, std::optional<std::uint64_t> target) {
            const std::uint64_t linked = address - m_resume + m_linked;
            for (const InlinedCall &call : m_calls) {
                if (linked < call.begin || linked >= call.end)
                    continue;
                if (call.resumes)
                    found.push_back(linked);
                return !m_field.clang || !call.resumes;
            }
            if (target && isAwaitResume(*target - m_resume + m_linked))
                found.push_back(linked);
            return target.has_value();
        });
        return found;
    }

    /// Returns line and column in the coroutine itself, in the order of `addresses`, without duplicates.
    std::vector<SourcePosition> positionsAt(std::vector<std::uint64_t> addresses)
    {
        std::vector<std::uint64_t> sorted(addresses);
        std::sort(sorted.begin(), sorted.end());
        sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
        const std::vector<DwarfReader::SourceLocation> locations = m_symbols.dwarf()->locations(sorted);
        std::vector<SourcePosition> positions;
        for (const std::uint64_t address : addresses) {
            const auto at = std::lower_bound(sorted.begin(), sorted.end(), address) - sorted.begin();
            const DwarfReader::SourceLocation &location = locations[static_cast<std::size_t>(at)];
            if (location.frames.empty() || location.frames.back().line == 0)
                continue;
            const SourceFrame &outer = location.frames.back();
            SourcePosition position{outer.file, outer.line, outer.column};
            if (std::find(positions.begin(), positions.end(), position) == positions.end())
                positions.push_back(std::move(position));
        }
        return positions;
    }

    bool isAwaitResume(std::uint64_t linked) const
    {
        const std::vector<std::string_view> names = m_symbols.symbols().namesAt(linked);
        return std::any_of(names.begin(), names.end(),
                           [](std::string_view name) { return lastPart(readableSymbol(name)) == "await_resume"; });
    }

    /// Returns true if no other suspension point leads to this location. If one does, it has no await_resume() of its
    /// own, and perhaps this one has none either. g++ numbers the points 2, 4, 6 ...
    bool isTheOnlyOne(std::uint64_t index, const SourcePosition &position)
    {
        constexpr std::uint64_t kMostPoints = 64;
        std::vector<std::uint64_t> otherAddresses;
        for (std::uint64_t other = 2; other <= 2 * kMostPoints; other += 2) {
            const std::vector<std::uint64_t> found = other != index ? landings(other) : std::vector<std::uint64_t>();
            otherAddresses.insert(otherAddresses.end(), found.begin(), found.end());
        }
        const std::vector<SourcePosition> positions = positionsAt(std::move(otherAddresses));
        return std::find(positions.begin(), positions.end(), position) == positions.end();
    }

    /// Finds the instructions that store the index (mov byte [frame + offset], index). clang assigns them to the
    /// co_await's line, which confirms the walk. For the first suspension they are in the function that made the frame.
    std::vector<SourcePosition> storedAt(std::uint64_t index)
    {
        if (m_field.size != 1 || index > 0xFF)
            return {};
        const bool near = m_field.offset <= 0x7F;
        std::string tail;
        for (int i = 0; i < (near ? 1 : 4); ++i)
            tail += static_cast<char>(m_field.offset >> (8 * i));
        tail += static_cast<char>(index);
        const std::vector<std::string_view> names = m_symbols.symbols().namesAt(m_linked);
        std::vector<std::uint64_t> found;
        for (const SymbolTable::Symbol &symbol : m_symbols.symbols().symbols()) {
            const bool maker = std::any_of(names.begin(), names.end(), [&](std::string_view name) {
                return name.substr(0, name.rfind(".resume")) == symbol.name;
            });
            if (symbol.begin == m_linked || maker)
                findStores(symbol, tail, near ? 0x40 : 0x80, found);
        }
        return positionsAt(std::move(found));
    }

    /// Finds stores in one function. `mode` is the operand byte without its base register, and `tail` the bytes after
    /// it.
    void findStores(const SymbolTable::Symbol &function, const std::string &tail, unsigned mode,
                    std::vector<std::uint64_t> &found) const
    {
        constexpr std::uint64_t kLongest = 1U << 20;
        std::string code(std::min(function.end - function.begin, kLongest), '\0');
        if (!(*m_read)(function.begin - m_linked + m_resume, code.data(), code.size()))
            return;
        for (std::size_t at = code.find('\xC6'); at != std::string::npos; at = code.find('\xC6', at + 1)) {
            const unsigned base = at + 1 < code.size() ? static_cast<unsigned char>(code[at + 1]) ^ mode : 8;
            if (base < 8 && base != 4 && code.compare(at + 2, tail.size(), tail) == 0)
                found.push_back(function.begin + at);
        }
    }

    ModuleSymbols &m_symbols;
    std::uint64_t m_linked;
    Dwarf_Die m_function{};
    IndexField m_field;
    std::vector<InlinedCall> m_calls;
    std::map<std::uint64_t, std::optional<SourcePosition>> m_known;  ///< by index
    // The arguments of the present lineOf():
    std::uint64_t m_resume = 0;
    std::uint64_t m_frame = 0;
    const MemoryReader *m_read = nullptr;
};

SuspensionLines::SuspensionLines() = default;

SuspensionLines::~SuspensionLines() = default;

SuspensionLine SuspensionLines::lineOf(ModuleSymbols &symbols, const ResumedFrame &frame, const MemoryReader &read)
{
    std::unique_ptr<ResumeFunction> &function = m_functions[frame.linked];
    if (!function)
        function = std::make_unique<ResumeFunction>(symbols, frame.linked);
    return function->lineOf(frame.resume, frame.frame, read);
}

}  // namespace ct
