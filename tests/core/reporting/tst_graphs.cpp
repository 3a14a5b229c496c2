// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reporting/dotgraph.h"
#include "core/reporting/graphlabels.h"
#include "core/reporting/svggraph.h"
#include "core/reporting/xmltext.h"
#include "tests/support/qtsuite.h"

#include <QProcess>
#include <QStandardPaths>
#include <QXmlStreamReader>

#include <cmath>

using namespace ct;

namespace {

const std::string kHostile = "\"];\n}\\N \\\" <b>&lt;&amp; ]]> \x1b[31m \xE2\x80\xAE \xFF \xEF\xBF\xBF";

/// A coroutine with a hostile name and site that waits for the lock that another one holds, and one of a deadlock.
struct Scene {
    Population population;
    WaitGraph graph;
    GraphLabels labels;

    Scene()
    {
        Batch batch;
        batch.sites = {{1, 88, 1, "/src/" + kHostile + ".cpp", kHostile}};
        for (CoroutineId id = 0; id < 3; ++id) {
            Birth birth;
            birth.coroutine = id;
            birth.pid = 7;
            birth.dialect = Dialect::Lane;
            batch.births.push_back(birth);
            batch.transitions.push_back({100, 0, 0, 0, id, 6, id == 0 ? 1U : 0U, PointKind::Await, false});
        }
        batch.notes.names = {{0, kHostile}};
        batch.notes.waits = {
            {0, 0, WaitKind::Lock, 0x77}, {1, 0, WaitKind::Coroutine, 0, 2}, {2, 0, WaitKind::Coroutine, 0, 1}};
        batch.notes.uses = {{1, 1, UseKind::Acquired, 0x77, 0, 90, 7, 6}};
        batch.now = 5'000'000'000;
        static_cast<void>(population.consume(batch));
        graph = waitGraphOf(population, nullptr);
        labels = graphLabels(graph, population, nullptr, population.now());
    }
    std::string svg() const
    {
        return svgText(graph, labels, layeredLayout(boxSizes(labels), linksOf(graph)), kHostile);
    }
};

std::vector<GraphSize> boxes(std::size_t count)
{
    return std::vector<GraphSize>(count, {100, 40});
}

bool overlap(const GraphBox &a, const GraphBox &b)
{
    return std::abs(a.centre.x - b.centre.x) < (a.size.width + b.size.width) / 2 &&
           std::abs(a.centre.y - b.centre.y) < (a.size.height + b.size.height) / 2;
}

bool anyOverlap(const GraphLayout &layout)
{
    for (std::size_t i = 0; i < layout.boxes.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (overlap(layout.boxes[i], layout.boxes[j]))
                return true;
    return false;
}

bool isInside(const GraphLayout &layout)
{
    for (const GraphBox &box : layout.boxes) {
        const bool fits = box.centre.x - box.size.width / 2 >= -0.5 && box.centre.y - box.size.height / 2 >= -0.5 &&
                          box.centre.x + box.size.width / 2 <= layout.size.width + 0.5 &&
                          box.centre.y + box.size.height / 2 <= layout.size.height + 0.5;
        if (!fits)
            return false;
    }
    return true;
}

/// Runs dot. Returns its output; sets `status` to its exit status.
QByteArray dot(const QStringList &arguments, const std::string &input, int &status)
{
    QProcess process;
    process.start(QStringLiteral("dot"), arguments);
    process.write(input.data(), static_cast<qint64>(input.size()));
    process.closeWriteChannel();
    process.waitForFinished(test::kPatienceMs);
    status = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    return process.readAllStandardOutput();
}

bool hasDot()
{
    return !QStandardPaths::findExecutable(QStringLiteral("dot")).isEmpty();
}

}  // namespace

class GraphsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void labelsNameNodesAndMarks()
    {
        const Scene scene;
        QCOMPARE(scene.labels.size(), std::size_t{4});
        QVERIFY(QString::fromStdString(scene.labels[0][0]).endsWith(QLatin1String("#0")));
        QCOMPARE(scene.labels[1], std::vector<std::string>{"lock 0x77"});
        QCOMPARE(scene.labels[2], (std::vector<std::string>{"coroutine #1", "in a cycle"}));
        QCOMPARE(graphSummary(scene.graph), std::string("3 coroutines, 1 cycle"));
        for (const std::vector<std::string> &lines : scene.labels)
            for (const std::string &line : lines) {
                const QString text = QString::fromStdString(line);
                QVERIFY(text.size() <= 41);
                QVERIFY(!text.contains(u'\n') && !text.contains(u'\x1b'));
            }
    }

