// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/dotprocess.h"

#include <QStandardPaths>

namespace ct {

namespace {

const QLatin1String kProgram("dot");
/// Larger outputs are no layout of ours.
constexpr qint64 kMostOutput = 64 << 20;

}  // namespace

DotProcess::DotProcess(QObject *parent) : QObject(parent)
{
    m_process.setStandardErrorFile(QProcess::nullDevice());
    m_limit.setSingleShot(true);
    connect(&m_process, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        end(status == QProcess::NormalExit && code == 0 && m_process.bytesAvailable() <= kMostOutput);
    });
    // The other errors are followed by finished().
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            end(false);
    });
    connect(&m_limit, &QTimer::timeout, this, [this] {
        cancel();
        Q_EMIT finished({});
    });
}

DotProcess::~DotProcess()
{
    cancel();
}

bool DotProcess::isInstalled()
{
    return !QStandardPaths::findExecutable(kProgram).isEmpty();
}

void DotProcess::start(const QByteArray &input, int mostMs)
{
    cancel();
    m_isRunning = true;
    m_limit.start(mostMs);
    m_process.start(kProgram, {QStringLiteral("-Tplain")});
    m_process.write(input);
    m_process.closeWriteChannel();
}

void DotProcess::cancel()
{
    m_isRunning = false;
    m_limit.stop();
    if (m_process.state() == QProcess::NotRunning)
        return;
    m_process.kill();
    m_process.waitForFinished(-1);  // some milliseconds: it was killed
}

void DotProcess::end(bool succeeded)
{
    if (!m_isRunning)
        return;
    m_isRunning = false;
    m_limit.stop();
    Q_EMIT finished(succeeded ? m_process.readAllStandardOutput() : QByteArray());
}

}  // namespace ct
