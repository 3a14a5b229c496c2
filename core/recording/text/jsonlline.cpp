// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/text/jsonlline.h"

#include "core/base/utf8.h"
#include "core/recording/format/jsonscanner.h"

#include <charconv>
#include <limits>

namespace ct {

namespace {

constexpr std::uint64_t kAny64 = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kAny32 = std::numeric_limits<std::uint32_t>::max();

struct FieldName {
    std::string_view name;
    JsonlLine::Field field;
};

/// In the order of our lines, so the search for a field usually succeeds at its first step.
constexpr FieldName kFields[] = {
    {"probe_id", JsonlLine::ProbeId},
    {"tid", JsonlLine::Tid},
    {"addr", JsonlLine::Addr},
    {"seq", JsonlLine::Seq},
    {"is_active", JsonlLine::IsActive},
    {"ts", JsonlLine::Ts},
    {"n", JsonlLine::N},
    {"coroutine", JsonlLine::Coroutine},
    {"file", JsonlLine::File},
    {"line", JsonlLine::Line},
    {"function", JsonlLine::Function},
    {"column", JsonlLine::Column},
    {"resolved", JsonlLine::Resolved},
    {"kind", JsonlLine::Kind},
    {"birth_ts", JsonlLine::BirthTs},
    {"pid", JsonlLine::Pid},
    {"name", JsonlLine::Name},
    {"parent", JsonlLine::Parent},
    {"lost_before", JsonlLine::LostBefore},
    {"missed_before", JsonlLine::MissedBefore},
    {"dropped_before", JsonlLine::DroppedBefore},
    {"not_selected_before", JsonlLine::NotSelectedBefore},  // instead of the one above
};
constexpr std::size_t kFieldCount = std::size(kFields);

/// Position of `name` in kFields, searched from `hint`; kFieldCount when it is unknown.
std::size_t findField(std::string_view name, std::size_t hint)
{
    for (std::size_t step = 0; step < kFieldCount; ++step) {
        const std::size_t i = (hint + step) % kFieldCount;
        if (kFields[i].name == name)
            return i;
    }
    return kFieldCount;
}

class LineParser {
public:
    LineParser(std::string_view text, JsonlLine &line) : m_scanner(text), m_line(line) {}

    std::string parse()
    {
        std::string problem = parseEvent();
        // Another program may have sorted the fields. An event may have a field `note` of another program.
        m_line.isNote = m_hasNote && !m_line.has(JsonlLine::IsActive);
        return m_line.isNote ? std::string() : problem;
    }

private:
    std::string parseEvent()
    {
        if (!m_scanner.accept('{'))
            return "expected a JSON object";
        std::size_t hint = 0;
        if (!m_scanner.accept('}')) {
            do {
                if (std::string problem = member(hint); !problem.empty() || (m_hasNote && hint == 0))
                    return problem;
            } while (m_scanner.accept(','));
            if (!m_scanner.accept('}'))
                return "expected ',' or '}'";
        }
        if (!m_scanner.atEnd())
            return "something follows the object";
        return missing();
    }

    std::string member(std::size_t &hint)
    {
        if (!m_scanner.string(m_text))
            return "expected a field name";
        const std::size_t index = findField(m_text, hint);
        if (!m_scanner.accept(':'))
            return "expected ':'";
        m_hasNote = m_hasNote || (index == kFieldCount && m_text == "note");
        if (index == kFieldCount)
            return m_scanner.skipValue() ? std::string() : "a value is malformed";
        hint = index + 1;
        const FieldName &known = kFields[index];
        const std::string_view expected = value(known.field);
        if (!expected.empty())
            return "field " + std::string(known.name) + ": " + std::string(expected);
        m_line.present |= known.field;
        return {};
    }

