// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/querytable.h"

#include "models/queryresultmodel.h"
#include "ui/format/colors.h"

#include <QClipboard>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QStyledItemDelegate>

#include <algorithm>

namespace ct {

namespace {

bool isAddress(const QString &text)
{
    return text.startsWith(QLatin1String("0x"));
}

class ValueDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        if (!index.data().isValid()) {
            option->features |= QStyleOptionViewItem::HasDisplay;
            option->text = QStringLiteral("NULL");
            option->font.setItalic(true);
            option->palette.setColor(QPalette::Text, colorsFor(option->palette).textMuted);
        } else if (isAddress(option->text)) {
            const qreal size = option->font.pointSizeF();
            option->font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
            option->font.setPointSizeF(size);
        }
        // A line break would hide the rest of a text.
        option->text.replace(QChar::LineSeparator, QChar(0x21B5));
    }
};

/// A cell in which a tab or a line break cannot be mistaken for the end of the cell.
QString cellText(const QModelIndex &index)
{
    const QVariant raw = index.data(QueryResultModel::SortRole);
    return (raw.typeId() == QMetaType::QString ? raw : index.data())
        .toString()
        .replace(u'\t', u' ')
        .replace(u'\n', u' ')
        .replace(u'\r', u' ');
}

}  // namespace

QueryTable::QueryTable(QWidget *parent) : QTableView(parent)
{
    setItemDelegate(new ValueDelegate(this));
    applyLook();
}

QString QueryTable::selectedText() const
{
    QModelIndexList cells = selectionModel() ? selectionModel()->selectedIndexes() : QModelIndexList();
    std::sort(cells.begin(), cells.end());
    QString text;
    for (qsizetype i = 0; i < cells.size(); ++i) {
        if (i != 0)
            text += cells[i].row() == cells[i - 1].row() ? u'\t' : u'\n';
        text += cellText(cells[i]);
    }
    return text;
}

void QueryTable::keyPressEvent(QKeyEvent *event)
{
    if (event->matches(QKeySequence::Copy))
        QGuiApplication::clipboard()->setText(selectedText());
    else
        QTableView::keyPressEvent(event);
}

void QueryTable::changeEvent(QEvent *event)
{
    QTableView::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        applyLook();
}

void QueryTable::applyLook()
{
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 4);
}

}  // namespace ct
