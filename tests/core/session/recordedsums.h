// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compares each sink's numbers of the coroutines of a run with the sums in its summary.
#pragma once

#include "core/recording/library/openrecording.h"
#include "tests/core/exporting/database.h"
#include "tests/core/session/recordings.h"

#include <map>
#include <vector>

namespace recordings {

/// The events and losses of each coroutine in a .ctr file, from its stream.
struct RecordedSums {
    struct One {
        std::vector<quint64> numbers;  ///< numbers of the events, in stream order
        quint64 lost = 0;
        quint64 missed = 0;
        quint64 sum() const { return numbers.size() + lost + missed; }
    };
    std::map<ct::CoroutineId, One> coroutines;
    ct::Accounting sums;
    bool read = false;
};

inline RecordedSums readSums(const QString &path)
{
    RecordedSums recorded;
    const auto source = ct::openRecording(path.toStdString());
    if (!source)
        return recorded;
    ct::Batch batch;
    while (true) {
        const ct::Result<bool> more = (*source)->next(batch);
        if (!more)
            return recorded;
        for (const ct::Birth &birth : batch.births)
            recorded.coroutines[birth.coroutine];
        for (const ct::Loss &loss : batch.losses) {
            RecordedSums::One &one = recorded.coroutines[loss.coroutine];
            (loss.beforeAttach ? one.missed : one.lost) += loss.count;
        }
        for (const ct::Transition &event : batch.transitions)
            recorded.coroutines[event.coroutine].numbers.push_back(event.n);
        if (!*more)
            break;
    }
    recorded.sums = (*source)->accounting();
    recorded.read = true;
    return recorded;
}

/// Compares the recording `ctr` and the database `sqlite` of a run with its summary. Each path may be empty. The sums
/// of all coroutines, plus those without a coroutine, must equal the file's sums and the summary's.
inline void compareSums(const QJsonObject &summary, const QString &ctr, const QString &sqlite)
{
    const qint64 lostWithout = runner::integer(summary, "lost_without_coroutine");
    const qint64 missedWithout = runner::integer(summary, "missed_without_coroutine");
    if (!ctr.isEmpty()) {
        const RecordedSums recorded = readSums(ctr);
        QVERIFY(recorded.read);
        quint64 captured = 0, lost = 0, missed = 0;
        for (const auto &[id, one] : recorded.coroutines) {
            captured += one.numbers.size();
            lost += one.lost;
            missed += one.missed;
        }
        QCOMPARE(qint64(captured), runner::integer(summary, "events"));
        QCOMPARE(qint64(lost) + lostWithout, runner::integer(summary, "lost_events"));
        QCOMPARE(qint64(missed) + missedWithout, runner::integer(summary, "missed_before_attach"));
        QCOMPARE(qint64(recorded.coroutines.size()), runner::integer(summary, "coroutines"));
        QCOMPARE(recorded.sums.captured, captured);
        QCOMPARE(qint64(recorded.sums.lost), runner::integer(summary, "lost_events"));
        QCOMPARE(qint64(recorded.sums.missedBeforeAttach), runner::integer(summary, "missed_before_attach"));
        QCOMPARE(qint64(recorded.sums.lostWithoutCoroutine), lostWithout);
        QCOMPARE(qint64(recorded.sums.missedWithoutCoroutine), missedWithout);
    }
    if (sqlite.isEmpty())
        return;
    const exporttest::Database database(sqlite);
    const auto number = [&database](const char *sql) { return database.rows(sql).value(0).toLongLong(); };
    QCOMPARE(number("SELECT count(*) FROM coro_trace_events"), runner::integer(summary, "events"));
    QCOMPARE(number("SELECT sum(events) FROM coroutines"), runner::integer(summary, "events"));
    QCOMPARE(number("SELECT sum(lost) FROM coroutines") + lostWithout, runner::integer(summary, "lost_events"));
    QCOMPARE(number("SELECT sum(missed_before_attach) FROM coroutines") + missedWithout,
             runner::integer(summary, "missed_before_attach"));
    for (const char *const sum : {"events", "lost_events", "missed_before_attach", "coroutines", "coroutines_missed",
                                  "lost_without_coroutine", "missed_without_coroutine"}) {
        const QByteArray sql = QByteArray("SELECT value FROM trace_info WHERE name = '") + sum + "'";
        QCOMPARE(number(sql.constData()), runner::integer(summary, sum));
    }
}

}  // namespace recordings
