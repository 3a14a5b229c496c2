// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/keychain.h"

#include "core/databases/serverpasswords.h"

#include <QTimer>

#include <memory>
#include <qt6keychain/keychain.h>
#include <utility>

namespace ct {

namespace {

/// Time limit for an answer, in ms. The service may ask the user to unlock the keychain.
constexpr int kPatienceMs = 120'000;

/// The service name of all entries.
QString service()
{
    return QStringLiteral("corotracer-gui");
}

/// One entry per server and user: all databases of a server have the same password.
QString keyOf(ServerAddress address)
{
    address.user = userOf(address);
    address.database.clear();
    return QString::fromStdString(address.name());
}

QString problemOf(const QKeychain::Job &job)
{
    switch (job.error()) {
    case QKeychain::NoError:
    case QKeychain::EntryNotFound: return {};
    case QKeychain::AccessDenied:
    case QKeychain::AccessDeniedByUser: return Keychain::tr("The keychain is locked.");
    case QKeychain::NoBackendAvailable:
    case QKeychain::NotImplemented:
        return Keychain::tr(
            "No keychain service is running. Install and unlock one, such as GNOME Keyring or KWallet.");
    default:
        return Keychain::tr("No keychain service answers (%1). Start one, such as GNOME Keyring or KWallet.")
            .arg(job.errorString());
    }
}

/// Starts the job, and calls `done` once: with its result, or with the error that the service does not answer.
void start(QKeychain::Job *job, QObject *owner, int patience, Keychain::Done done)
{
    job->setAutoDelete(true);
    job->setInsecureFallback(false);  // never a plain file
    auto once = std::make_shared<Keychain::Done>(std::move(done));
    const auto finish = [once](const QString &problem) {
        if (const Keychain::Done call = std::exchange(*once, nullptr))
            call(problem);
    };
    QObject::connect(job, &QKeychain::Job::finished, owner,
                     [finish](QKeychain::Job *ended) { finish(problemOf(*ended)); });
    QTimer::singleShot(patience, owner, [finish] { finish(Keychain::tr("The keychain service does not answer.")); });
    job->start();
}

}  // namespace

void Keychain::read(const ServerAddress &address, Found found)
{
    auto *job = new QKeychain::ReadPasswordJob(service());
    job->setKey(keyOf(address));
    const auto password = std::make_shared<std::optional<QString>>();
    // Before start() connects, so that the text is there first.
    connect(job, &QKeychain::Job::finished, this, [job, password] {
        if (job->error() == QKeychain::NoError)
            *password = job->textData();
    });
    start(job, this, kPatienceMs, [password, found = std::move(found)](const QString &problem) {
        found(problem.isEmpty() ? *password : std::nullopt, problem);
    });
}

void Keychain::write(const ServerAddress &address, const QString &password, Done done)
{
    auto *job = new QKeychain::WritePasswordJob(service());
    job->setKey(keyOf(address));
    job->setTextData(password);
    start(job, this, kPatienceMs, std::move(done));
}

void Keychain::remove(const ServerAddress &address, Done done)
{
    auto *job = new QKeychain::DeletePasswordJob(service());
    job->setKey(keyOf(address));
    start(job, this, kPatienceMs, std::move(done));
}

}  // namespace ct
