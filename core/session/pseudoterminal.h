// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The master side of a pseudo terminal, read and written without blocking.
#pragma once

#include "core/result.h"

#include <QByteArray>
#include <QObject>

#include <memory>

class QSocketNotifier;

namespace ct {

class PseudoTerminal final : public QObject {
    Q_OBJECT
public:
    static Result<std::unique_ptr<PseudoTerminal>> open();
    ~PseudoTerminal() override;

    int slave() const { return m_slave; }
    void closeSlave();  ///< once the child has it
    bool isOpen() const { return m_master >= 0; }
    void setSize(int columns, int rows);
    void write(const QByteArray &bytes);
    void drain();  ///< emits what is there now

Q_SIGNALS:
    void outputReady(const QByteArray &bytes, qint64 monotonicNs);

private:
    PseudoTerminal(int master, int slave);
    static Result<std::unique_ptr<PseudoTerminal>> openSocket();
    bool readSome();
    void writePending();
    void closeMaster();

    int m_master;
    int m_slave;
    QSocketNotifier *m_reader = nullptr;
    QSocketNotifier *m_writer = nullptr;
    QByteArray m_pending;
};

}  // namespace ct
