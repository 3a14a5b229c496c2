// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The histogram of completed waits: its texts, wherever the marked wait is.
#include "tests/support/qtsuite.h"
#include "ui/format/colors.h"
#include "ui/format/theme.h"
#include "ui/widgets/waithistogram.h"

#include <QImage>

#include <cstdlib>

using namespace ct;

namespace {

/// The columns of the line of texts that have a colour, from the first to the last.
struct Columns {
    int first = -1;
    int last = -1;
    void add(int column)
    {
        first = first < 0 ? column : first;
        last = column;
    }
};

bool isNear(const QColor &a, const QColor &b)
{
    return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue()) < 60;
}

Columns columnsOf(const QImage &image, int height, const QColor &color)
{
    Columns columns;
    for (int x = 0; x < image.width(); ++x)
        for (int y = 0; y < height; ++y)
            if (isNear(image.pixelColor(x, y), color))
                columns.add(x);
    return columns;
}

}  // namespace

class WaitHistogramTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { applyTheme(Theme::Light); }

    void theTextsDoNotOverlap_data()
    {
        QTest::addColumn<quint64>("waitNs");
        QTest::addColumn<int>("width");
        QTest::addColumn<bool>("hasTitle");
        for (const quint64 ms : {1, 1100, 2500, 9900})
            QTest::addRow("%llu ms", ms) << ms * 1'000'000 << 470 << true;
        QTest::newRow("narrow") << quint64{2'500'000'000} << 160 << false;
    }
    void theTextsDoNotOverlap()
    {
        QFETCH(const quint64, waitNs);
        QFETCH(const int, width);
        QFETCH(const bool, hasTitle);
        WaitHistogram histogram;
        histogram.resize(width, histogram.sizeHint().height());
        histogram.show({}, waitNs);
        const QImage image = histogram.grab().toImage();
        const int height = histogram.fontMetrics().height();
        const Columns title = columnsOf(image, height, colorsFor(histogram.palette()).textMuted);
        const Columns mark = columnsOf(image, height, colorsFor(histogram.palette()).warningText);
        QVERIFY(mark.first >= 0);
        QCOMPARE(title.first >= 0, hasTitle);
        QVERIFY2(title.last < mark.first, qPrintable(QStringLiteral("%1, %2").arg(title.last).arg(mark.first)));
    }
};

CT_QT_SUITE(WaitHistogramTest)
#include "tst_waithistogram.moc"
