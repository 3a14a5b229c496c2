// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The fields that select a part of the trace: coroutines and a time range.
#pragma once

#include "core/exporting/traceselection.h"

#include <QGroupBox>

class QCheckBox;
class QDoubleSpinBox;
class QRadioButton;
class QToolButton;

namespace ct {

/// What the window shows when the dialog opens.
struct ExportChoices {
    std::vector<CoroutineId> filtered;  ///< the coroutines that the table's filter shows, ascending
    bool hasFilter = false;
    std::vector<CoroutineId> selected;  ///< those selected in the table, ascending
    // ns, CLOCK_MONOTONIC.
    std::uint64_t origin = 0;  ///< the zero of displayed times
    std::uint64_t end = 0;     ///< of the trace
    std::int64_t visibleFrom = 0;
    std::int64_t visibleTo = 0;
};

/// What the user has entered.
struct SelectionInput {
    bool isFiltered = false;
    bool isChosen = false;
    bool hasTimes = false;
    double from = 0;  ///< s
    double to = 0;    ///< s
};

class SelectionFields : public QGroupBox {
    Q_OBJECT
public:
    explicit SelectionFields(ExportChoices choices, QWidget *parent = nullptr);

    TraceSelection selection() const;
    SelectionInput input() const;
    /// Coroutines stay unselected if the table does not have that selection any more.
    void setInput(const SelectionInput &input);
    /// Sets the end of the trace (ns), when it has grown. A time range up to the end grows, too.
    void setEnd(std::uint64_t end);
    /// The problem with the fields; empty: none.
    QString problem() const;

Q_SIGNALS:
    void changed();

private:
    void addCoroutines();
    void addTimes();
    QRadioButton *makeButton(const char *name, const QString &text, bool isPossible, const QString &whyNot);
    QDoubleSpinBox *makeTime(const char *name, const QString &accessibleName, double seconds);
    void setTimes(double from, double to);
    double secondsOf(std::int64_t ts) const;
    std::uint64_t timeOf(double seconds) const;

    ExportChoices m_choices;
    QRadioButton *m_filtered = nullptr;
    QRadioButton *m_selected = nullptr;
    QCheckBox *m_hasTimes = nullptr;
    QDoubleSpinBox *m_from = nullptr;
    QDoubleSpinBox *m_to = nullptr;
    QToolButton *m_visible = nullptr;
};

}  // namespace ct
