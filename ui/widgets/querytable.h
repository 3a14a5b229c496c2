// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The table of a query's result. Shows NULL unlike an empty text, and addresses with digits of equal width. Copies the
// selected cells as lines with tabs.
#pragma once

#include <QTableView>

namespace ct {

class QueryTable : public QTableView {
    Q_OBJECT
public:
    explicit QueryTable(QWidget *parent = nullptr);

    /// The selected cells: rows as lines, columns between tabs. NULL gives an empty text.
    QString selectedText() const;

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void applyLook();
};

}  // namespace ct
