// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Base class of jobs that write a file in the background: progress, cancelling, result.
#pragma once

#include <QString>
#include <QThread>

#include <atomic>

namespace ct {

class BackgroundJob : public QThread {
    Q_OBJECT
public:
    virtual void cancel();  ///< callable on any thread
    double progress() const;
    const QString &path() const { return m_path; }
    /// Approximate number of rows of the whole job; 0 = unknown.
    double rows() const { return m_rows; }
    void setRows(double rows) { m_rows = rows; }  ///< call before start()
    /// What follows the rows and takes long, such as "making indexes"; may be empty.
    const QString &end() const { return m_end; }
    void setEnd(const QString &end) { m_end = end; }  ///< call before start()

    // Valid after finished().
    bool succeeded() const { return m_error.isEmpty(); }
    bool wasCancelled() const;
    const QString &errorMessage() const { return m_error; }

protected:
    explicit BackgroundJob(QString path, QObject *parent);

    /// Cancels and waits. Call it in the destructor of the derived class.
    void cancelAndWait();

    // Call these on the job's thread, from run().
    /// Reports progress (0..1). Returns false if the job must stop.
    bool onProgress(double progress);
    void setError(const std::string &message) { m_error = QString::fromStdString(message); }

private:
    const QString m_path;
    std::atomic<bool> m_cancelled = false;  // relaxed: only a hint to stop soon, carries no data
    std::atomic<double> m_progress = 0;     // relaxed: for display only
    QString m_error;
    double m_rows = 0;
    QString m_end;
};

}  // namespace ct
