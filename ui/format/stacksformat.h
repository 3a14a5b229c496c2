// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Formats StacksModel: "1 204 × waits for a descriptor".
#pragma once

#include "models/stacksmodel.h"

#include <QIdentityProxyModel>

namespace ct {

class StacksFormat : public QIdentityProxyModel {
    Q_OBJECT
public:
    explicit StacksFormat(StacksModel *model, QObject *parent = nullptr);

    /// Sets the resolver of addresses; may be null.
    void setResolver(std::shared_ptr<AddressResolver> resolver) { m_resolver = std::move(resolver); }

    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QVariant text(const QModelIndex &source) const;
    QVariant toolTip(const QModelIndex &source) const;

    StacksModel *m_model;
    std::shared_ptr<AddressResolver> m_resolver;
};

}  // namespace ct
