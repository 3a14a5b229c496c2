// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Helpers for the tests of the timeline view: a trace of waiting coroutines, and a view with simulated input.
#pragma once

#include "tests/models/timelinetrace.h"
#include "tests/support/qtsuite.h"
#include "ui/timeline/timelinescene.h"
#include "ui/timeline/timelineview.h"

#include <QApplication>
#include <QScrollBar>
#include <QWheelEvent>

#include <memory>
#include <numeric>

namespace ct::test {

inline constexpr std::uint64_t kMs = 1'000'000;
inline constexpr std::uint64_t kSecond = 1'000 * kMs;
inline constexpr std::uint64_t kBase = 5'000 * kSecond;
inline constexpr int kPlotLeft = 250;  ///< pixels, in a view 1000 pixels wide

inline std::vector<CoroutineId> allRows(const TimelineTrace &trace)
{
    std::vector<CoroutineId> rows(trace.population.size());
    std::iota(rows.begin(), rows.end(), 0U);
    return rows;
}

/// Adds `count` coroutines that wait since kBase + 1 s. The present time is kBase + 10 s.
inline void fillWaiting(TimelineTrace &trace, int count)
{
    const SiteId site = trace.site("Task<void> net::waiter(int)", "src/wait<er>.cpp", 42);
    for (int i = 0; i < count; ++i) {
        const CoroutineId id = trace.born(kBase);
        trace.resume(id, kBase, 77);
        trace.suspend(id, kBase + kSecond, site);
    }
    trace.pass(kBase + 10 * kSecond);
}

/// A view 1000 pixels wide (without its scroll bar), with simulated user input.
class ViewUnderTest {
public:
    ViewUnderTest() { view.resize(1000 + view.verticalScrollBar()->sizeHint().width(), 400); }

    TimelineView view;

    /// Shows all rows of a trace.
    void show(TimelineTrace &trace)
    {
        view.setTrace(&trace.population, &trace.history);
        view.setRows(allRows(trace));
        view.show();
    }
    /// Returns a picture with all marks, or a null image if they are not complete after 5 s.
    QImage picture()
    {
        return QTest::qWaitFor([this] { return view.isComplete(); }, ct::test::kPatienceMs) ? view.grab().toImage()
                                                                                            : QImage();
    }
    void wheel(QPoint position, QPoint delta, Qt::KeyboardModifiers modifiers)
    {
        QWheelEvent event(position, view.viewport()->mapToGlobal(position), {}, delta, Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(view.viewport(), &event);
    }
    QPoint center(int row, int x) const
    {
        return {x, TimelineScene::kAxisHeight + row * TimelineScene::kRowHeight + TimelineScene::kRowHeight / 2 -
                       view.verticalScrollBar()->value()};
    }
};

}  // namespace ct::test
