// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rows of the details dock about other coroutines and about objects: parent, children, await chain, waits, holders,
// wakes. Rows without content are hidden.
#pragma once

#include "core/trace/population.h"

#include <QObject>

class QFormLayout;
class QLabel;

namespace ct {

class DetailsRelations : public QObject {
    Q_OBJECT
public:
    /// Adds its rows at the end of the form.
    explicit DetailsRelations(QFormLayout *form, QObject *parent = nullptr);

    void show(const Population &population, CoroutineId id);
    /// Call after a change of the palette: links get their colour when their text is set.
    void restyle();

Q_SIGNALS:
    /// The user followed a link.
    void coroutineActivated(ct::CoroutineId coroutine);
    void treeRequested();

private:
    QLabel *addRow(const char *objectName, const QString &name, const QString &toolTip);
    void setRow(QLabel *row, const QString &html);
    void follow(const QString &link);

    QFormLayout *m_form;
    QLabel *m_parent;
    QLabel *m_children;
    QLabel *m_chain;
    QLabel *m_waits;
    QLabel *m_holders;
    QLabel *m_holds;
    QLabel *m_wake;
    QLabel *m_wakersLeft;
};

}  // namespace ct
