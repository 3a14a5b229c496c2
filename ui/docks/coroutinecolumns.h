// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Chooses the columns of the coroutine table and their widths. Columns without content stay hidden unless the user
// shows them. The name and location columns share the remaining width.
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
    /// Controls the columns of a table that has its model, and adds a menu to its header.
    explicit CoroutineColumns(QTableView *table);

    /// A menu with one checkable action per column; a child of the table.
    QMenu *menu() const { return m_menu; }
    /// Resets the widths, which are in digits of this font.
    void setDigits(const QFontMetrics &digits);
    /// These columns are shown only if they have content.
    void setHasParents(bool has);
    void setHasWaits(bool has);
    void setHasProcesses(bool has);
    /// Named threads need a wider column.
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
