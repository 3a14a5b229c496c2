// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// All details of the selected coroutine, and its latest events.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/trace/history.h"
#include "core/trace/population.h"

#include <QDockWidget>
#include <QElapsedTimer>

#include <deque>
#include <map>
#include <memory>

class QFormLayout;
class QLineEdit;
class QLabel;
class QStackedWidget;
class QTreeWidget;

namespace ct {

class DetailsRelations;

class DetailsDock : public QDockWidget {
    Q_OBJECT
public:
    explicit DetailsDock(QWidget *parent = nullptr);

    void setTrace(std::shared_ptr<Population> population, std::shared_ptr<History> history,
                  std::shared_ptr<AddressResolver> resolver = nullptr);
    void sample();

public Q_SLOTS:
    void select(ct::CoroutineId coroutine);

Q_SIGNALS:
    /// The user followed a link to another coroutine.
    void coroutineSelected(ct::CoroutineId coroutine);
    void treeRequested(ct::CoroutineId coroutine);

protected:
    void changeEvent(QEvent *event) override;

private:
    QLineEdit *addField(QFormLayout *form, const QString &name, const char *objectName);
    void setUpEvents();
    void refresh();
    void showFields(const CoroutineSnapshot &coroutine);
    void showLocation(const CoroutineSnapshot &coroutine);
    void showOptional(QLineEdit *field, const QString &text, const QString &toolTip = {});
    bool readEvents();
    void showEvents();

    std::shared_ptr<Population> m_population;
    std::shared_ptr<History> m_history;
    std::shared_ptr<AddressResolver> m_resolver;
    std::uint64_t m_generationSeen = 0;  ///< generation of the shown addresses
    CoroutineId m_coroutine = kNoCoroutine;
    QElapsedTimer m_sinceRefresh;
    History::Position m_position;
    std::deque<HistoryEvent> m_latest;  ///< oldest first

    QStackedWidget *m_pages;
    QTreeWidget *m_events;
    QLabel *m_title;
    QLineEdit *m_name;
    QLineEdit *m_function;
    QLineEdit *m_location;
    QLineEdit *m_inlined;
    QLineEdit *m_module;
    QLineEdit *m_missing;
    QFormLayout *m_form = nullptr;
    QLineEdit *m_state;
    QLineEdit *m_probe;
    QLineEdit *m_station;
    QLineEdit *m_born;
    QLineEdit *m_time;
    QLineEdit *m_counts;
    DetailsRelations *m_relations;
};

}  // namespace ct
