// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Formats the tables of the capture dock: processes, and dropped records.
#pragma once

#include "models/dropmodel.h"
#include "models/processmodel.h"

#include <QIdentityProxyModel>

namespace ct {

class ProcessFormat : public QIdentityProxyModel {
    Q_OBJECT
public:
    explicit ProcessFormat(ProcessModel *model, QObject *parent = nullptr);

    /// Sets the time to which shown times are relative; ns, CLOCK_MONOTONIC.
    void setOrigin(std::uint64_t origin) { m_origin = origin; }

    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    std::uint64_t m_origin = 0;
};

class DropFormat : public QIdentityProxyModel {
    Q_OBJECT
public:
    explicit DropFormat(DropModel *model, QObject *parent = nullptr);

    void setPopulation(const Population *population) { m_population = population; }
    /// Sets the time to which shown times are relative; ns, CLOCK_MONOTONIC.
    void setOrigin(std::uint64_t origin) { m_origin = origin; }

    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    const Population *m_population = nullptr;
    std::uint64_t m_origin = 0;
};

}  // namespace ct
