// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A real database server that wants a password, and its clients.
#pragma once

#include "tests/ui/dialogs/exportwindow.h"

#include <QProcess>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>

namespace gui {

inline const char *const kServerPassword = "it's \"secret\"";

/// A server that tests/core/databases/servers.py starts, as long as this object lives.
class RealServer {
public:
    explicit RealServer(const QString &kind) : m_kind(kind)
    {
        const QString script =
            QString::fromStdString(ct::test::kSourceDir) + QStringLiteral("/tests/core/databases/servers.py");
        m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        m_process.start(QStringLiteral("python3"), {QStringLiteral("-B"), script, kind, QStringLiteral("locked"),
                                                    QString::fromUtf8(kServerPassword)});
        while (!m_process.canReadLine() && m_process.waitForReadyRead(kPatienceMs)) {
        }
        m_socket = QString::fromUtf8(m_process.readLine()).trimmed();
    }
    ~RealServer()
    {
        m_process.closeWriteChannel();
        m_process.waitForFinished(kPatienceMs);
    }
    RealServer(const RealServer &) = delete;
    RealServer &operator=(const RealServer &) = delete;

    const QString &kind() const { return m_kind; }
    /// Begins with SKIP if the server is not installed.
    const QString &socket() const { return m_socket; }

private:
    const QString m_kind;
    QProcess m_process;
    QString m_socket;
};

/// A connection of the user to the database of the exports. It has its locks as long as it lives.
class ServerClient {
public:
    ServerClient(const RealServer &server, const QString &name) : m_name(name)
    {
        const bool isPostgreSql = server.kind() == QLatin1String("postgresql");
        m_database =
            QSqlDatabase::addDatabase(isPostgreSql ? QStringLiteral("QPSQL") : QStringLiteral("QMYSQL"), m_name);
        m_database.setHostName(isPostgreSql ? server.socket() : QStringLiteral("localhost"));
        if (!isPostgreSql)
            m_database.setConnectOptions(QStringLiteral("UNIX_SOCKET=") + server.socket());
        m_database.setDatabaseName(QStringLiteral("window traces"));
        m_database.setUserName(QStringLiteral("locked"));
        m_database.setPassword(QString::fromUtf8(kServerPassword));
        m_database.open();
    }
    ~ServerClient()
    {
        m_database = QSqlDatabase();
        QSqlDatabase::removeDatabase(m_name);
    }
    ServerClient(const ServerClient &) = delete;
    ServerClient &operator=(const ServerClient &) = delete;

    /// The first column of all rows, or else the error.
    QStringList query(const QString &sql) const
    {
        QStringList values;
        QSqlQuery rows(m_database.isOpen() ? QSqlQuery(sql, m_database) : QSqlQuery(m_database));
        while (rows.next())
            values << rows.value(0).toString();
        if (values.isEmpty())
            values << m_database.lastError().text() + rows.lastError().text();
        return values;
    }
    QString value(const char *sql) const { return query(QLatin1String(sql)).value(0); }
    /// A statement without rows. Returns an error, or "".
    QString run(const char *sql) const
    {
        QSqlQuery statement(m_database);
        return statement.exec(QLatin1String(sql)) ? QString() : statement.lastError().text();
    }

private:
    const QString m_name;
    QSqlDatabase m_database;
};

/// Fills the fields of the export dialog for a server.
inline void fillServer(QWidget *dialog, const RealServer &server)
{
    choose(dialog, qPrintable(server.kind()));
    dialog->findChild<QComboBox *>(QStringLiteral("serverOver"))->setCurrentIndex(1);
    type(dialog, "serverSocket", server.socket());
    type(dialog, "serverUser", QStringLiteral("locked"));
    type(dialog, "serverDatabase", QStringLiteral("window traces"));
}

}  // namespace gui
