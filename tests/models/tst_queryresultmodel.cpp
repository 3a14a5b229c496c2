// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/queryresultmodel.h"
#include "tests/support/qtsuite.h"

#include <QAbstractItemModelTester>

#include <memory>

using namespace ct;

namespace {

std::shared_ptr<const QueryRows> sampleRows()
{
    QueryRows rows;
    rows.columns = {"coroutine", "value", "parent"};
    rows.values = {std::int64_t{3},       std::string("10"),
                   std::monostate(),  // a text
                   std::int64_t{1},       std::int64_t{9},
                   std::int64_t{3},  // a number
                   std::int64_t{2},       9.5,
                   std::int64_t{-1},  // a real number
                   std::int64_t{4},       std::monostate(),
                   std::int64_t{1} << 40,  // NULL
                   std::int64_t{5},       std::int64_t{10},
                   std::string("x")};
    return std::make_shared<const QueryRows>(std::move(rows));
}

QString columnOf(const QueryResultModel &model, int column)
{
    QStringList texts;
    for (int row = 0; row < model.rowCount(); ++row)
        texts << model.index(row, column).data().toString();
    return texts.join(u' ');
}

}  // namespace

class TestQueryResultModel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sortsByRawValues()
    {
        QueryResultModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRows(sampleRows());
        QCOMPARE(model.columnCount(), 3);
        QCOMPARE(model.headerData(1, Qt::Horizontal).toString(), QStringLiteral("value"));
        const QPersistentModelIndex text = model.index(0, 1);
        model.sort(1);
        QCOMPARE(columnOf(model, 0), QStringLiteral("4 1 2 5 3"));
        QCOMPARE(text.row(), 4);
        model.sort(1, Qt::DescendingOrder);
        QCOMPARE(columnOf(model, 0), QStringLiteral("3 5 2 1 4"));
        model.sort(-1);
        QCOMPARE(columnOf(model, 0), QStringLiteral("3 1 2 4 5"));
        model.setRows(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void showsTheBeginningOfALongText()
    {
        QueryRows rows;
        rows.columns = {std::string(1000, 'c')};
        const std::string text = std::string(299, 'x') + "é" + std::string(500'000, 'y');
        rows.values = {text, std::string(300, 'z')};
        QueryResultModel model;
        model.setRows(std::make_shared<const QueryRows>(std::move(rows)));
        const QModelIndex index = model.index(0, 0);
        QCOMPARE(index.data().toString(), QString(299, u'x') + QStringLiteral("… (500301 bytes)"));
        QCOMPARE(index.data(QueryResultModel::SortRole).toString(), QString::fromStdString(text));
        const QString toolTip = index.data(Qt::ToolTipRole).toString();
        QVERIFY(toolTip.size() > 4000 && toolTip.size() < 6000);
        QCOMPARE(model.index(1, 0).data().toString(), QString(300, u'z'));
        QVERIFY(model.headerData(0, Qt::Horizontal).toString().size() < 130);
    }

    void showsAllDigitsOfARealNumber()
    {
        QueryRows rows;
        rows.columns = {"value"};
        rows.values = {28157.723456789, 28158919374112.5, 0.1, 2.0, 1e15, -0.00001};
        QueryResultModel model;
        model.setRows(std::make_shared<const QueryRows>(std::move(rows)));
        QCOMPARE(columnOf(model, 0), QStringLiteral("28157.723456789 28158919374112.5 0.1 2 1e+15 -1e-05"));
    }

    void knowsTheCoroutineOfACell()
    {
        QueryResultModel model;
        model.setRows(sampleRows());
        const auto id = [&](int row, int column) {
            return model.index(row, column).data(QueryResultModel::CoroutineIdRole);
        };
        QCOMPARE(id(0, 0), QVariant(3U));
        QCOMPARE(id(1, 1), QVariant(1U));  // of the row
        QCOMPARE(id(1, 2), QVariant(3U));  // of the cell
        for (const int row : {0, 2, 3, 4})
            QVERIFY(!id(row, 2).isValid());
    }
};

CT_QT_SUITE(TestQueryResultModel)
#include "tst_queryresultmodel.moc"
