// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The chart of a query's result: its columns, points and axes, in large and small docks.
#include "tests/support/qtsuite.h"
#include "tests/ui/docks/querysupport.h"
#include "ui/format/theme.h"
#include "ui/widgets/querychart.h"

#include <QChart>
#include <QChartView>
#include <QComboBox>
#include <QLabel>
#include <QValueAxis>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

using namespace ct;
using gui::Query;

namespace {

const QValueAxis *axisOf(const QWidget &parent, Qt::Orientation orientation)
{
    const auto axes = parent.findChild<QChartView *>()->chart()->axes(orientation);
    return static_cast<const QValueAxis *>(axes.constFirst());
}

/// The labels of an axis, as Qt Charts makes them.
std::vector<std::string> labelsOf(const QValueAxis &axis)
{
    std::vector<std::string> labels;
    for (double at = std::ceil(axis.min() / axis.tickInterval()) * axis.tickInterval(); at <= axis.max();
         at += axis.tickInterval())
        labels.push_back(QString::asprintf(axis.labelFormat().toLatin1().constData(), at).toStdString());
    return labels;
}

std::shared_ptr<const QueryRows> twoColumns(std::vector<QueryValue> values)
{
    QueryRows rows;
    rows.columns = {"x", "y"};
    rows.values = std::move(values);
    return std::make_shared<const QueryRows>(std::move(rows));
}

}  // namespace

class TestQueryChart : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { applyTheme(Theme::Light); }

    void theChartShowsTwoColumns()
    {
        Query query;
        query.coroutines(200);
        QVERIFY(query.run("SELECT coroutine, name, max(ts) AS latest_ts, avg(ts % 100000) FROM coro_trace GROUP BY 1"));
        query.tabs->setCurrentIndex(1);
        auto *x = query.dock.findChild<QComboBox *>(QStringLiteral("queryChartX"));
        auto *y = query.dock.findChild<QComboBox *>(QStringLiteral("queryChartY"));
        QCOMPARE(x->count(), 3);  // not the names
        QCOMPARE(y->currentText(), QStringLiteral("latest_ts"));
        const auto axes = query.dock.findChild<QChartView *>()->chart()->axes(Qt::Vertical);
        QCOMPARE(axes.constFirst()->titleText(), QStringLiteral("latest_ts, in ms"));
        QCOMPARE(query.dock.findChild<QLabel *>(QStringLiteral("queryChartNote"))->text(),
                 QStringLiteral("latest_ts, in ms. Times count from the earliest one."));
        QVERIFY(static_cast<QValueAxis *>(axes.constFirst())->max() < 2000);
        gui::takePicture(&query.dock, "query-chart");
        applyTheme(Theme::Dark);
        gui::takePicture(&query.dock, "query-chart-dark");
        query.tabs->setCurrentIndex(0);
        gui::takePicture(&query.dock, "query-rows-dark");
        applyTheme(Theme::Light);
    }

    void limitsThePointsOfAChart()
    {
        QueryRows rows;
        rows.columns = {"x", "y"};
        for (std::int64_t i = 0; i < 100'000; ++i) {
            rows.values.emplace_back(i);
            rows.values.emplace_back(i == 54'321 ? 9.0 : 1.0);
        }
        const QList<QPointF> points = decimatedPoints(chartPoints(rows, 0, 1), QueryChart::kMostPoints);
        QVERIFY(points.size() <= qsizetype(QueryChart::kMostPoints) && points.size() > 5000);
        QVERIFY(points.contains(QPointF(54'321, 9)));  // a peak stays
        QVERIFY(std::is_sorted(points.begin(), points.end(),
                               [](const QPointF &one, const QPointF &other) { return one.x() < other.x(); }));
    }

    void oneColumnOfNumbersMakesNoChart()
    {
        Query query;
        query.coroutines(3);
        QVERIFY(query.run("SELECT coroutine, 'x' FROM coroutines"));
        query.tabs->setCurrentIndex(1);
        QVERIFY(!query.dock.findChild<QChartView *>()->isVisible());
        QCOMPARE(query.dock.findChild<QLabel *>(QStringLiteral("queryChartNote"))->text(),
                 QStringLiteral("A chart needs rows with two columns of numbers."));
    }

    void labelsDiffer_data()
    {
        QTest::addColumn<double>("lowest");
        QTest::addColumn<double>("highest");
        QTest::newRow("constant") << 6922.0 << 6922.0;
        QTest::newRow("constant and large") << 28158919374.0 << 28158919374.0;
        QTest::newRow("large and close") << 28158919374.0 << 28158919380.0;
        QTest::newRow("zero") << 0.0 << 0.0;
        QTest::newRow("small") << 0.001 << 0.002;
        QTest::newRow("tiny") << 0.0 << 1e-310;
        QTest::newRow("rounding noise") << 0.3 << 0.1 + 0.2;
        QTest::newRow("neighbours of a large number") << 1e18 << 1e18 + 128;
        QTest::newRow("almost the whole range") << -1e300 << 1e300;
    }

    void labelsDiffer()
    {
        QFETCH(double, lowest);
        QFETCH(double, highest);
        QueryChart chart;
        chart.resize(760, 400);
        chart.setRows(twoColumns({lowest, lowest, highest, highest}));
        chart.show();
        for (const Qt::Orientation orientation : {Qt::Horizontal, Qt::Vertical}) {
            const std::vector<std::string> labels = labelsOf(*axisOf(chart, orientation));
            QVERIFY(labels.size() >= 2);
            QCOMPARE(std::set(labels.begin(), labels.end()).size(), labels.size());
        }
    }

    void saysWhichRowsItLeavesOut()
    {
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        const auto rows = twoColumns({1.0, 1.0, 2.0, kInfinity, -kInfinity, 3.0, {}, 3.0, 4.0, 4.0});
        QCOMPARE(chartPoints(*rows, 0, 1), (QList<QPointF>{{1, 1}, {4, 4}}));
        QueryChart chart;
        chart.setRows(rows);
        const auto *note = chart.findChild<QLabel *>(QStringLiteral("queryChartNote"));
        QCOMPARE(note->text(), QStringLiteral("Rows left out because they lack a number: 3."));
        // Few points of many rows are all drawn.
        std::vector<QueryValue> values(4 * QueryChart::kMostPoints);
        values[0] = values[1] = 1.0;
        chart.setRows(twoColumns(values));
        QCOMPARE(note->text(), QStringLiteral("Rows left out because they lack a number: 19\u202F999."));
        chart.setRows(twoColumns({1.0, 1.0}));
        QCOMPARE(note->text(), QString());
    }

    /// The size in the default layout of the window.
    void aSmallDockLeavesRoomForTheChart()
    {
        Query query;
        query.coroutines(200);
        query.dock.resize(900, 250);
        QVERIFY(query.run("SELECT coroutine, max(ts) AS latest_ts FROM coro_trace GROUP BY 1"));
        query.tabs->setCurrentIndex(1);
        const auto *view = query.dock.findChild<QChartView *>();
        QTRY_VERIFY(view->isVisible() && view->chart()->size().height() < 180);
        QVERIFY(!axisOf(query.dock, Qt::Vertical)->isTitleVisible());
        gui::takePicture(&query.dock, "query-chart-small");
        query.dock.resize(900, 900);
        QTRY_VERIFY(axisOf(query.dock, Qt::Vertical)->isTitleVisible());
        gui::takePicture(&query.dock, "query-chart-large");
    }

private:
    const gui::Sandbox m_sandbox;
};

CT_QT_SUITE(TestQueryChart)
#include "tst_querychart.moc"
