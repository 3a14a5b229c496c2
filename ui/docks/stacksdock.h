// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The dock with the stacks of all coroutines, identical ones together.
#pragma once

#include "models/stacksmodel.h"

#include <QDockWidget>
#include <QElapsedTimer>

#include <memory>

class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTreeView;

namespace ct {

class StacksFormat;

class StacksDock : public QDockWidget {
    Q_OBJECT
public:
    explicit StacksDock(QWidget *parent = nullptr);

    void setTrace(std::shared_ptr<Population> population, std::shared_ptr<AddressResolver> resolver = nullptr);
    void sample();
    /// The stacks as text, as --report text writes them. Empty if no coroutine is alive.
    QString text() const;

Q_SIGNALS:
    void coroutineSelected(ct::CoroutineId coroutine);
    /// Double click, or Enter.
    void coroutineActivated(ct::CoroutineId coroutine);

private:
    QWidget *makeBar();
    void setUpTree();
    void showSample();
    void rememberGroups(const QModelIndex &parent, int first, int last);
    void expandGroups();
    void activate(const QModelIndex &index);
    void showMenu(const QPoint &position);
    void copyAll() const;
    void copyCurrent() const;

    std::shared_ptr<Population> m_population;
    StacksModel *m_model;
    StacksFormat *m_format;
    QStackedWidget *m_pages;
    QTreeView *m_tree;
    QLabel *m_empty;
    QLabel *m_summary = nullptr;
    QLineEdit *m_filter = nullptr;
    QPushButton *m_copy = nullptr;
    QElapsedTimer m_sinceSample;
    QList<QPersistentModelIndex> m_toExpand;
};

}  // namespace ct
