// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Locations of addresses in JSONL and CSV.
#include "core/recording/text/jsonlreader.h"
#include "tests/core/exporting/exportsupport.h"
#include "tests/support/qtsuite.h"

#include <map>

using namespace exporttest;

namespace {

constexpr std::uint64_t kFrame = 0x5555'0000'1000;
constexpr std::uint64_t kCode = 0x401234;

ExportResolver::Answer answer(SourceFrame frame)
{
    return std::make_shared<const DescribedAddress>(DescribedAddress{{std::move(frame)}, "/bin/server", {}, {}});
}

/// Knows the locations of frames, as a run or a recording does, and one code address.
class Resolver final : public ExportResolver {
public:
    void add(const FrameLocation &row)
    {
        Known &known = m_frames[row.coroutine];
        known.function = answer({row.function, {}, 0, 0, false});
        if (row.since != 0) {
            known.since = row.since;
            known.line = answer({row.function, row.file, row.line, row.column, false});
        }
    }
    Answer known(const EventAddress &address) override
    {
        ++m_questions;
        if (address.addr == kCode)
            return m_code;
        const auto found = m_frames.find(address.coroutine);
        if (found == m_frames.end())
            return nullptr;
        return found->second.line && found->second.since == address.since ? found->second.line : found->second.function;
    }
    void resolve(const std::vector<EventAddress> &) override {}
    std::uint64_t lineSince(const EventAddress &address) override
    {
        const auto found = m_frames.find(address.coroutine);
        return address.addr == kCode || found == m_frames.end() ? 0 : found->second.since;
    }
    std::uint64_t questions() const { return m_questions; }

private:
    struct Known {
        Answer function;
        Answer line;
        std::uint64_t since = 0;
    };
    std::map<CoroutineId, Known> m_frames;
    Answer m_code = answer({"task code()", "code.cpp", 7, 3, false});
    std::uint64_t m_questions = 0;
};

/// Coroutine 0 suspends at its frame, coroutine 1 at an address of code, coroutine 2 at a site, 3 at an unknown frame.
Batch suspensions()
{
    Batch batch;
    batch.sites.push_back({1, 88, 5, "site.cpp", "task site()"});
    for (CoroutineId id = 0; id < 4; ++id)
        batch.births.push_back(birth(id, 100 + id));
    for (std::uint64_t n = 0; n < 4; ++n) {
        for (CoroutineId id = 0; id < 4; ++id) {
            Transition event = transition(id, n, 5000 + 10 * n + id, n % 2 == 1, id == 2 ? 1 : kUnknownSite);
            event.addr = n % 2 == 1 ? 0 : id == 1 ? kCode : kFrame + id;
            batch.transitions.push_back(event);
        }
    }
    batch.now = 6000;
    return batch;
}

std::shared_ptr<Resolver> knowingResolver()
{
    auto resolver = std::make_shared<Resolver>();
    resolver->add({0, kFrame, 5020, 0, 42, 9, "fr\"ame.cpp", "task frame(\xC3\xA4)"});
    return resolver;
}

QByteArray written(const char *kind, const QString &path, const Batch &batch, std::shared_ptr<ExportResolver> resolver)
{
    ExportContext context;
    context.resolver = std::move(resolver);
    const auto sink = format(kind).makeSink(path.toStdString(), context);
    if (!sink || !(*sink)->consume(batch) || !(*sink)->finish({}))
        return {};
    return contentOf(path);
}

}  // namespace

class TestExportLocations : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void jsonlHasKnownLocations();
    void jsonlSurvivesReadingAndWriting();
    void csvHasKnownLocations();
    void asksTheResolverRarely();
};

