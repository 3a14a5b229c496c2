// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/serverfields.h"

#include "core/databases/serverpasswords.h"
#include "ui/jobs/inquiry.h"
#include "ui/jobs/keychain.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QUrl>

#include <memory>
#include <optional>

namespace ct {

namespace {

enum Over { Tcp, Socket };

QString keyOf(ServerAddress::Kind kind)
{
    return kind == ServerAddress::Kind::PostgreSql ? QStringLiteral("servers/postgresql")
                                                   : QStringLiteral("servers/mysql");
}

QString text(const std::string &value)
{
    return QString::fromStdString(value);
}

}  // namespace

ServerFields::ServerFields(QWidget *parent) : QWidget(parent), m_test(new Inquiry(this)), m_keychain(new Keychain(this))
{
    setObjectName(QStringLiteral("serverFields"));
    m_form = new QFormLayout(this);
    m_form->setContentsMargins(0, 0, 0, 0);
    makePlace(*m_form);
    makeSecurity(*m_form);
    makeTest(*m_form);
    load();
}

ServerFields::~ServerFields() = default;

QLineEdit *ServerFields::makeLine(const char *name, const QString &placeholder)
{
    auto *line = new QLineEdit(this);
    line->setObjectName(QLatin1String(name));
    line->setPlaceholderText(placeholder);
    connect(line, &QLineEdit::textChanged, this, &ServerFields::onEdited);
    return line;
}

void ServerFields::makePlace(QFormLayout &form)
{
    m_over = new QComboBox(this);
    m_over->setObjectName(QStringLiteral("serverOver"));
    m_over->addItems({tr("Host and port"), tr("Unix socket")});
    m_over->setAccessibleName(tr("How to reach the server"));
    m_host = makeLine("serverHost", QStringLiteral("127.0.0.1"));
    m_host->setAccessibleName(tr("Host"));
    m_socket = makeLine("serverSocket", {});
    m_socket->setAccessibleName(tr("Socket"));
    m_port = new QSpinBox(this);
    m_port->setObjectName(QStringLiteral("serverPort"));
    m_port->setRange(1, 65535);
    m_port->setAccessibleName(tr("Port"));
    auto *row = new QHBoxLayout;
    row->addWidget(m_over);
    row->addWidget(m_host, 1);
    row->addWidget(m_socket, 1);
    row->addWidget(m_port);
    form.addRow(tr("Se&rver"), row);
    qobject_cast<QLabel *>(form.labelForField(row))->setBuddy(m_over);
    m_user = makeLine("serverUser", text(userOf({})));
    form.addRow(tr("&User"), m_user);
    m_database = makeLine("serverDatabase", text(ServerAddress().database));
    form.addRow(tr("&Database"), m_database);
    m_table = makeLine("serverTable", text(ServerAddress().table));
    m_table->setToolTip(tr("Name of the view that shows the events of the latest session. With a name of your own, it "
                           "shows the latest of the sessions that were exported with that name."));
    form.addRow(tr("Vie&w"), m_table);
    connect(m_over, &QComboBox::currentIndexChanged, this, &ServerFields::onEdited);
    connect(m_port, &QSpinBox::valueChanged, this, &ServerFields::onEdited);
}

void ServerFields::makeSecurity(QFormLayout &form)
{
    m_password = makeLine("serverPassword", {});
    m_password->setEchoMode(QLineEdit::Password);
    connect(m_password, &QLineEdit::textEdited, this, [this] { m_foundFor.clear(); });
    form.addRow(tr("&Password"), m_password);
    m_keep = new QCheckBox(tr("&Keep the password in the system's keychain"), this);
    m_keep->setObjectName(QStringLiteral("serverKeep"));
    form.addRow(QString(), m_keep);
    m_keepProblem = new QLabel(this);
    m_keepProblem->setObjectName(QStringLiteral("serverKeepProblem"));
    m_keepProblem->setTextFormat(Qt::PlainText);
    m_keepProblem->setWordWrap(true);
    m_keepProblem->setForegroundRole(QPalette::PlaceholderText);
    form.addRow(QString(), m_keepProblem);
    m_sslMode = new QComboBox(this);
    m_sslMode->setObjectName(QStringLiteral("serverTls"));
    m_sslMode->addItem(tr("If the server offers it"), QString());
    m_sslMode->addItem(tr("Never"), QStringLiteral("disable"));
    m_sslMode->addItem(tr("Required"), QStringLiteral("require"));
    m_sslMode->addItem(tr("Required, certificate verified"), QStringLiteral("verify-ca"));
    m_sslMode->addItem(tr("Required, certificate and host name verified"), QStringLiteral("verify-full"));
    form.addRow(tr("T&LS"), m_sslMode);
    m_certificate = makeLine("serverCertificate", tr("File with trusted certificates"));
    form.addRow(tr("Cert&ificates"), m_certificate);
    connect(m_sslMode, &QComboBox::currentIndexChanged, this, &ServerFields::onEdited);
    connect(m_keep, &QCheckBox::clicked, this, &ServerFields::askKeychain);
}

void ServerFields::makeTest(QFormLayout &form)
{
    m_testButton = new QPushButton(tr("&Test connection"), this);
    m_testButton->setObjectName(QStringLiteral("serverTest"));
    m_testButton->setAutoDefault(false);
    m_testButton->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    m_result = new QLabel(this);
    m_result->setObjectName(QStringLiteral("serverTestResult"));
    m_result->setTextFormat(Qt::PlainText);
    m_result->setWordWrap(true);
    m_result->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_result->setMinimumHeight(3 * m_result->fontMetrics().lineSpacing());
    m_result->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    form.addRow(m_testButton);
    form.addRow(m_result);
    connect(m_testButton, &QPushButton::clicked, this, [this] {
        if (!m_test->isRunning())
            return test();
        m_test->cancel();
        showTest(tr("The test was cancelled."), false);
    });
}

void ServerFields::setKind(ServerAddress::Kind kind)
{
    if (kind == m_kind)
        return;
    m_kind = kind;
    load();
}

void ServerFields::setForReading()
{
    for (QWidget *field :
         {static_cast<QWidget *>(m_table), static_cast<QWidget *>(m_testButton), static_cast<QWidget *>(m_result)})
        m_form->setRowVisible(field, false);
}

void ServerFields::load()
{
    m_isLoading = true;
    const Result<ServerAddress> saved = parseServerAddress(QSettings().value(keyOf(m_kind)).toString().toStdString());
    ServerAddress address = saved ? *saved : ServerAddress{};
    const bool isPostgreSql = m_kind == ServerAddress::Kind::PostgreSql;
    m_over->setCurrentIndex(address.socket.empty() ? Tcp : Socket);
    m_host->setText(saved ? text(address.host) : QString());
    m_port->setValue(saved ? address.port : isPostgreSql ? 5432 : 3306);
    m_socket->setText(text(address.socket));
    m_socket->setPlaceholderText(isPostgreSql ? tr("Folder of the socket, such as /run/postgresql")
                                              : tr("Path of the socket, such as /run/mysqld/mysqld.sock"));
    m_user->setText(text(address.user));
    m_database->setText(saved ? text(address.database) : QString());
    m_table->setText(saved ? text(address.table) : QString());
    m_sslMode->setCurrentIndex(std::max(0, m_sslMode->findData(text(address.sslMode))));
    m_certificate->setText(text(address.certificate));
    m_keep->setChecked(QSettings().value(keyOf(m_kind) + QStringLiteral("-keeps-password")).toBool());
    m_password->clear();
    m_foundFor.clear();
    m_isLoading = false;
    onEdited();
    findPassword();
}

/// Looks for a password in the process and the environment, then in the keychain.
void ServerFields::findPassword()
{
    showKeychain({});
    if (const std::optional<std::string> kept = keptServerPassword(server())) {
        showFound(text(*kept));
        return;
    }
    m_password->setPlaceholderText(qEnvironmentVariableIsSet(passwordVariable(m_kind))
                                       ? tr("From %1").arg(QLatin1String(passwordVariable(m_kind)))
                                   : m_kind == ServerAddress::Kind::PostgreSql ? tr("From ~/.pgpass, if it has one")
                                                                               : tr("None"));
    if (!m_keep->isChecked())
        return;
    const QString asked = address();
    m_keychain->read(server(), [this, asked](const std::optional<QString> &password, const QString &problem) {
        showKeychain(problem);
        if (password && m_password->text().isEmpty() && asked == address())
            showFound(*password);
    });
}

void ServerFields::showFound(const QString &password)
{
    m_foundFor = serverName();
    m_password->setText(password);
}

/// The server and the user, for any database.
QString ServerFields::serverName() const
{
    ServerAddress address = server();
    address.database.clear();
    return text(address.name());
}

/// Checks whether there is a keychain before the user relies on it.
void ServerFields::askKeychain(bool isWanted)
{
    showKeychain({});
    if (!isWanted)
        return m_keychain->remove(server(), [](const QString &) {});
    m_keychain->read(server(), [this](const std::optional<QString> &, const QString &problem) {
        showKeychain(problem);
        if (!problem.isEmpty())
            m_keep->setChecked(false);
    });
}

void ServerFields::showKeychain(const QString &problem)
{
    m_keepProblem->setText(problem);
    m_form->setRowVisible(m_keepProblem, !problem.isEmpty());
    m_keep->setToolTip(problem);
}

ServerAddress ServerFields::server() const
{
    ServerAddress address;
    const auto set = [](std::string &member, const QLineEdit &line) {
        if (const QString value = line.text().trimmed(); !value.isEmpty())
            member = value.toStdString();
    };
    address.kind = m_kind;
    address.port = static_cast<std::uint16_t>(m_port->value());
    set(address.host, *m_host);
    if (m_over->currentIndex() == Socket)
        set(address.socket, *m_socket);
    set(address.user, *m_user);
    set(address.database, *m_database);
    set(address.table, *m_table);
    address.sslMode = m_sslMode->currentData().toString().toStdString();
    set(address.certificate, *m_certificate);
    return address;
}

QString ServerFields::address() const
{
    return text(addressText(server()));
}

QString ServerFields::problem() const
{
    if (m_over->currentIndex() == Socket && m_socket->text().trimmed().isEmpty())
        return m_kind == ServerAddress::Kind::PostgreSql ? tr("Enter the folder of the server's socket.")
                                                         : tr("Enter the path of the server's socket.");
    if (m_kind == ServerAddress::Kind::MySql && server().sslMode.starts_with("verify-"))
        return tr("Certificates of MariaDB and MySQL cannot be verified. Choose TLS “Required”, or a Unix socket.");
    if (const QString file = m_certificate->text().trimmed(); !file.isEmpty() && !QFileInfo(file).isReadable())
        return tr("%1 cannot be read. Choose another file of certificates.").arg(file);
    return nameProblem();
}

/// The problem with a name that no address can have, in the words of the dialog; empty: none.
QString ServerFields::nameProblem() const
{
    const ServerAddress address = server();
    QUrl place;
    place.setHost(text(address.host));
    if (place.host().isEmpty())  // addressText() would leave the host out
        return tr("%1 is not the name or address of a host. Enter another one.").arg(text(address.host));
    if (QString wrong = text(databaseProblem(address)); !wrong.isEmpty()) {
        wrong[0] = wrong[0].toUpper();
        return wrong + u'.';
    }
    if (isMadeByExports(address.table))
        return tr("Every export makes a table or view %1. Choose another name for the view.").arg(text(address.table));
    if (address.table.size() > kMostTableBytes)
        return tr("The name of the view has %1 bytes, and the most is %2. Choose a shorter one.")
            .arg(address.table.size())
            .arg(kMostTableBytes);
    const Result<ServerAddress> parsed = parseServerAddress(addressText(address));
    return parsed ? QString() : text(parsed.error().message);
}

void ServerFields::onEdited()
{
    if (m_isLoading)
        return;
    const bool isTcp = m_over->currentIndex() == Tcp;
    m_host->setVisible(isTcp);
    // The port is a part of the name of PostgreSQL's socket.
    m_port->setVisible(isTcp || m_kind == ServerAddress::Kind::PostgreSql);
    m_socket->setVisible(!isTcp);
    // The password of one server must not be sent to another one.
    if (!m_foundFor.isEmpty() && m_foundFor != serverName()) {
        m_foundFor.clear();
        m_password->clear();
    }
    m_test->cancel();
    showTest({}, true);
    m_testButton->setEnabled(problem().isEmpty());
    Q_EMIT changed();
}

void ServerFields::save() const
{
    QSettings settings;
    if (nameProblem().isEmpty())
        settings.setValue(keyOf(m_kind), address());
    settings.setValue(keyOf(m_kind) + QStringLiteral("-keeps-password"), m_keep->isChecked());
}

void ServerFields::commit()
{
    save();
    const QString password = m_password->text();
    keepServerPassword(server(), password.toStdString());
    if (m_keep->isChecked() && !password.isEmpty())
        m_keychain->write(server(), password, [this](const QString &problem) { showKeychain(problem); });
}

void ServerFields::test()
{
    keepServerPassword(server(), m_password->text().toStdString());
    showTest(tr("Connecting…"), true);
    m_testButton->setText(tr("S&top"));
    const auto report = std::make_shared<std::optional<Result<ServerStatus>>>();
    const Result<void> started = m_test->start(
        [report, address = server()](const Inquiry::Stops &stops) { *report = checkServer(address, stops); },
        [this, report] { onTested(**report); });
    if (!started)
        onTested(started.error());
}

void ServerFields::showTest(const QString &text, bool isGood)
{
    m_testButton->setText(tr("&Test connection"));
    m_result->setText(text);
    m_result->setForegroundRole(isGood ? QPalette::WindowText : QPalette::BrightText);
}

void ServerFields::onTested(const Result<ServerStatus> &report)
{
    // The fields show the address.
    if (!report) {
        const QString message = text(messageInDialog(report.error()));
        const QString name = text(server().name()) + QStringLiteral(": ");
        return showTest(message.startsWith(name) ? message.mid(name.size()) : message, false);
    }
    const QString database = text(server().database);
    const QString exists = report->hasDatabase ? tr("the database %1 exists").arg(database)
                                               : tr("the database %1 does not exist yet").arg(database);
    showTest(tr("%1; %2; %3").arg(text(report->version), exists, report->usesTls ? tr("TLS is on") : tr("without TLS")),
             true);
}

}  // namespace ct
