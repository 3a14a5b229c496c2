// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// StuckModel as people read it: "47 coroutines at async_read server.cpp:88".
#pragma once

#include "models/stuckmodel.h"
#include "ui/placeformat.h"

#include <QIdentityProxyModel>

namespace ct {

class StuckFormat : public QIdentityProxyModel {
    Q_OBJECT
public:
    explicit StuckFormat(StuckModel *model, QObject *parent = nullptr);

    /// What addresses mean; may be null.
    void setPlaces(std::shared_ptr<Places> places) { m_places = std::move(places); }
    /// Of a group.
    ShownPlace shownPlaceOf(const QModelIndex &source) const;

    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QString where(const QModelIndex &source) const;
    QString coroutine(CoroutineId id) const;
    QString toolTip(const QModelIndex &source) const;

    StuckModel *m_model;
    std::shared_ptr<Places> m_places;
};

}  // namespace ct
