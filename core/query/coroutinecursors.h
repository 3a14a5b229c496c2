// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tables coroutines, flags, sites and addresses.
#pragma once

#include "core/query/virtualtable.h"

namespace ct::query {

/// The counts are those at the beginning of the query. Of a record that was evicted since, only these remain.
class CoroutineCursor final : public Cursor {
public:
    explicit CoroutineCursor(Snapshot &snapshot) : m_snapshot(snapshot) {}
    void start(const Filter &filter) override;
    bool next() override;
    void put(int column, SqlValue &value) override;
    std::uint64_t rowId() const override { return std::uint64_t{m_coroutine.id} + 1; }

private:
    void putFinish(int column, SqlValue &value);
    void putOrigin(int column, SqlValue &value) const;
    CoroutineId parent() const;

    Snapshot &m_snapshot;
    CoroutineSnapshot m_coroutine;
    CoroutineId m_next = 0;
    CoroutineId m_end = 0;
};

class FlagCursor final : public Cursor {
public:
    explicit FlagCursor(Snapshot &snapshot) : m_snapshot(snapshot) {}
    void start(const Filter &filter) override;
    bool next() override;
    void put(int column, SqlValue &value) override;

private:
    Snapshot &m_snapshot;
    CoroutineId m_next = 0;  ///< one past the present coroutine
    CoroutineId m_end = 0;
};

class SiteCursor final : public Cursor {
public:
    explicit SiteCursor(Snapshot &snapshot) : m_snapshot(snapshot) {}
    void start(const Filter &filter) override;
    bool next() override;
    void put(int column, SqlValue &value) override;
    std::uint64_t rowId() const override { return m_site->id; }

private:
    Snapshot &m_snapshot;
    const Site *m_site = nullptr;
    std::uint64_t m_next = 1;
    std::uint64_t m_last = 0;
};

class AddressCursor final : public Cursor {
public:
    explicit AddressCursor(Snapshot &snapshot) : m_snapshot(snapshot) {}
    void start(const Filter &filter) override;
    bool next() override;
    void put(int column, SqlValue &value) override;

private:
    Snapshot &m_snapshot;
    std::vector<Snapshot::Address> m_piece;
    std::size_t m_at = 0;
    std::size_t m_depth = 0;  ///< of the next row
    CoroutineId m_next = 0;
    CoroutineId m_end = 0;
};

}  // namespace ct::query
