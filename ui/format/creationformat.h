// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Formats CreationTreeModel: names, dots, durations.
#pragma once

#include "core/addresses/addressresolver.h"
#include "models/creationtreemodel.h"

#include <QIcon>
#include <QIdentityProxyModel>

#include <array>

namespace ct {

struct Colors;

class CreationFormat : public QIdentityProxyModel {
    Q_OBJECT
public:
    explicit CreationFormat(CreationTreeModel *model, QObject *parent = nullptr);

    /// Applies a new palette.
    void setLook(const QPalette &palette);
    /// Sets the resolver of addresses; may be null.
    void setResolver(std::shared_ptr<AddressResolver> resolver) { m_resolver = std::move(resolver); }

    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QVariant text(const QModelIndex &source) const;

    CreationTreeModel *m_model;
    std::shared_ptr<AddressResolver> m_resolver;
    const Colors *m_colors;
    std::array<QIcon, kCoroutineStates> m_dots;  ///< by CoroutineState
};

}  // namespace ct
