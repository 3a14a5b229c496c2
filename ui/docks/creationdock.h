// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The dock with the creation tree: which coroutine created which.
#pragma once

#include "core/addresses/addressresolver.h"
#include "models/creationtreemodel.h"

#include <QDockWidget>
#include <QElapsedTimer>

#include <memory>

class QCheckBox;
class QLabel;
class QStackedWidget;
class QTreeView;

namespace ct {

class CreationFormat;

class CreationDock : public QDockWidget {
    Q_OBJECT
public:
    explicit CreationDock(QWidget *parent = nullptr);

    /// `runEnded`: the run has ended, so destroyed coroutines are shown.
    void setTrace(std::shared_ptr<Population> population, bool runEnded,
                  std::shared_ptr<AddressResolver> resolver = nullptr);
    void setRunEnded(bool runEnded);
    void sample();

public Q_SLOTS:
    void select(ct::CoroutineId coroutine);
    /// Raises the dock and shows this coroutine in its tree.
    void showCoroutine(ct::CoroutineId coroutine);

Q_SIGNALS:
    void coroutineSelected(ct::CoroutineId coroutine);

protected:
    void changeEvent(QEvent *event) override;

private:
    QWidget *makeBar();
    void setUpTree();
    void refresh();
    void onVisibilityChanged(bool visible);
    void revealSelected();
    void activate(const QModelIndex &index);
    void updateSummary();
    void applyLook();

    std::shared_ptr<Population> m_population;
    CreationTreeModel *m_model;
    CreationFormat *m_format;
    QStackedWidget *m_pages;
    QTreeView *m_tree;
    QLabel *m_empty;
    QLabel *m_summary = nullptr;
    QCheckBox *m_destroyed = nullptr;
    QElapsedTimer m_sinceSample;
    CoroutineId m_selected = kNoCoroutine;
    CoroutineId m_revealed = kNoCoroutine;
    bool m_selecting = false;
};

}  // namespace ct
