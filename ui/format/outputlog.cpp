// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/format/outputlog.h"

namespace ct {

namespace {

/// If more lines than this wait, the oldest are discarded until half of this number is left. So a flooding target costs
/// bounded memory, and recent output appears soon.
constexpr std::size_t kMostPending = 20'000;

}  // namespace

void OutputLog::append(const QByteArray &bytes, std::int64_t ts)
{
    const QString text = m_decoder(bytes);
    for (const QChar c : text)
        addCharacter(c, ts);
    if (m_lines.size() > kMostPending) {
        const std::size_t drop = m_lines.size() - kMostPending / 2;
        m_lines.erase(m_lines.begin(), m_lines.begin() + static_cast<std::ptrdiff_t>(drop));
        m_skipped += drop;
    }
}

void OutputLog::addCharacter(QChar c, std::int64_t ts)
{
    if (inEscape(c))
        return;
    if (c == u'\n') {
        if (m_line.ts == 0)
            m_line.ts = ts;
        endLine();
        return;
    }
    if (c == u'\r') {
        m_returned = true;
        return;
    }
    if (m_returned) {
        m_line = {};
        m_returned = false;
    }
    if (m_line.ts == 0)
        m_line.ts = ts;
    if (c == u'\b')
        m_line.text.chop(1);
    else if (c == u'\t' || c.unicode() >= 0x20)
        m_line.text.append(c);
    if (m_line.text.size() >= kLongestLine)
        endLine();
}

bool OutputLog::inEscape(QChar c)
{
    switch (m_escape) {
    case Escape::None:
        if (c.unicode() != 0x1B)
            return false;
        m_escape = Escape::Begun;
        return true;
    case Escape::Begun: m_escape = c == u'[' ? Escape::Control : c == u']' ? Escape::Text : Escape::None; return true;
    case Escape::Control:
        if (c.unicode() >= 0x40 && c.unicode() <= 0x7E)
            m_escape = Escape::None;
        return true;
    case Escape::Text:
        if (c.unicode() == 0x07)
            m_escape = Escape::None;
        else if (c.unicode() == 0x1B)
            m_escape = Escape::TextEnd;
        return true;
    case Escape::TextEnd: m_escape = Escape::None; return true;
    }
    return false;
}

void OutputLog::endLine()
{
    m_returned = false;
    m_lines.push_back(std::exchange(m_line, {}));
}

std::vector<OutputLine> OutputLog::takeLines(std::size_t limit)
{
    std::vector<OutputLine> lines;
    for (; !m_lines.empty() && lines.size() < limit; m_lines.pop_front())
        lines.push_back(std::move(m_lines.front()));
    return lines;
}

void OutputLog::finish(const OutputLine &note)
{
    if (!m_line.text.isEmpty())
        endLine();
    m_lines.push_back(note);
}

}  // namespace ct