    void groupsAreCounted()
    {
        WaitGraph graph;
        graph.nodes.resize(3);
        graph.nodes[0].count = 1204;
        graph.nodes[0].coroutine = 0;
        graph.nodes[1].kind = WaitNodeKind::Timer;
        graph.nodes[1].object = 3'000'000'000;
        graph.nodes[2].kind = WaitNodeKind::Descriptor;
        graph.nodes[2].count = 3;
        graph.isBySite = true;
        graph.coroutines = 1204;
        graph.others = 1;
        const Scene scene;
        const GraphLabels labels = graphLabels(graph, scene.population, nullptr, 2'000'000'000);
        QCOMPARE(labels[0][0], std::string("1204 coroutines"));
        QCOMPARE(labels[1][0], std::string("timer, in 1.00 s"));
        QCOMPARE(labels[2][0], std::string("3 descriptors"));
        QCOMPARE(graphSummary(graph), std::string("1204 coroutines; grouped by site; 1 further coroutine neither "
                                                  "reports a wait nor is waited for"));
    }

    void edgesLeadDownwards()
    {
        const GraphLayout layout = layeredLayout(boxes(5), {{0, 1}, {1, 2}, {0, 2}, {3, 2}});
        QCOMPARE(layout.boxes.size(), std::size_t{5});
        QCOMPARE(layout.curves.size(), std::size_t{4});
        QVERIFY(layout.boxes[0].centre.y < layout.boxes[1].centre.y);
        QVERIFY(layout.boxes[1].centre.y < layout.boxes[2].centre.y);
        QVERIFY(layout.boxes[3].centre.y < layout.boxes[2].centre.y);
        QVERIFY(!anyOverlap(layout) && isInside(layout));
        const GraphCurve &curve = layout.curves[0];
        QCOMPARE(curve.size(), std::size_t{4});
        QCOMPARE(curve.front().y, layout.boxes[0].centre.y + 20);
        QCOMPARE(curve.back().y, layout.boxes[1].centre.y - 20);
    }

    void cyclesAndLoopsHaveALayout()
    {
        const GraphLayout layout = layeredLayout(boxes(3), {{0, 1}, {1, 2}, {2, 0}, {1, 1}});
        QVERIFY(!anyOverlap(layout) && isInside(layout));
        for (const GraphCurve &curve : layout.curves)
            QVERIFY(curve.size() == 4 && curve.front().x <= curve[1].x);
        QVERIFY(layeredLayout({}, {}).boxes.empty());
    }

    void longLayersAreWrapped()
    {
        std::vector<GraphLink> links;
        for (std::uint32_t i = 1; i < 500; ++i)
            links.push_back({i, 0});
        const GraphLayout layout = layeredLayout(boxes(500), links);
        QVERIFY(layout.size.width < 125 * kMostInLayer);
        QVERIFY(!anyOverlap(layout) && isInside(layout));
    }

    void partsAreNextToOneAnother()
    {
        std::vector<GraphLink> links;
        for (std::uint32_t i = 0; i < 600; i += 2)
            links.push_back({i, i + 1});
        const GraphLayout layout = layeredLayout(boxes(600), links);
        QVERIFY(!anyOverlap(layout) && isInside(layout));
        QVERIFY(layout.size.width / layout.size.height < 3);
        QVERIFY(layout.size.height / layout.size.width < 3);
    }

    void svgIsWellFormedWhateverTheNamesAre()
    {
        const Scene scene;
        QXmlStreamReader xml(QString::fromStdString(scene.svg()));
        QString text;
        int boxes = 0;
        int curves = 0;
        while (!xml.atEnd()) {
            if (xml.readNext() == QXmlStreamReader::Characters)
                text += xml.text();
            boxes += xml.isStartElement() && xml.name() == QLatin1String("g") ? 1 : 0;
            curves += xml.isStartElement() && xml.attributes().hasAttribute(QLatin1String("marker-end")) ? 1 : 0;
            QVERIFY(!xml.isStartElement() || xml.name() != QLatin1String("b"));
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QCOMPARE(boxes, 1 + static_cast<int>(scene.graph.nodes.size()));
        QCOMPARE(curves, static_cast<int>(scene.graph.edges.size()));
        QVERIFY(text.contains(QLatin1String("in a cycle")));
        QVERIFY(text.contains(QLatin1String("<b>&lt;&amp;")));
        QVERIFY(QString::fromStdString(scene.svg()).contains(QLatin1String("stroke=\"#d0202e\"")));
    }

    void xmlHasNoForbiddenCharacters()
    {
        QCOMPARE(xmlText("a<b>&\"\xEF\xBF\xBE\x01"), std::string("a&lt;b&gt;&amp;&quot;\xEF\xBF\xBD\\u0001"));
    }

    void dotReadsHostileNames()
    {
        if (!hasDot())
            CT_QSKIP("dot is not installed");
        const Scene scene;
        int status = -1;
        const QByteArray svg = dot({QStringLiteral("-Tsvg")}, dotText(scene.graph, scene.labels), status);
        QCOMPARE(status, 0);
        QXmlStreamReader xml(svg);
        QStringList texts;
        int nodes = 0;
        while (!xml.atEnd()) {
            xml.readNext();
            if (xml.isStartElement() && xml.name() == QLatin1String("text"))
                texts << xml.readElementText();
            else if (xml.isStartElement())
                nodes += xml.attributes().value(QLatin1String("class")) == QLatin1String("node") ? 1 : 0;
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QCOMPARE(nodes, static_cast<int>(scene.graph.nodes.size()));
        for (QString &text : texts)
            text.replace(QChar(0xA0), u' ');
        QVERIFY2(texts.contains(QString::fromStdString(scene.labels[0][0])), qPrintable(texts.join(u'\n')));
    }

    void dotLaysOutABox()
    {
        if (!hasDot())
            CT_QSKIP("dot is not installed");
        std::vector<GraphLink> links{{0, 1}, {1, 2}, {2, 0}, {0, 1}, {3, 3}};
        int status = -1;
        QByteArray plain = dot({QStringLiteral("-Tplain")}, dotInput(boxes(4), links), status);
        QCOMPARE(status, 0);
        const std::optional<GraphLayout> layout = layoutFromDot(plain.toStdString(), boxes(4), links);
        QVERIFY(layout);
        QVERIFY(isInside(*layout));
        QVERIFY(layout->boxes[0].centre.y < layout->boxes[1].centre.y);
        for (const GraphCurve &curve : layout->curves)
            QVERIFY(curve.size() >= 4);
        for (std::uint32_t i = 4; i < 204; ++i)
            links.push_back({i, 2});
        plain = dot({QStringLiteral("-Tplain")}, dotInput(boxes(204), links), status);
        QCOMPARE(status, 0);
        QVERIFY(!layoutFromDot(plain.toStdString(), boxes(204), links));  // one line of 200 boxes
    }

    void incompleteLayoutsAreRefused()
    {
        const std::string good = "graph 1 2 3\nnode n0 0.5 2.5 1 0.5 \"\" solid box black lightgrey\n"
                                 "node n1 0.5 0.5 1 0.5 \"\" solid box black lightgrey\n"
                                 "edge n0 n1 4 0.5 2 0.5 1.7 0.5 1.2 0.5 0.7 \\\nsolid black\nstop\n";
        const std::vector<GraphLink> links{{0, 1}};
        const std::optional<GraphLayout> layout = layoutFromDot(good, boxes(2), links);
        QVERIFY(layout);
        QCOMPARE(layout->size.height, 216.0);
        QCOMPARE(layout->boxes[0].centre.y, 36.0);
        QCOMPARE(layout->curves[0].back().y, (3 - 0.7) * 72);
        QVERIFY(!layoutFromDot(good, boxes(3), links));
        QVERIFY(!layoutFromDot(good, boxes(1), {}));
        QVERIFY(!layoutFromDot(good, boxes(2), {{1, 0}}));
        QVERIFY(!layoutFromDot(good.substr(0, good.size() - 5), boxes(2), links));
        QVERIFY(!layoutFromDot("", boxes(2), links));
        for (std::size_t i = 0; i < good.size(); ++i) {
            std::string damaged = good;
            damaged[i] = 'x';
            static_cast<void>(layoutFromDot(damaged, boxes(2), links));
        }
        QVERIFY(!layoutFromDot("graph 1 2 3\nedge n0 n1 1e9 0 0\nstop\n", boxes(2), links));
    }
};

CT_QT_SUITE(GraphsTest)
#include "tst_graphs.moc"
