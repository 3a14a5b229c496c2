// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The fields for a database server: its address, the user, and a connection test. The settings keep everything but the
// password.
#pragma once

#include "core/databases/servercheck.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace ct {

class Inquiry;
class Keychain;

class ServerFields : public QWidget {
    Q_OBJECT
public:
    explicit ServerFields(QWidget *parent = nullptr);
    ~ServerFields() override;

    /// Shows the latest server of this kind.
    void setKind(ServerAddress::Kind kind);
    /// Hides the fields that only an export needs, and the test: listing sessions tests the connection, too.
    void setForReading();

    /// The problem with the fields; empty: none.
    QString problem() const;
    ServerAddress server() const;
    /// The address as text, without the password.
    QString address() const;

    /// Keeps the password in the process, and in the keychain if the user chose that. Saves the other fields if they
    /// are valid.
    void commit();
    void test();

Q_SIGNALS:
    void changed();

private:
    void makePlace(QFormLayout &form);
    void makeSecurity(QFormLayout &form);
    void makeTest(QFormLayout &form);
    void load();
    void save() const;
    void onEdited();
    void showTest(const QString &text, bool isGood);
    void onTested(const Result<ServerStatus> &report);
    void findPassword();
    void showFound(const QString &password);
    QString serverName() const;
    QString nameProblem() const;
    void askKeychain(bool isWanted);
    void showKeychain(const QString &problem);
    QLineEdit *makeLine(const char *name, const QString &placeholder);

    ServerAddress::Kind m_kind = ServerAddress::Kind::PostgreSql;
    Inquiry *m_test;
    Keychain *m_keychain;
    QComboBox *m_over = nullptr;
    QLineEdit *m_host = nullptr;
    QSpinBox *m_port = nullptr;
    QLineEdit *m_socket = nullptr;
    QLineEdit *m_user = nullptr;
    QLineEdit *m_password = nullptr;
    QCheckBox *m_keep = nullptr;
    QLabel *m_keepProblem = nullptr;
    QLineEdit *m_database = nullptr;
    QLineEdit *m_table = nullptr;
    QComboBox *m_sslMode = nullptr;
    QLineEdit *m_certificate = nullptr;
    QPushButton *m_testButton = nullptr;
    QLabel *m_result = nullptr;
    QFormLayout *m_form = nullptr;
    bool m_isLoading = false;
    QString m_foundFor;  ///< the serverName() whose password was found; empty: the user typed it
};

}  // namespace ct
