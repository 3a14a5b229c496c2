// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/printabletext.h"

#include <algorithm>

namespace ct {

namespace {

bool isShown(char32_t character)
{
    if (isJoiner(character))
        return true;
    switch (QChar::category(character)) {
    case QChar::Other_Control:
    case QChar::Other_Format:
    case QChar::Other_Surrogate:
    case QChar::Separator_Line:
    case QChar::Separator_Paragraph: return false;
    default: break;
    }
    // Fillers, variation selectors and tags: blank characters without a width of their own.
    return !(character == 0x034F || character == 0x115F || character == 0x1160 || character == 0x3164 ||
             character == 0xFFA0 || (character >= 0xE0000 && character <= 0xE0FFF));
}

QString escapeOf(char32_t character)
{
    switch (character) {
    case U'\n': return QStringLiteral("\\n");
    case U'\r': return QStringLiteral("\\r");
    case U'\t': return QStringLiteral("\\t");
    default: break;
    }
    const auto number = static_cast<uint>(character);
    if (number < 0x80)
        return QStringLiteral("\\x%1").arg(number, 2, 16, QLatin1Char('0'));
    return number < 0x10000 ? QStringLiteral("\\u%1").arg(number, 4, 16, QLatin1Char('0'))
                            : QStringLiteral("\\U%1").arg(number, 8, 16, QLatin1Char('0'));
}

}  // namespace

QString printable(const QString &text)
{
    const auto isPlain = [](QChar c) { return c.unicode() >= 0x20 && c.unicode() < 0x7F; };
    if (std::all_of(text.begin(), text.end(), isPlain))
        return text;
    QString result;
    for (qsizetype i = 0; i < text.size(); ++i) {
        char32_t character = text.at(i).unicode();
        if (text.at(i).isHighSurrogate() && i + 1 < text.size() && text.at(i + 1).isLowSurrogate()) {
            character = QChar::surrogateToUcs4(text.at(i), text.at(i + 1));
            ++i;
        }
        if (isShown(character))
            result += QStringView(QChar::fromUcs4(character));
        else
            result += escapeOf(character);
    }
    return result;
}

QString printable(const std::string &utf8)
{
    return printable(QString::fromStdString(utf8));
}

bool isJoiner(char32_t character)
{
    return character == 0x200C || character == 0x200D;
}

}  // namespace ct
