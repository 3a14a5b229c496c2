// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Cancels the statements of a connection to MariaDB or MySQL. Qt's driver waits for the end of a statement, and nothing
// stops it: so a second connection asks the server to end the statement.
#pragma once

#include "core/databases/serveraddress.h"
#include "core/recording/read/streamfile.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace ct {

class MysqlCanceller {
public:
    /// `connection`: the number that the server gave to the connection. `isCancelled`: asked on a thread of its own
    /// while a statement runs. If the system refuses that thread, statements end by themselves.
    MysqlCanceller(const ServerAddress &address, std::uint64_t connection, IsCancelled isCancelled);
    ~MysqlCanceller();
    MysqlCanceller(const MysqlCanceller &) = delete;
    MysqlCanceller &operator=(const MysqlCanceller &) = delete;

    bool isCancelled() const { return m_isCancelled(); }

    // The thread of the connection calls these around each statement.
    void begin();
    void end();  ///< also waits for the answer of the server if the statement is just being cancelled

private:
    void watch();

    const ServerAddress m_address;
    const std::uint64_t m_connection;
    const IsCancelled m_isCancelled;
    std::mutex m_mutex;  ///< guards the two flags; held while the server is asked to end the statement
    std::condition_variable m_changed;
    bool m_isRunning = false;  ///< a statement
    bool m_isEnding = false;   ///< the thread
    std::thread m_thread;
};

}  // namespace ct
