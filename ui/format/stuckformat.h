// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Formats StuckModel: "47 coroutines at async_read server.cpp:88".
#pragma once

#include "models/stuckmodel.h"
#include "ui/format/locationformat.h"

#include <QIdentityProxyModel>

namespace ct {

class StuckFormat : public QIdentityProxyModel {
    Q_OBJECT
public:
    explicit StuckFormat(StuckModel *model, QObject *parent = nullptr);

    /// Sets the resolver of addresses; may be null.
    void setResolver(std::shared_ptr<AddressResolver> resolver) { m_resolver = std::move(resolver); }
    /// Returns the location of a group.
    ShownLocation shownLocationOf(const QModelIndex &source) const;

    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QString where(const QModelIndex &source) const;
    QString coroutine(CoroutineId id) const;
    QString toolTip(const QModelIndex &source) const;

    StuckModel *m_model;
    std::shared_ptr<AddressResolver> m_resolver;
};

}  // namespace ct
