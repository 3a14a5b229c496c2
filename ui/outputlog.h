// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A target's terminal output as lines with the time of their first byte. No widgets: bytes in, lines out.
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
    QString text;         ///< without its end, without escape sequences
};

/// UTF-8 with errors replaced, also across pieces; escape sequences (colours, titles) are taken out; a carriage
/// return that is not a line end begins the line anew, as a progress display wants it. Lines end at kLongestLine.
class OutputLog {
public:
    static constexpr qsizetype kLongestLine = 4096;

    void append(const QByteArray &bytes, std::int64_t ts);
    /// The first lines that were completed and not taken yet. Of those that wait for it, the older ones are left out
    /// and counted, where they are too many.
    std::vector<OutputLine> takeLines(std::size_t limit);
    void skip(std::uint64_t lines) { m_skipped += lines; }  ///< that were left out elsewhere
    std::uint64_t skipped() const { return m_skipped; }
    /// Ends a line that has no end (the target is gone), and adds one that is not the target's.
    void finish(const OutputLine &note);

private:
    enum class Escape { None, Begun, Control, Text, TextEnd };

    void take(QChar c, std::int64_t ts);
    bool inEscape(QChar c);
    void endLine();

    QStringDecoder m_decoder{QStringDecoder::Utf8};
    Escape m_escape = Escape::None;
    bool m_returned = false;  ///< a carriage return whose meaning the next character decides
    OutputLine m_line;
    std::deque<OutputLine> m_lines;
    std::uint64_t m_skipped = 0;
};

}  // namespace ct
