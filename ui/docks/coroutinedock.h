// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The table of all coroutines, with its filters.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/analysis/suspects.h"
#include "models/coroutinetablemodel.h"
#include "models/notekinddetector.h"

#include <QDockWidget>

#include <memory>

class QLabel;
class QLineEdit;
class QMenu;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace ct {

class CoroutineColumns;
class CoroutineFormat;
class StartPage;

class CoroutineDock : public QDockWidget {
    Q_OBJECT
public:
    /// `startPage` replaces an empty table. The dock takes ownership of it.
    explicit CoroutineDock(StartPage *startPage, QWidget *parent = nullptr);

    void setTrace(std::shared_ptr<Population> population, std::shared_ptr<AddressResolver> resolver = nullptr);
    /// Sets the time to which births are relative; ns, CLOCK_MONOTONIC.
    void setOrigin(std::uint64_t origin);
    /// Sets the coroutines that are shown as stuck; null = none.
    void setSuspects(std::shared_ptr<const Suspects> suspects);
    void setPaused(bool paused);
    void sample();

    /// The coroutines of the selected rows, ascending.
    std::vector<CoroutineId> selectedCoroutines() const;
    CoroutineTableModel *model() const { return m_model; }
    /// The menu to choose columns; a child of the table.
    QMenu *columnsMenu() const;

public Q_SLOTS:
    /// Selects the row of a coroutine. If it has none, because it is new or a filter hides it, it is selected as soon
    /// as it has one.
    void select(ct::CoroutineId coroutine);
    void setFilterText(const QString &text);
    void focusFilter();

Q_SIGNALS:
    void coroutineSelected(ct::CoroutineId coroutine);
    void rowsChanged();

protected:
    void changeEvent(QEvent *event) override;

private:
    QWidget *makeFilterBar();
    void setUpTable();
    void applyStates();
    void applyLook();
    QToolButton *addToggle(QWidget *bar, const QString &text, const QString &toolTip);
    void applyNoteKinds();
    void updateCount();

    std::shared_ptr<Population> m_population;
    CoroutineTableModel *m_model;
    CoroutineFormat *m_format;
    QTableView *m_table;
    CoroutineColumns *m_columns = nullptr;
    NoteKindDetector m_noteKinds;
    QStackedWidget *m_pages;
    QLineEdit *m_filter = nullptr;
    QLabel *m_count = nullptr;
    std::vector<QToolButton *> m_states;
    QToolButton *m_generators = nullptr;
    bool m_selecting = false;
    CoroutineId m_awaited = kNoCoroutine;  ///< selected, but without a row
};

}  // namespace ct
