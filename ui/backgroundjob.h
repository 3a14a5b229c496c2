// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Something that writes a file in the background: how far it is, and how it went.
#pragma once

#include <QString>
#include <QThread>

#include <atomic>

namespace ct {

class BackgroundJob : public QThread {
    Q_OBJECT
public:
    virtual void cancel();  ///< any thread
    double progress() const;
    const QString &path() const { return m_path; }

    // After finished().
    bool succeeded() const { return m_error.isEmpty(); }
    bool wasCancelled() const;
    const QString &errorMessage() const { return m_error; }

protected:
    explicit BackgroundJob(QString path, QObject *parent);

    /// The derived class's destructor calls it: cancels and waits.
    void end();

    // On the thread, from run().
    /// False: it is to stop.
    bool onProgress(double progress);
    void setError(const std::string &message) { m_error = QString::fromStdString(message); }

private:
    const QString m_path;
    std::atomic<bool> m_cancelled = false;  // relaxed: only a hint to stop soon
    std::atomic<double> m_progress = 0;     // relaxed: for people
    QString m_error;
};

}  // namespace ct
