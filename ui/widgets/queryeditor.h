// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An editor for SQL, which highlights keywords, texts and comments. Ctrl+Enter runs.
#pragma once

#include <QPlainTextEdit>

namespace ct {

class QueryEditor : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit QueryEditor(QWidget *parent = nullptr);

    /// The selection, else the statement at the cursor. `begin`: its position in the text.
    QString statement(int *begin = nullptr) const;

Q_SIGNALS:
    void runRequested();

protected:
    void keyPressEvent(QKeyEvent *event) override;
};

}  // namespace ct
