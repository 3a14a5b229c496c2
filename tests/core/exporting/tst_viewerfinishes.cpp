// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Finishes end runs in the order of the thread, although a batch lists them apart from events.
#include "tests/core/exporting/viewerscene.h"
#include "tests/support/qtsuite.h"

using namespace viewertest;

class TestViewerFinishes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void endARunBeforeTheNextOneBegins();
    void endNestedRunsInsideOut();
    void doNotEndRunsThatEventsEnd();
    void endRunsOfEarlierBatches();
    void endRunsOfEventsThatWereHeld();
    void keepThreadsApart();
};

namespace {

/// Coroutines "a", "b", "c" and "d" that are suspended from 10 ns on, on a thread of their own.
Batch suspended()
{
    Batch batch = begun(4);
    batch.notes.names = {{0, "a"}, {1, "b"}, {2, "c"}, {3, "d"}};
    for (CoroutineId id = 0; id < 4; ++id)
        batch.transitions.push_back(suspension(id, 0, 10, 2, 1));
    return batch;
}

Batch batchOf(std::initializer_list<Transition> transitions, std::vector<Finish> finishes)
{
    Batch batch;
    batch.transitions.assign(transitions);
    batch.notes.finishes = std::move(finishes);
    return batch;
}

QStringList runs(const std::vector<Batch> &batches, std::int32_t tid = 77)
{
    const File file = perfetto(batches);
    return textsOf(file.slices(file.thread(4242, tid)));
}

}  // namespace

void TestViewerFinishes::endARunBeforeTheNextOneBegins()
{
    const Batch batch = batchOf(
        {resumption(0, 1, 20), resumption(1, 1, 30), resumption(2, 1, 40), suspension(2, 2, 45)}, {{0, 30}, {1, 40}});
    QCOMPARE(runs({suspended(), batch}), listOf({"a 20-30 end=finished", "b 30-40 end=finished", "c 40-45"}));
}

void TestViewerFinishes::endNestedRunsInsideOut()
{
    const Batch batch = batchOf({resumption(0, 1, 20), resumption(1, 1, 20), resumption(2, 1, 21), suspension(2, 2, 30),
                                 resumption(3, 1, 30), suspension(3, 2, 31)},
                                {{0, 30}, {1, 30}});
    QCOMPARE(runs({suspended(), batch}),
             listOf({"a 20-30 end=finished", ">b 20-30 end=finished", ">>c 21-30", "d 30-31"}));
}

void TestViewerFinishes::doNotEndRunsThatEventsEnd()
{
    const Batch batch = batchOf(
        {resumption(0, 1, 20), resumption(1, 1, 30), suspension(1, 2, 40), suspension(0, 2, 40), resumption(0, 3, 40)},
        {{0, 40}, {1, 40}});
    QCOMPARE(runs({suspended(), batch}), listOf({"a 20-40", ">b 30-40", "a 40-40 end=finished"}));
}

void TestViewerFinishes::endRunsOfEarlierBatches()
{
    const Batch earlier = batchOf({resumption(0, 1, 20), resumption(1, 1, 20), resumption(2, 1, 21)}, {});
    // The finishes come in the order of the thread.
    const Batch batch = batchOf({suspension(2, 2, 30), resumption(3, 1, 30), suspension(3, 2, 31)}, {{1, 30}, {0, 30}});
    QCOMPARE(runs({suspended(), earlier, batch}),
             listOf({"a 20-30 end=finished", ">b 20-30 end=finished", ">>c 21-30", "d 30-31"}));
}

/// Events wait until the function of their coroutine is known. Most coroutines that never suspend do so to their end.
void TestViewerFinishes::endRunsOfEventsThatWereHeld()
{
    Batch first = begun(4);
    first.transitions = {resumption(0, 0, 20), resumption(1, 0, 30)};
    first.notes.finishes = {{0, 30}};
    const Batch second = batchOf({resumption(2, 0, 40), suspension(2, 1, 45)}, {{1, 40}});
    QCOMPARE(runs({first, second}), listOf({"unknown function 20-30 end=finished",
                                            "unknown function 30-40 end=finished", "serve(int) 40-45"}));
}

void TestViewerFinishes::keepThreadsApart()
{
    const Batch batch =
        batchOf({resumption(0, 1, 20), resumption(1, 1, 30, 78), suspension(1, 2, 35, 2, 78)}, {{0, 40}});
    QCOMPARE(runs({suspended(), batch}), listOf({"a 20-40 end=finished"}));
    QCOMPARE(runs({suspended(), batch}, 78), listOf({"b 30-35"}));
}

CT_QT_SUITE(TestViewerFinishes)
#include "tst_viewerfinishes.moc"
