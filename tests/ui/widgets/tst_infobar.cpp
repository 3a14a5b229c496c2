// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The bars of messages above the views: their height, and what they cost.
#include "tests/support/qtsuite.h"
#include "ui/widgets/infobar.h"

#include <QCoreApplication>
#include <QEvent>
#include <QVBoxLayout>
#include <QWidget>

using namespace ct;

namespace {

/// Counts the layout requests of a widget.
class Requests final : public QObject {
public:
    explicit Requests(QObject &of) { of.installEventFilter(this); }
    int count = 0;

protected:
    bool eventFilter(QObject *, QEvent *event) override
    {
        count += event->type() == QEvent::LayoutRequest ? 1 : 0;
        return false;
    }
};

/// Two bars above another widget, as in the main window.
struct Bars {
    QWidget window;
    InfoBar *notice = new InfoBar(InfoBar::Kind::Notice, &window);
    InfoBar *warning = new InfoBar(InfoBar::Kind::Warning, &window);
    InfoArea *area = new InfoArea({notice, warning}, &window);

    Bars()
    {
        auto *layout = new QVBoxLayout(&window);
        layout->addWidget(area);
        layout->addWidget(new QWidget(&window), 1);
        window.resize(600, 400);
        window.show();
    }
};

}  // namespace

class TestInfoBar : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aVisibleBarIsAtRest()
    {
        Bars bars;
        const Requests requests(*bars.area);
        bars.notice->showText(QStringLiteral("42 events written"));
        QTRY_VERIFY(bars.area->isVisible() && bars.area->height() > 0);
        for (int i = 0; i < 20; ++i)
            QCoreApplication::processEvents();
        const int before = requests.count;
        for (int i = 0; i < 20; ++i)
            QCoreApplication::processEvents();
        QCOMPARE(requests.count, before);
    }

    void theAreaFitsItsTexts()
    {
        Bars bars;
        QTRY_VERIFY(!bars.area->isVisible());
        bars.notice->showText(QStringLiteral("short"));
        QTRY_VERIFY(bars.area->isVisible() && bars.area->height() >= bars.notice->sizeHint().height());
        const int one = bars.area->height();
        QString longText;
        for (int i = 0; i < 60; ++i)
            longText += QStringLiteral("words ");
        bars.notice->showText(longText);
        QTRY_VERIFY(bars.area->height() > one);
        const int several = bars.area->height();
        bars.warning->showText(QStringLiteral("short"));
        QTRY_VERIFY(bars.area->height() > several);
        bars.window.resize(1400, 400);
        QTRY_VERIFY(bars.area->height() < several + one);
        bars.notice->showText(QStringLiteral("short"));
        bars.warning->hide();
        QTRY_COMPARE(bars.area->height(), one);
        bars.notice->hide();
        QTRY_VERIFY(!bars.area->isVisible());
        bars.notice->showText(longText);
        QTRY_VERIFY(bars.area->isVisible() && bars.area->height() > one);
    }
};

CT_QT_SUITE(TestInfoBar)
#include "tst_infobar.moc"