void TestExportLocations::jsonlHasKnownLocations()
{
    const QTemporaryDir dir;
    const QByteArrayList lines =
        written("jsonl", dir.filePath(QStringLiteral("t.jsonl")), suspensions(), knowingResolver()).split('\n');
    QCOMPARE(lines.size(), 17);
    const auto has = [&](int line, const char *text) { return lines[line].contains(text); };
    // The function is known for both suspensions, the line only for the second one.
    QVERIFY(has(0, R"x("coroutine":0,"function":"task frame(ä)","resolved":true)x"));
    QVERIFY(!has(0, "line"));
    QVERIFY(has(
        8, R"x("coroutine":0,"file":"fr\"ame.cpp","line":42,"function":"task frame(ä)","column":9,"resolved":true)x"));
    QVERIFY(
        has(1, R"x("coroutine":1,"file":"code.cpp","line":7,"function":"task code()","column":3,"resolved":true)x"));
    QVERIFY(has(2, R"x("file":"site.cpp","line":88)x"));
    QVERIFY(!has(2, "resolved"));
    QVERIFY(!has(3, "function"));
    for (int line = 4; line < 8; ++line)
        QVERIFY2(!has(line, "function"), lines[line].constData());  // resumptions
}

/// The reader does not treat a resolved location as a site, and a second writer writes it again.
void TestExportLocations::jsonlSurvivesReadingAndWriting()
{
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("t.jsonl"));
    const QByteArray first = written("jsonl", path, suspensions(), knowingResolver());
    const auto reader = JsonlReader::open(path.toStdString());
    QVERIFY(bool(reader));
    const auto resolver = std::make_shared<Resolver>();
    Batch batch;
    QVERIFY(*(*reader)->next(batch));
    FileFacts facts;
    QVERIFY((*reader)->takeFacts(facts));
    QVERIFY(!(*reader)->takeFacts(facts) || facts.frames.empty());
    QCOMPARE(batch.sites.size(), std::size_t(1));
    QCOMPARE(batch.transitions[0].site, kUnknownSite);
    QCOMPARE(batch.transitions.size(), std::size_t(16));
    const auto again = JsonlReader::open(path.toStdString());
    QVERIFY(*(*again)->next(batch));
    QVERIFY((*again)->takeFacts(facts));
    for (const FrameLocation &row : facts.frames)
        resolver->add(row);
    QCOMPARE(written("jsonl", dir.filePath(QStringLiteral("again.jsonl")), batch, resolver), first);
}

void TestExportLocations::csvHasKnownLocations()
{
    const QTemporaryDir dir;
    const QByteArrayList rows =
        written("csv", dir.filePath(QStringLiteral("t.csv")), suspensions(), knowingResolver()).split('\n');
    QCOMPARE(rows.size(), 18);
    QVERIFY(rows[1].contains(",await,,,task frame("));
    QVERIFY(rows[9].contains(",await,\"fr\"\"ame.cpp\",42,task frame("));
    QVERIFY(rows[2].contains(",await,code.cpp,7,task code(),"));
    QVERIFY(rows[4].contains(",await,,,,,"));
}

void TestExportLocations::asksTheResolverRarely()
{
    const QTemporaryDir dir;
    Batch batch;
    batch.births.push_back(birth(0, 100));
    for (std::uint64_t n = 0; n < 1000; ++n) {
        batch.transitions.push_back(transition(0, n, 5'000'000'000 + n * 1000, false));
        batch.transitions.back().addr = kFrame;
    }
    const auto resolver = knowingResolver();
    QVERIFY(!written("jsonl", dir.filePath(QStringLiteral("t.jsonl")), batch, resolver).isEmpty());
    QVERIFY(resolver->questions() <= 2);
    // A later suspension is asked about again.
    batch.births.clear();
    batch.transitions = {transition(0, 1000, 9'000'000'000, false)};
    batch.transitions.back().addr = kFrame;
    const auto before = resolver->questions();
    QVERIFY(!written("jsonl", dir.filePath(QStringLiteral("u.jsonl")), batch, resolver).isEmpty());
    QVERIFY(resolver->questions() > before);
}

CT_QT_SUITE(TestExportLocations)
#include "tst_exportlocations.moc"
