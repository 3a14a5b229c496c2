// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The table of a query's result. Distinguishes NULL from an empty text, and shows addresses in a fixed-width font.
// Copies the selected cells as tab-separated lines.
#pragma once

#include <QTableView>

namespace ct {

class QueryTable : public QTableView {
    Q_OBJECT
public:
    explicit QueryTable(QWidget *parent = nullptr);

    /// The selected cells as tab-separated lines. NULL becomes an empty text.
    QString selectedText() const;

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void applyLook();
};

}  // namespace ct
