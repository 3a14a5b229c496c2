// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The master side of a pseudo terminal, with reads and writes that do not block.
// See docs/decisions/0005-the-targets-terminal.md.
#pragma once

#include "core/base/result.h"

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
    void closeSlave();  ///< call when the child has inherited it
    void setSize(int columns, int rows);
    void write(const QByteArray &bytes);
    void drain();  ///< emits the output that can be read now

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