    /// Reads a value. Returns an empty text, or a description of the expected value.
    std::string_view value(JsonlLine::Field field)
    {
        switch (field) {
        case JsonlLine::ProbeId: return number(m_line.probeId);
        case JsonlLine::Tid: return number(m_line.tid, kAny32);
        case JsonlLine::Addr: return address();
        case JsonlLine::Seq: return number(m_line.seq, JsonlLine::kMaxNumber, 1);
        case JsonlLine::IsActive: return m_scanner.boolean(m_line.isActive) ? "" : "expected true or false";
        case JsonlLine::Ts: return number(m_line.ts);
        case JsonlLine::N: return number(m_line.n, JsonlLine::kMaxNumber);
        case JsonlLine::Coroutine: return number(m_line.coroutine);
        case JsonlLine::BirthTs: return number(m_line.birthTs);
        case JsonlLine::Pid: return number(m_line.pid, kAny32);
        case JsonlLine::Line: return number(m_line.line, kAny32);
        case JsonlLine::Column: return number(m_line.column, kAny32);
        case JsonlLine::LostBefore: return number(m_line.lostBefore, JsonlLine::kMaxNumber);
        case JsonlLine::MissedBefore: return number(m_line.missedBefore, JsonlLine::kMaxNumber);
        case JsonlLine::NotSelectedBefore:
        case JsonlLine::DroppedBefore: return number(m_line.droppedBefore, JsonlLine::kMaxNumber);
        case JsonlLine::File: return text(m_line.file);
        case JsonlLine::Function: return text(m_line.function);
        case JsonlLine::Kind: return kind();
        case JsonlLine::Name: return text(m_line.name);
        case JsonlLine::Parent: return number(m_line.parent);
        case JsonlLine::Resolved: return m_scanner.boolean(m_line.isResolved) ? "" : "expected true or false";
        case JsonlLine::Required: break;
        }
        return "expected a known field";
    }

    template <class Number>
    std::string_view number(Number &value, std::uint64_t highest = kAny64, std::uint64_t lowest = 0)
    {
        std::uint64_t wide = 0;
        switch (m_scanner.number(wide)) {
        case JsonScanner::Number::Malformed: return "expected a whole number";
        case JsonScanner::Number::OutOfRange: return "the number is out of range";
        case JsonScanner::Number::Good: break;
        }
        if (wide < lowest || wide > highest)
            return "the number is out of range";
        value = static_cast<Number>(wide);
        return {};
    }

    std::string_view text(std::string &value)
    {
        if (!m_scanner.string(m_text))
            return "expected a string";
        value = validUtf8(m_text);
        return {};
    }

    std::string_view address()
    {
        constexpr std::string_view kProblem = "expected a string like \"0x00007f00dead0000\"";
        if (!m_scanner.string(m_text) || !(m_text.starts_with("0x") || m_text.starts_with("0X")))
            return kProblem;
        const char *end = m_text.data() + m_text.size();
        const auto [stop, error] = std::from_chars(m_text.data() + 2, end, m_line.addr, 16);
        return error == std::errc() && stop == end ? std::string_view() : kProblem;
    }

    /// An unknown kind, from a later version, counts as an ordinary await. The file stays readable.
    std::string_view kind()
    {
        if (!m_scanner.string(m_text))
            return "expected a string";
        m_line.kind = m_text == "initial" ? PointKind::Initial
                      : m_text == "final" ? PointKind::Final
                      : m_text == "yield" ? PointKind::Yield
                                          : PointKind::Await;
        return {};
    }

    std::string missing() const
    {
        for (const FieldName &known : kFields) {
            if ((known.field & JsonlLine::Required) != 0 && !m_line.has(known.field))
                return "field " + std::string(known.name) + " is missing";
        }
        return {};
    }

    JsonScanner m_scanner;
    JsonlLine &m_line;
    std::string_view m_text;
    bool m_hasNote = false;
};

}  // namespace

std::string parseJsonlLine(std::string_view text, JsonlLine &line)
{
    // Clear the strings instead of replacing them, because they keep their memory.
    line.present = 0;
    line.kind = PointKind::Await;
    line.isResolved = false;
    line.line = line.column = line.pid = 0;
    line.birthTs = line.lostBefore = line.missedBefore = line.droppedBefore = 0;
    line.file.clear();
    line.function.clear();
    line.name.clear();
    return LineParser(text, line).parse();
}

}  // namespace ct
