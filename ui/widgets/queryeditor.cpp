// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/queryeditor.h"

#include "core/query/statements.h"
#include "core/query/tracequery.h"
#include "ui/format/colors.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QRegularExpression>
#include <QScrollBar>
#include <QStringListModel>
#include <QSyntaxHighlighter>
#include <QTextBlock>

#include <algorithm>

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

QStringList sorted(QStringList names)
{
    names.removeDuplicates();
    names.sort(Qt::CaseInsensitive);
    return names;
}

/// The columns of a table. Those of all tables if there is no such table, because the name may be an alias.
QStringList columnsOf(const QString &table)
{
    QStringList all;
    for (const QueriedTable &queried : queriedTables()) {
        QStringList columns;
        for (const std::string &column : queried.columns)
            columns << QString::fromStdString(column);
        if (table.compare(QString::fromStdString(queried.name), Qt::CaseInsensitive) == 0)
            return sorted(columns);
        all << columns;
    }
    return sorted(all);
}

/// Names of tables, views and columns, and keywords.
QStringList allNames()
{
    QStringList all = keywords() + columnsOf({});
    for (const QueriedTable &table : queriedTables())
        all << QString::fromStdString(table.name);
    return sorted(all);
}

/// The names that can be at the end of a text.
QStringList completionsOf(const QString &before)
{
    static const QStringList all = allNames();
    static const QRegularExpression member(QStringLiteral("(\\w+)\\.\\w*$"));
    const QRegularExpressionMatch match = member.match(before);
    return match.hasMatch() ? columnsOf(match.captured(1)) : all;
}

class SqlHighlighter final : public QSyntaxHighlighter {
public:
    using QSyntaxHighlighter::QSyntaxHighlighter;

protected:
    /// Works line by line: of a comment or text of several lines, only the first is highlighted.
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

QueryEditor::QueryEditor(QWidget *parent)
    : QPlainTextEdit(parent),
      m_highlighter(new SqlHighlighter(document())),
      m_names(new QStringListModel(this)),
      m_completer(new QCompleter(m_names, this))
{
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    setTabChangesFocus(true);
    setFrameShape(QFrame::NoFrame);
    m_completer->setWidget(this);
    m_completer->setCaseSensitivity(Qt::CaseInsensitive);
    connect(m_completer, qOverload<const QString &>(&QCompleter::activated), this, &QueryEditor::insertCompletion);
    connect(this, &QPlainTextEdit::textChanged, this, [this] { setExtraSelections({}); });
}

void QueryEditor::markError(int position)
{
    QTextEdit::ExtraSelection word;
    word.cursor = textCursor();
    word.cursor.setPosition(std::min(position, static_cast<int>(toPlainText().size())));
    word.cursor.movePosition(QTextCursor::EndOfWord, QTextCursor::KeepAnchor);
    if (!word.cursor.hasSelection())
        word.cursor.movePosition(QTextCursor::PreviousCharacter, QTextCursor::KeepAnchor);
    word.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
    word.format.setUnderlineColor(colorsFor(palette()).stuck);
    setExtraSelections({word});
}

void QueryEditor::complete()
{
    QTextCursor word = textCursor();
    m_names->setStringList(completionsOf(word.block().text().left(word.positionInBlock())));
    word.movePosition(QTextCursor::StartOfWord, QTextCursor::KeepAnchor);
    m_completer->setCompletionPrefix(word.selectedText());
    if (m_completer->completionCount() == 1 && !m_completer->popup()->isVisible())
        return insertCompletion(m_completer->currentCompletion());
    if (m_completer->completionCount() == 0)
        return m_completer->popup()->hide();
    QRect at = cursorRect();
    at.setWidth(m_completer->popup()->sizeHintForColumn(0) +
                m_completer->popup()->verticalScrollBar()->sizeHint().width());
    m_completer->popup()->setCurrentIndex(m_completer->completionModel()->index(0, 0));
    m_completer->complete(at);
}

void QueryEditor::insertCompletion(const QString &name)
{
    QTextCursor cursor = textCursor();
    cursor.movePosition(QTextCursor::StartOfWord, QTextCursor::KeepAnchor);
    cursor.insertText(name);
    setTextCursor(cursor);
}

void QueryEditor::changeEvent(QEvent *event)
{
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_highlighter)
        m_highlighter->rehighlight();
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
    const bool isCompleting = m_completer->popup()->isVisible();
    // The completer handles the keys that the editor ignores.
    if (isCompleting &&
        (isEnter || event->key() == Qt::Key_Escape || event->key() == Qt::Key_Tab || event->key() == Qt::Key_Backtab))
        return event->ignore();
    if (isEnter && event->modifiers().testFlag(Qt::ControlModifier))
        Q_EMIT runRequested();
    else if (event->key() == Qt::Key_Space && event->modifiers().testFlag(Qt::ControlModifier))
        complete();
    else
        QPlainTextEdit::keyPressEvent(event);
    if (isCompleting && !event->text().isEmpty())
        complete();
}

bool QueryEditor::focusNextPrevChild(bool next)
{
    return !m_completer->popup()->isVisible() && QPlainTextEdit::focusNextPrevChild(next);
}

}  // namespace ct
