// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/dockstyle.h"

#include <QHeaderView>
#include <QLabel>
#include <QStackedWidget>
#include <QTableView>
#include <QTreeView>
#include <QVBoxLayout>

namespace ct {

void styleTable(QTableView &table)
{
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setSelectionMode(QAbstractItemView::SingleSelection);
    table.setAlternatingRowColors(true);
    table.setShowGrid(false);
    table.setWordWrap(false);
    table.setTextElideMode(Qt::ElideMiddle);
    table.setTabKeyNavigation(false);
    table.setFrameShape(QFrame::NoFrame);
    table.verticalHeader()->hide();
    table.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table.horizontalHeader()->setHighlightSections(false);
}

void styleTree(QTreeView &tree)
{
    tree.setUniformRowHeights(true);
    tree.setIndentation(14);
    tree.setAlternatingRowColors(true);
    tree.setFrameShape(QFrame::NoFrame);
    tree.setTextElideMode(Qt::ElideMiddle);
}

void addPages(QStackedWidget &pages, QLabel *empty, QWidget *bar, QWidget *list)
{
    styleEmptyText(*empty);
    auto *page = new QWidget;
    auto *layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar);
    layout->addWidget(list, 1);
    pages.addWidget(empty);
    pages.addWidget(page);
}

void styleEmptyText(QLabel &label)
{
    label.setAlignment(Qt::AlignCenter);
    label.setWordWrap(true);
    label.setMargin(12);
    label.setAutoFillBackground(true);
    label.setBackgroundRole(QPalette::Base);
    label.setForegroundRole(QPalette::PlaceholderText);
}

}  // namespace ct
