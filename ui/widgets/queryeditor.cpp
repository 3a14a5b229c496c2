// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/queryeditor.h"

#include "core/query/statements.h"
#include "ui/format/colors.h"

#include <QFontDatabase>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QSyntaxHighlighter>

namespace ct {

namespace {

const QStringList &keywords()
{
    static const QStringList all =
        QStringLiteral("ALL AND AS ASC BETWEEN BY CASE CAST CROSS DESC DISTINCT ELSE END EXCEPT EXISTS "
                       "FROM GROUP HAVING IN INNER INTERSECT IS JOIN LEFT LIKE LIMIT NOT NULL OFFSET ON "
                       "OR ORDER OVER PARTITION RECURSIVE SELECT THEN UNION USING VALUES WHEN WHERE "
                       "WINDOW WITH")
            .split(u' ');
    return all;
}

class SqlHighlighter final : public QSyntaxHighlighter {
public:
    using QSyntaxHighlighter::QSyntaxHighlighter;

protected:
    /// One line at a time: a comment or a text of several lines is highlighted in its first line.
    void highlightBlock(const QString &text) override
    {
        const std::string bytes = text.toLatin1().toStdString();  // one byte for each character
        const Colors &colors = colorsFor(QGuiApplication::palette());
        for (const auto &[token, range] : sqlTokens(bytes)) {
            const auto begin = static_cast<int>(range.begin);
            const auto count = static_cast<int>(range.end - range.begin);
            QTextCharFormat format;
            if (token == SqlToken::Comment)
                format.setForeground(colors.textMuted);
            else if (token == SqlToken::Text)
                format.setForeground(colors.running);
            else if (token == SqlToken::Word && keywords().contains(text.mid(begin, count), Qt::CaseInsensitive))
                format.setForeground(colors.accent);
            else
                continue;
            setFormat(begin, count, format);
        }
    }
};

}  // namespace

QueryEditor::QueryEditor(QWidget *parent) : QPlainTextEdit(parent)
{
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    setTabChangesFocus(true);
    setFrameShape(QFrame::NoFrame);
    new SqlHighlighter(document());
}

QString QueryEditor::statement(int *begin) const
{
    const QTextCursor cursor = textCursor();
    const QString text = toPlainText();
    if (cursor.hasSelection()) {
        if (begin)
            *begin = cursor.selectionStart();
        return text.mid(cursor.selectionStart(), cursor.selectionEnd() - cursor.selectionStart());
    }
    const std::string bytes = text.toLatin1().toStdString();
    const TextRange range = statementAt(bytes, static_cast<std::size_t>(cursor.position()));
    if (begin)
        *begin = static_cast<int>(range.begin);
    return text.mid(static_cast<int>(range.begin), static_cast<int>(range.end - range.begin));
}

void QueryEditor::keyPressEvent(QKeyEvent *event)
{
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (isEnter && event->modifiers().testFlag(Qt::ControlModifier))
        Q_EMIT runRequested();
    else
        QPlainTextEdit::keyPressEvent(event);
}

}  // namespace ct
