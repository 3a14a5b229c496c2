// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/text/jsonlnotereader.h"

#include "core/base/utf8.h"
#include "core/recording/text/jsonlline.h"
#include "core/recording/text/jsonlnotefields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

namespace ct {

namespace {

using Value = JsonlFields::Value;

bool addressOf(const std::string &text, std::uint64_t &address)
{
    if (!text.starts_with("0x") && !text.starts_with("0X"))
        return false;
    const char *const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + 2, end, address, 16);
    return error == std::errc() && stop == end;
}

}  // namespace

/// Fills a row from the fields of a line; see jsonlnotefields.h.
class JsonlNoteReader::Visit {
public:
    Visit(const JsonlFields &fields, Target &target) : m_fields(fields), m_target(target) {}

    /// Describes the first problem; empty: none.
    const std::string &problem() const { return m_problem; }
    /// False if the note names an unknown coroutine, or has a kind of a later version.
    bool isComplete() const { return m_isComplete; }

    void coroutine(std::string_view name, CoroutineId &id)
    {
        number(name, m_fileId);
        id = m_target.coroutineOf(m_fileId);
        m_isComplete = m_isComplete && id != kNoCoroutine;
    }
    void other(std::string_view name, CoroutineId &id)
    {
        if (m_fields.find(name) == nullptr)
            return;
        number(name, m_fileId);
        id = m_target.coroutineOf(m_fileId);
    }
    template <class Number>
    void number(std::string_view name, Number &value)
    {
        const Value *const found = m_fields.find(name);
        if (found == nullptr)
            fail(name, "is missing");
        else
            set(name, *found, value);
    }
    template <class Number>
    void known(std::string_view name, Number &value)
    {
        if (const Value *const found = m_fields.find(name))
            set(name, *found, value);
    }
    void flag(std::string_view name, bool &value)
    {
        const Value *const found = m_fields.find(name);
        if (found == nullptr)
            fail(name, "is missing");
        else if (found->type != Value::Type::Flag)
            fail(name, "expected true or false");
        else
            value = found->flag;
    }
    void text(std::string_view name, std::string &value)
    {
        if (const Value *const found = textOf(name))
            value = validUtf8(found->text);
    }
    template <std::size_t N>
    void word(std::string_view name, WaitKind &value, const std::array<std::string_view, N> &names)
    {
        // A kind of a later version is unknown.
        value = static_cast<WaitKind>(indexOf(name, names).value_or(0));
    }
    template <std::size_t N>
    void word(std::string_view name, UseKind &value, const std::array<std::string_view, N> &names)
    {
        const std::optional<std::size_t> index = indexOf(name, names);
        value = static_cast<UseKind>(index.value_or(0));
        m_isComplete = m_isComplete && index;
    }
    void object(std::uint64_t &value, bool)
    {
        const Value *const found = m_fields.find("object");
        if (found == nullptr)
            return;
        const bool good =
            found->type == Value::Type::Number || (found->type == Value::Type::Text && addressOf(found->text, value));
        if (!good)
            fail("object", R"(expected a number, or a string like "0x00007f00dead0000")");
        else if (found->type == Value::Type::Number)
            value = found->number;
    }
    void part(std::uint32_t &part)
    {
        constexpr std::array<std::string_view, 3> kModes{"one", "any", "all"};
        const std::optional<std::size_t> mode = m_fields.find("mode") ? indexOf("mode", kModes) : std::nullopt;
        std::uint32_t position = 0;
        known("position", position);
        if (mode.value_or(0) != 0)
            part = 2 * std::min(position, kMostPositions) + static_cast<std::uint32_t>(*mode);
    }
    void firstNumber(Dialect &dialect)
    {
        std::uint64_t first = 0;
        known("n", first);
        dialect = first == 1 ? Dialect::Monotonic : Dialect::Seqlock;
    }
    void site(SiteId &id)
    {
        Site site;
        text("file", site.file);
        text("function", site.function);
        known("line", site.line);
        known("column", site.column);
        if (!site.file.empty() || !site.function.empty())
            id = m_target.siteOf(site);
    }

private:
    static constexpr std::uint32_t kMostPositions = std::numeric_limits<std::uint32_t>::max() / 2 - 1;

