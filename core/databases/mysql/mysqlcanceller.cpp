// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/mysql/mysqlcanceller.h"

#include "core/base/startthread.h"
#include "core/databases/mysql/mysqlconnection.h"

#include <chrono>
#include <utility>

namespace ct {

namespace {

constexpr std::chrono::milliseconds kInterval{50};

}  // namespace

MysqlCanceller::MysqlCanceller(const ServerAddress &address, std::uint64_t connection, IsCancelled isCancelled)
    : m_address(address), m_connection(connection), m_isCancelled(std::move(isCancelled))
{
    (void)startThread(m_thread, [this] { watch(); });
}

MysqlCanceller::~MysqlCanceller()
{
    {
        const std::lock_guard lock(m_mutex);
        m_isEnding = true;
    }
    m_changed.notify_one();
    if (m_thread.joinable())
        m_thread.join();
}

void MysqlCanceller::begin()
{
    {
        const std::lock_guard lock(m_mutex);
        m_isRunning = true;
    }
    m_changed.notify_one();
}

void MysqlCanceller::end()
{
    const std::lock_guard lock(m_mutex);
    m_isRunning = false;
}

/// Asks the server repeatedly: a request that comes before the statement, or after its end, has no effect.
void MysqlCanceller::watch()
{
    const std::string kill = "KILL QUERY " + std::to_string(m_connection);
    std::unique_ptr<MysqlConnection> connection;
    std::unique_lock lock(m_mutex);
    while (!m_isEnding) {
        m_changed.wait(lock, [this] { return m_isEnding || m_isRunning; });
        m_changed.wait_for(lock, kInterval, [this] { return m_isEnding; });
        if (m_isEnding || !m_isRunning || !m_isCancelled())
            continue;
        if (!connection || connection->isLost()) {
            // Unlocked, so that end() does not wait while this connects.
            lock.unlock();
            Result<std::unique_ptr<MysqlConnection>> opened = MysqlConnection::openServer(m_address);
            connection = opened ? std::move(*opened) : nullptr;
            lock.lock();
        }
        if (connection && m_isRunning)
            (void)connection->run(kill);
    }
}

}  // namespace ct
