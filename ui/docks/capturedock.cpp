// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/capturedock.h"

#include "ui/docks/dockstyle.h"
#include "ui/format/captureformat.h"
#include "ui/format/format.h"
#include "ui/widgets/gauges.h"

#include <QHeaderView>
#include <QScrollArea>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>

namespace ct {

namespace {

constexpr qint64 kSampleIntervalMs = 250;
constexpr int kNarrow = 560;  // pixels

enum Tabs { ProcessesTab, DropsTab };

}  // namespace

CaptureDock::CaptureDock(QWidget *parent)
    : QDockWidget(tr("Capture"), parent),
      m_processes(new ProcessModel(this)),
      m_drops(new DropModel(this)),
      m_processFormat(new ProcessFormat(m_processes, this)),
      m_dropFormat(new DropFormat(m_drops, this)),
      m_gauges(new Gauges),
      m_tabs(new QTabWidget),
      m_splitter(new QSplitter(Qt::Horizontal))
{
    setObjectName(QStringLiteral("captureDock"));
    setWhatsThis(tr("Events that were captured, lost and missed, and how much of the "
                    "capture's memory is in use."));
    auto *scroll = new QScrollArea;
    scroll->setWidget(m_gauges);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setMinimumSize(200, 60);
    m_tabs->setObjectName(QStringLiteral("captureTabs"));
    m_tabs->setDocumentMode(true);
    QTableView *processes = makeTable("processTable", tr("Processes"), m_processFormat, ProcessModel::NameColumn);
    processes->setColumnWidth(ProcessModel::StateColumn, fontMetrics().horizontalAdvance(tr("Switched off")) + 14);
    m_tabs->addTab(processes, QString());
    m_tabs->addTab(makeTable("dropTable", tr("Dropped records"), m_dropFormat, DropModel::ThreadColumn), QString());
    m_splitter->addWidget(scroll);
    m_splitter->addWidget(m_tabs);
    m_splitter->setStretchFactor(0, 1);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setChildrenCollapsible(false);
    setWidget(m_splitter);
    connect(this, &QDockWidget::visibilityChanged, this, [this](bool visible) {
        if (visible)
            refresh();
    });
    connect(m_splitter, &QSplitter::splitterMoved, this, [this] { m_sharedByUser = true; });
    updateTabs();
}

QTableView *CaptureDock::makeTable(const char *objectName, const QString &name, QAbstractItemModel *model, int wide)
{
    auto *table = new QTableView;
    table->setObjectName(QLatin1String(objectName));
    table->setAccessibleName(name);
    table->setModel(model);
    styleTable(*table);
    table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 4);
    QHeaderView *header = table->horizontalHeader();
    header->setMinimumSectionSize(40);
    for (int column = 0; column < model->columnCount(); ++column) {
        const QString title = model->headerData(column, Qt::Horizontal).toString();
        const int width = std::max(fontMetrics().horizontalAdvance(title),
                                   fontMetrics().horizontalAdvance(QStringLiteral("1 000 000")));
        header->resizeSection(column, width + 10);
    }
    header->resizeSection(wide, 2 * header->sectionSize(wide));
    return table;
}

void CaptureDock::setTrace(std::shared_ptr<Population> population)
{
    m_processes->setPopulation(population.get());
    m_drops->setPopulation(population.get());
    m_dropFormat->setPopulation(population.get());
    m_population = std::move(population);
    m_sinceSample.invalidate();
    m_gauges->showSums(Accounting());
    updateTabs();
}

void CaptureDock::setOrigin(std::uint64_t origin)
{
    m_processFormat->setOrigin(origin);
    m_dropFormat->setOrigin(origin);
}

void CaptureDock::sample(const Accounting &sums)
{
    m_sums = sums;
    if (isVisible() && (!m_sinceSample.isValid() || m_sinceSample.elapsed() >= kSampleIntervalMs))
        refresh();
}

void CaptureDock::refresh()
{
    m_sinceSample.start();
    m_gauges->showSums(m_sums);
    share();
    m_processes->sample();
    m_drops->sample();
    updateTabs();
}

void CaptureDock::resizeEvent(QResizeEvent *event)
{
    QDockWidget::resizeEvent(event);
    const bool wide = width() > height() * 2;
    m_splitter->setOrientation(wide ? Qt::Horizontal : Qt::Vertical);
    m_gauges->setStacked(!wide && width() < kNarrow);
    share();
}

/// Gives the gauges their preferred width and the tables the rest, unless the user moved the splitter.
void CaptureDock::share()
{
    if (m_sharedByUser || m_splitter->orientation() != Qt::Horizontal)
        return;
    const int gauges = std::min(m_gauges->sizeHint().width() + 4, width() * 2 / 3);
    if (m_splitter->sizes().value(0) != gauges)
        m_splitter->setSizes({gauges, width() - gauges - m_splitter->handleWidth()});
}

void CaptureDock::updateTabs()
{
    const auto title = [](const QString &name, std::uint64_t count) {
        return count == 0 ? name : QStringLiteral("%1 (%2)").arg(name, format::count(count));
    };
    m_tabs->setTabText(ProcessesTab, title(tr("Processes"), static_cast<std::uint64_t>(m_processes->rowCount())));
    m_tabs->setTabText(DropsTab, title(tr("Dropped"), m_drops->total()));
    m_tabs->setTabToolTip(ProcessesTab, tr("Processes that write into the region"));
    m_tabs->setTabToolTip(DropsTab, tr("Times at which the lane of a thread was full, latest "
                                       "first"));
}

}  // namespace ct
