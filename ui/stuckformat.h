// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// StuckModel as people read it: "47 coroutines at async_read server.cpp:88".
#pragma once

#include "models/stuckmodel.h"

#include <QIdentityProxyModel>

namespace ct {

class StuckFormat : public QIdentityProxyModel {
    Q_OBJECT
public:
    explicit StuckFormat(StuckModel *model, QObject *parent = nullptr);

    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QString where(const QModelIndex &source) const;
    QString coroutine(CoroutineId id) const;
    QString toolTip(const QModelIndex &source) const;
    const Site *siteOf(const QModelIndex &source) const;

    StuckModel *m_model;
};

}  // namespace ct
