// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The details' rows about other coroutines: parent, children, what it waits on, who woke it. Rows of which the target
// says nothing are hidden.
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
    /// The palette is another: links take their colour when they are made.
    void restyle();

Q_SIGNALS:
    /// A link was followed.
    void coroutineActivated(ct::CoroutineId coroutine);
    void treeRequested();

private:
    QLabel *addRow(const char *objectName, const QString &name, const QString &toolTip);
    void setRow(QLabel *row, const QString &html);
    void follow(const QString &link);

    QFormLayout *m_form;
    QLabel *m_parent;
    QLabel *m_children;
    QLabel *m_waits;
    QLabel *m_wake;
};

}  // namespace ct
