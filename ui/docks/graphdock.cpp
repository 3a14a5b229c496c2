// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/graphdock.h"

#include "core/reporting/dotgraph.h"
#include "core/reporting/svggraph.h"
#include "ui/dialogs/filedialogs.h"
#include "ui/docks/dockstyle.h"
#include "ui/format/colors.h"
#include "ui/widgets/graphview.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSaveFile>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace ct {

namespace {

constexpr qint64 kSampleIntervalMs = 2000;
constexpr int kPatienceMs = 300;

enum Pages { EmptyPage, GraphPage };

QToolButton *makeButton(QWidget *parent, const char *name, const QString &text, const QString &toolTip)
{
    auto *button = new QToolButton(parent);
    button->setObjectName(QLatin1String(name));
    button->setText(text);
    button->setToolTip(toolTip);
    button->setAccessibleName(toolTip);
    button->setAutoRaise(true);
    return button;
}

}  // namespace

GraphDock::GraphDock(QWidget *parent)
    : QDockWidget(tr("Wait graph"), parent),
      m_model(new WaitGraphModel(this)),
      m_dot(new DotProcess(this)),
      m_pages(new QStackedWidget),
      m_empty(new QLabel),
      m_summary(new QLabel),
      m_legend(new QLabel),
      m_view(new GraphView)
{
    setObjectName(QStringLiteral("graphDock"));
    setWhatsThis(tr("<p>Which coroutine waits for what, and who holds it, as the target reports it. Cycles are red: "
                    "their coroutines wait for one another. A dashed frame is a dead end: nothing is left that could "
                    "end the wait.</p><p>Turn the wheel to zoom, drag to move, click to select a coroutine. Press 0 to "
                    "show the whole graph.</p>"));
    m_empty->setObjectName(QStringLiteral("graphEmpty"));
    styleEmptyText(*m_empty);
    m_view->setObjectName(QStringLiteral("graphView"));
    m_view->setAccessibleName(tr("Wait graph"));
    m_legend->setObjectName(QStringLiteral("graphLegend"));
    m_legend->setTextFormat(Qt::RichText);
    m_legend->setContentsMargins(6, 0, 6, 3);
    m_legend->setMinimumWidth(40);
    auto *page = new QWidget;
    auto *layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeBar());
    layout->addWidget(m_legend);
    layout->addWidget(m_view, 1);
    m_pages->addWidget(m_empty);
    m_pages->addWidget(page);
    setWidget(m_pages);
    m_patience.setSingleShot(true);
    connect(&m_patience, &QTimer::timeout, this, [this] {
        if (m_laidOut)
            showLayout(m_laidOut->layout);
    });
    connect(m_model, &WaitGraphModel::sampled, this, &GraphDock::showSample);
    connect(m_dot, &DotProcess::finished, this, &GraphDock::onDotFinished);
    connect(m_view, &GraphView::coroutineClicked, this, &GraphDock::coroutineSelected);
    connect(m_view, &GraphView::coroutineActivated, this, &GraphDock::coroutineActivated);
    connect(this, &QDockWidget::visibilityChanged, this, [this](bool visible) {
        if (visible)
            m_model->sample();
    });
    updateLegend();
    updateTexts();
}

QWidget *GraphDock::makeBar()
{
    auto *bar = new QWidget;
    auto *layout = new QHBoxLayout(bar);
    layout->setContentsMargins(6, 2, 4, 2);
    m_summary->setObjectName(QStringLiteral("graphSummary"));
    m_summary->setMinimumWidth(40);
    layout->addWidget(m_summary, 1);
    auto *out = makeButton(bar, "graphZoomOut", QStringLiteral("\u2212"), tr("Zoom out"));
    auto *in = makeButton(bar, "graphZoomIn", QStringLiteral("+"), tr("Zoom in"));
    auto *fit = makeButton(bar, "graphFit", tr("Fit"), tr("Show the whole graph"));
    for (QToolButton *button : {out, in, fit})
        layout->addWidget(button);
    connect(out, &QToolButton::clicked, m_view, &GraphView::zoomOut);
    connect(in, &QToolButton::clicked, m_view, &GraphView::zoomIn);
    connect(fit, &QToolButton::clicked, m_view, &GraphView::fit);
    m_export = new QPushButton(tr("&Export"), bar);
    m_export->setObjectName(QStringLiteral("graphExport"));
    auto *menu = new QMenu(m_export);
    menu->addAction(tr("As a picture (SVG)…"), this, [this] { askForFile(QStringLiteral("svg")); });
    menu->addAction(tr("For Graphviz (DOT)…"), this, [this] { askForFile(QStringLiteral("dot")); });
    m_export->setMenu(menu);
    layout->addWidget(m_export);
    return bar;
}

