// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Asks for a session of a database: a SQLite file, which has one, or a PostgreSQL server.
#pragma once

#include "core/databases/storedsessions.h"

#include <QDialog>

#include <functional>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTreeWidget;

namespace ct {

class Inquiry;
class ServerFields;

class OpenDatabaseDialog : public QDialog {
    Q_OBJECT
public:
    explicit OpenDatabaseDialog(QWidget *parent = nullptr);

Q_SIGNALS:
    /// `input`: a path, or an address with the number of the session.
    void openRequested(const QString &input);

private:
    QWidget *makeSource();
    QWidget *makeFileRow();
    void makeList();
    bool isOfServer() const;
    QString problem() const;
    void browse();
    void check();
    void list();
    void showSessions(const Result<std::vector<StoredSession>> &sessions);
    void submit();

    Inquiry *m_inquiry;
    QComboBox *m_kind;
    QStackedWidget *m_source = nullptr;
    QLineEdit *m_path = nullptr;
    ServerFields *m_server = nullptr;
    QPushButton *m_connect;
    QTreeWidget *m_list;
    QLabel *m_message;
    QPushButton *m_open = nullptr;
    std::vector<StoredSession> m_sessions;  ///< in the order of the list
};

/// Asks for the session of a database to open, without blocking.
void askForSession(QWidget *parent, std::function<void(const QString &input)> chosen);

}  // namespace ct
