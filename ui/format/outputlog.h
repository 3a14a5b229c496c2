// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Splits a target's terminal output into lines, each with the time of its first byte. No widgets.
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringDecoder>

#include <cstdint>
#include <deque>
#include <vector>

namespace ct {

struct OutputLine {
    std::int64_t ts = 0;  ///< ns, CLOCK_MONOTONIC
    QString text;         ///< without line end and escape sequences
};

/// Decodes UTF-8, also across pieces, and replaces errors. Removes escape sequences (colours, titles). A carriage
/// return without a line feed restarts the line, as progress displays expect. A line ends at kLongestLine characters.
class OutputLog {
public:
    static constexpr qsizetype kLongestLine = 4096;

    void append(const QByteArray &bytes, std::int64_t ts);
    /// Returns and removes the oldest completed lines, at most `limit`. If too many lines wait, the oldest are
    /// discarded and counted in skipped().
    std::vector<OutputLine> takeLines(std::size_t limit);
    void skip(std::uint64_t lines) { m_skipped += lines; }  ///< counts lines discarded elsewhere
    std::uint64_t skipped() const { return m_skipped; }
    /// Ends an incomplete last line after the target's end, and adds `note`, which is not from the target.
    void finish(const OutputLine &note);

private:
    enum class Escape { None, Begun, Control, Text, TextEnd };

    void addCharacter(QChar c, std::int64_t ts);
    bool inEscape(QChar c);
    void endLine();

    QStringDecoder m_decoder{QStringDecoder::Utf8};
    Escape m_escape = Escape::None;
    bool m_returned = false;  ///< after a carriage return: the next character decides its meaning
    OutputLine m_line;
    std::deque<OutputLine> m_lines;
    std::uint64_t m_skipped = 0;
};

}  // namespace ct
