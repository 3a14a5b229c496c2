// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which columns the coroutine table shows, and how wide: what the target says nothing about stays hidden unless the
// user wants it, and name and place share the width that is left.
#pragma once

#include <QObject>

#include <array>

class QFontMetrics;
class QMenu;
class QTableView;

namespace ct {

class CoroutineColumns : public QObject {
    Q_OBJECT
public:
    /// Takes over the columns of a table that has its model. Also puts a menu on its header.
    explicit CoroutineColumns(QTableView *table);

    /// One checkable action per column; a child of the table.
    QMenu *menu() const { return m_menu; }
    /// Sets the widths anew, in digits of this font.
    void setDigits(const QFontMetrics &digits);
    /// Columns that are shown only if there is something in them.
    void setHasParents(bool has);
    void setHasWaits(bool has);
    void setHasProcesses(bool has);
    /// Threads need more room when they have names.
    void setHasThreadNames(bool has);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    static constexpr int kMostColumns = 32;

    void setHas(int column, bool has);
    void choose(int column, bool shown);
    void apply(int column);
    void fit();
    void onResized(int column);

    QTableView *m_table;
    QMenu *m_menu;
    std::array<bool, kMostColumns> m_hasContents{};
    std::array<bool, kMostColumns> m_sizedByUser{};
    int m_digitWidth = 8;
    bool m_fitting = false;
};

}  // namespace ct