    template <class Number>
    void set(std::string_view name, const Value &found, Number &value)
    {
        const std::uint64_t highest = name == "n" ? JsonlLine::kMaxNumber : std::numeric_limits<Number>::max();
        if (found.type != Value::Type::Number && found.type != Value::Type::OutOfRange)
            fail(name, "expected a whole number");
        else if (found.type == Value::Type::OutOfRange || found.number > highest)
            fail(name, "the number is out of range");
        else
            value = static_cast<Number>(found.number);
    }
    /// Returns nullptr if there is none.
    const Value *textOf(std::string_view name)
    {
        const Value *const found = m_fields.find(name);
        if (found != nullptr && found->type != Value::Type::Text) {
            fail(name, "expected a string");
            return nullptr;
        }
        return found;
    }
    /// Returns nullopt if the word is unknown.
    template <std::size_t N>
    std::optional<std::size_t> indexOf(std::string_view name, const std::array<std::string_view, N> &names)
    {
        if (m_fields.find(name) == nullptr)
            fail(name, "is missing");
        const Value *const found = textOf(name);
        const auto known = found ? std::find(names.begin(), names.end(), found->text) : names.end();
        return known == names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(known - names.begin()));
    }
    void fail(std::string_view name, std::string_view what)
    {
        if (m_problem.empty())
            m_problem = "field " + std::string(name) + (what == "is missing" ? " " : ": ") + std::string(what);
    }

    const JsonlFields &m_fields;
    Target &m_target;
    std::uint64_t m_fileId = 0;
    std::string m_problem;
    bool m_isComplete = true;
};

template <class Row>
std::string JsonlNoteReader::readRow(Row &row, bool &isComplete)
{
    Visit visit(m_fields, m_target);
    jsonl::forEachField(row, visit);
    isComplete = visit.isComplete();
    return visit.problem();
}

template <class Row>
std::string JsonlNoteReader::add(std::vector<Row> &rows)
{
    Row row;
    bool isComplete = false;
    std::string problem = readRow(row, isComplete);
    if (problem.empty() && isComplete)
        rows.push_back(std::move(row));
    return problem;
}

std::string JsonlNoteReader::readBirth()
{
    Birth birth;
    bool isComplete = false;
    std::string problem = readRow(birth, isComplete);
    if (problem.empty())
        m_target.addBirth(birth);
    return problem;
}

std::string JsonlNoteReader::readDeath()
{
    Death death;
    bool isComplete = false;
    std::string problem = readRow(death, isComplete);
    if (problem.empty() && isComplete)
        m_target.addDeath(death);
    return problem;
}

std::string JsonlNoteReader::readGap()
{
    CoroutineSums::EndGap gap;
    bool isComplete = false;
    std::string problem = readRow(gap, isComplete);
    if (problem.empty() && gap.n > JsonlLine::kMaxNumber)
        problem = "field n: the number is out of range";
    if (problem.empty())
        m_target.addGap(gap);
    return problem;
}

std::string JsonlNoteReader::read(std::string_view text)
{
    m_ts = 0;
    m_isProcessEnd = false;
    if (std::string problem = m_fields.parse(text); !problem.empty())
        return problem;
    const Value *const note = m_fields.find("note");
    if (note == nullptr || note->type != Value::Type::Text)
        return "field note: expected a string";
    Notes &notes = m_target.batch().notes;
    std::string problem;
    const auto tryRows = [&](auto &rows) {
        const bool isKind =
            note->text == jsonl::kNoteName<typename std::remove_reference_t<decltype(rows)>::value_type>;
        if (isKind)
            problem = add(rows);
        return isKind;
    };
    const auto tryAll = [&](auto &...rows) { return (tryRows(rows) || ...); };
    if (note->text == jsonl::kNoteName<Birth>)
        return readBirth();
    if (note->text == jsonl::kNoteName<CoroutineSums::EndGap>)
        return readGap();
    bool isKnown = note->text == jsonl::kNoteName<Death>;
    if (isKnown)
        problem = readDeath();
    else
        isKnown =
            tryAll(notes.wakes, notes.waits, notes.uses, notes.wakersLeft, notes.finishes, notes.names, notes.parents,
                   notes.processes, notes.threadNames, notes.drops, notes.switches, notes.processEnds);
    m_isProcessEnd = note->text == jsonl::kNoteName<ProcessEnd>;
    // A value of another type has the number of an earlier line.
    if (const Value *const ts = isKnown ? m_fields.find("ts") : nullptr; ts && ts->type == Value::Type::Number)
        m_ts = ts->number;
    return problem;
}

}  // namespace ct
