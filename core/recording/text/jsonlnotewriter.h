// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Writes the note lines of a JSONL recording: docs/recording.md, "Note lines".
#pragma once

#include "core/base/utf8.h"
#include "core/recording/text/jsonlnotefields.h"
#include "core/recording/text/lineoutput.h"
#include "core/stream/stream.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace ct {

class JsonlNoteWriter {
public:
    /// `siteTexts`: `,"file":...` of each site, by SiteId; empty = unknown. Both must outlive this object.
    JsonlNoteWriter(LineOutput &output, const std::vector<std::string> &siteTexts)
        : m_output(output), m_siteTexts(siteTexts)
    {
    }

    template <class Row>
    Result<void> write(const Row &row)
    {
        begin<Row>();
        jsonl::forEachField(row, *this);
        return end();
    }
    /// `nameText`: `,"name":"..."`.
    Result<void> writeName(CoroutineId id, std::string_view nameText)
    {
        begin<CoroutineName>();
        coroutine("coroutine", id);
        m_line += nameText;
        return end();
    }

    // For forEachField().
    void coroutine(std::string_view name, CoroutineId id) { number(name, id); }
    void other(std::string_view name, CoroutineId id)
    {
        if (id != kNoCoroutine)
            number(name, id);
    }
    void number(std::string_view name, std::uint64_t value)
    {
        std::array<char, kMaxDecimal> digits{};
        key(name).append(digits.data(), putDecimal(digits.data(), value));
    }
    void known(std::string_view name, std::uint64_t value)
    {
        if (value != 0)
            number(name, value);
    }
    void flag(std::string_view name, bool value) { key(name) += value ? "true" : "false"; }
    void text(std::string_view name, const std::string &value)
    {
        if (!value.empty())
            appendJsonString(key(name), value);
    }
    template <class Enum, std::size_t N>
    void word(std::string_view name, Enum value, const std::array<std::string_view, N> &names)
    {
        const auto index = static_cast<std::size_t>(value);
        key(name).append(1, '"').append(names[index < N ? index : 0]).append(1, '"');
    }
    void object(std::uint64_t value, bool isNumber)
    {
        if (isNumber)
            number("object", value);
        else if (value != 0)
            address("object", value);
    }
    void part(std::uint32_t part)
    {
        if (part == 0)
            return;
        WaitsOn waits;
        waits.part = part;
        key("mode").append(1, '"').append(waitModeName(waits)).append(1, '"');
        number("position", waits.indexOfPart());
    }
    void firstNumber(Dialect dialect) { known("n", dialect == Dialect::Monotonic ? 1 : 0); }
    void site(SiteId site)
    {
        if (site < m_siteTexts.size())
            m_line += m_siteTexts[site];
    }

private:
    template <class Row>
    void begin()
    {
        m_line.assign(R"({"note":")").append(jsonl::kNoteName<Row>).append(1, '"');
    }
    Result<void> end()
    {
        m_line += "}\n";
        Result<char *> at = m_output.beginLine(m_line.size());
        if (!at)
            return at.error();
        m_output.endLine(put(*at, m_line), LineOutput::Counts::No);
        return {};
    }
    std::string &key(std::string_view name) { return m_line.append(R"(,")").append(name).append(R"(":)"); }
    void address(std::string_view name, std::uint64_t value)
    {
        std::array<char, kHexLength> digits{};
        key(name).append(1, '"').append(digits.data(), putHex(digits.data(), value)).append(1, '"');
    }

    LineOutput &m_output;
    const std::vector<std::string> &m_siteTexts;
    std::string m_line;
};

}  // namespace ct