void GraphDock::setTrace(std::shared_ptr<Population> population, std::shared_ptr<const ObjectHistory> objects,
                         std::shared_ptr<AddressResolver> resolver, const QString &name)
{
    m_dot->cancel();
    m_patience.stop();
    m_name = name;
    m_laidOut.reset();
    m_shown.reset();
    m_sinceSample.invalidate();
    m_model->setTrace(std::move(population), std::move(objects), std::move(resolver));
}

/// While dot lays out a graph, the next one waits.
void GraphDock::sample()
{
    const bool isDue = !m_sinceSample.isValid() || m_sinceSample.elapsed() >= kSampleIntervalMs;
    if (!isVisible() || !isDue || m_dot->isRunning())
        return;
    m_sinceSample.start();
    m_model->sample();
}

void GraphDock::showSample()
{
    const std::shared_ptr<const ShownGraph> reading = m_model->shown();
    if (!reading || reading->graph.nodes.empty()) {
        m_dot->cancel();
        m_laidOut.reset();
        m_shown.reset();
        m_view->setGraph(nullptr, {});
        updateTexts();
        return;
    }
    if (!reading->isNew && m_shown) {
        m_shown = reading;
        m_view->setGraph(m_shown, m_view->graphLayout());
        updateTexts();
        return;
    }
    m_laidOut = reading;
    if (!DotProcess::isInstalled()) {
        showLayout(reading->layout);
        return;
    }
    m_patience.start(kPatienceMs);
    m_dot->start(QByteArray::fromStdString(dotInput(reading->sizes, linksOf(reading->graph))), m_mostMs);
}

void GraphDock::onDotFinished(const QByteArray &output)
{
    m_patience.stop();
    if (!m_laidOut)
        return;
    const std::optional<GraphLayout> layout = layoutFromDot(
        {output.constData(), static_cast<std::size_t>(output.size())}, m_laidOut->sizes, linksOf(m_laidOut->graph));
    showLayout(layout ? *layout : m_laidOut->layout);
    m_laidOut.reset();
}

void GraphDock::showLayout(GraphLayout layout)
{
    m_shown = m_laidOut;
    m_view->setGraph(m_shown, layout);
    updateTexts();
    Q_EMIT layoutChanged();
}

void GraphDock::updateTexts()
{
    m_pages->setCurrentIndex(m_shown ? GraphPage : EmptyPage);
    const bool hasCoroutines = m_model->population() && m_model->population()->size() > 0;
    m_empty->setText(hasCoroutines
                         ? tr("No coroutine waits for something that the target reports. To report what a coroutine "
                              "waits for, call waits_on() of the probe.")
                         : tr("When a program runs, this view shows which coroutine waits for what, and who holds it"));
    const QString summary = m_shown ? QString::fromStdString(graphSummary(m_shown->graph)) : QString();
    m_summary->setText(summary);
    m_summary->setToolTip(summary);
}

void GraphDock::updateLegend()
{
    const Colors &colors = colorsFor(palette());
    const auto part = [](const QColor &color, const QString &sign, const QString &text) {
        return QStringLiteral("<span style=\"color:%1\">%2</span>&nbsp;%3")
            .arg(color.name(), sign, text.toHtmlEscaped());
    };
    const QString box = QStringLiteral("&#9632;");
    m_legend->setText(QStringList{part(colors.suspended, box, tr("suspended")),
                                  part(colors.runnable, box, tr("runnable")), part(colors.running, box, tr("running")),
                                  part(colors.textMuted, QStringLiteral("&#9633;"), tr("object or thread")),
                                  part(colors.cycle, QStringLiteral("&#9633;"), tr("in a cycle")),
                                  part(colors.stuck, QStringLiteral("&#11034;"), tr("dead end")),
                                  part(colors.textMuted, QStringLiteral("&rarr;"), tr("waits for, is held by"))}
                          .join(QStringLiteral(" &nbsp; ")));
}

void GraphDock::select(CoroutineId coroutine)
{
    m_view->select(coroutine);
}

void GraphDock::askForFile(const QString &suffix)
{
    const QString name = m_name.isEmpty() ? tr("waits") : m_name.section(u'/', -1);
    askForGraphFile(this, name, suffix, [this](const QString &path) { exportTo(path); });
}

void GraphDock::exportTo(const QString &path)
{
    if (!m_shown)
        return;
    const std::string text = path.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive)
                                 ? svgText(m_shown->graph, m_shown->labels, m_view->graphLayout(), m_name.toStdString())
                                 : dotText(m_shown->graph, m_shown->labels);
    QSaveFile file(path);
    const bool written =
        file.open(QIODevice::WriteOnly) &&
        file.write(text.data(), static_cast<qint64>(text.size())) == static_cast<qint64>(text.size()) && file.commit();
    if (!written)
        Q_EMIT failed(tr("The graph was not exported"),
                      tr("Cannot write %1: %2. Choose another folder.").arg(path, file.errorString()));
}

void GraphDock::changeEvent(QEvent *event)
{
    QDockWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        updateLegend();
}

}  // namespace ct
