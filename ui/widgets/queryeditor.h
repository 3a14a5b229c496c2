// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An editor for SQL that highlights keywords, texts and comments. Ctrl+Enter runs. Ctrl+Space completes names: those of
// columns after a dot.
#pragma once

#include <QPlainTextEdit>

class QCompleter;
class QStringListModel;
class QSyntaxHighlighter;

namespace ct {

class QueryEditor : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit QueryEditor(QWidget *parent = nullptr);

    /// The selection, or else the statement at the cursor. `begin`: its position in the text.
    QString statement(int *begin = nullptr) const;
    /// Underlines the word at a position of the text until the text changes.
    void markError(int position);

Q_SIGNALS:
    void runRequested();

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void changeEvent(QEvent *event) override;
    bool focusNextPrevChild(bool next) override;

private:
    void complete();
    void insertCompletion(const QString &name);

    QSyntaxHighlighter *m_highlighter;
    QStringListModel *m_names;
    QCompleter *m_completer;
};

}  // namespace ct
