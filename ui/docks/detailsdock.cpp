// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/detailsdock.h"

#include "core/analysis/processlives.h"
#include "core/target/printabletext.h"
#include "ui/docks/detailsrelations.h"
#include "ui/docks/dockstyle.h"
#include "ui/format/colors.h"
#include "ui/format/coroutinetooltip.h"
#include "ui/format/format.h"
#include "ui/format/locationformat.h"

#include <QEvent>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace ct {

namespace {

constexpr std::size_t kLatestEvents = 200;
/// Events read in one sample. A longer history takes several samples, so that the window stays responsive.
constexpr std::size_t kReadsPerSample = 100'000;

/// Fast enough to appear live, slow enough to read.
constexpr qint64 kRefreshIntervalMs = 200;

void setText(QLineEdit *field, const QString &text, const QString &toolTip = {})
{
    field->setToolTip(format::verbatim(toolTip.isEmpty() ? text : toolTip));
    if (field->text() == text)
        return;
    field->setText(text);
    field->setCursorPosition(0);
}

}  // namespace

DetailsDock::DetailsDock(QWidget *parent)
    : QDockWidget(tr("Details"), parent), m_pages(new QStackedWidget), m_events(new QTreeWidget), m_title(new QLabel)
{
    setObjectName(QStringLiteral("detailsDock"));
    auto *empty = new QLabel(tr("Select a coroutine in the table or the timeline"));
    styleEmptyText(*empty);

    auto *page = new QWidget;
    auto *layout = new QVBoxLayout(page);
    layout->setContentsMargins(8, 6, 0, 0);
    layout->setSpacing(4);
    m_title->setObjectName(QStringLiteral("detailsTitle"));
    layout->addWidget(m_title);
    auto *form = new QFormLayout;
    m_form = form;
    form->setVerticalSpacing(2);
    form->setContentsMargins(0, 0, 8, 0);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setRowWrapPolicy(QFormLayout::DontWrapRows);
    m_name = addField(form, tr("Name"), "detailsName");
    m_state = addField(form, tr("State"), "detailsState");
    m_function = addField(form, tr("Function"), "detailsFunction");
    m_location = addField(form, tr("Where"), "detailsLocation");
    m_inlined = addField(form, tr("Inlined into"), "detailsInlined");
    m_module = addField(form, tr("Module"), "detailsModule");
    m_missing = addField(form, tr("Missing"), "detailsMissing");
    m_probe = addField(form, tr("Probe id"), "detailsProbe");
    m_station = addField(form, tr("Station"), "detailsStation");
    m_born = addField(form, tr("Born"), "detailsBorn");
    m_time = addField(form, tr("Time"), "detailsTime");
    m_counts = addField(form, tr("Events"), "detailsCounts");
    m_relations = new DetailsRelations(form, this);
    connect(m_relations, &DetailsRelations::coroutineActivated, this, &DetailsDock::coroutineSelected);
    connect(m_relations, &DetailsRelations::treeRequested, this, [this] { Q_EMIT treeRequested(m_coroutine); });
    layout->addLayout(form);
    setUpEvents();
    layout->addWidget(m_events, 1);
    // The fields of a coroutine with many relations are higher than a small screen has room for.
    auto *scroll = new QScrollArea;
    scroll->setWidget(page);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    m_pages->addWidget(empty);
    m_pages->addWidget(scroll);
    setWidget(m_pages);
}

QLineEdit *DetailsDock::addField(QFormLayout *form, const QString &name, const char *objectName)
{
    auto *title = new QLabel(name);
    title->setForegroundRole(QPalette::PlaceholderText);
    // Use read-only line edits: a long path does not widen the dock, stays scrollable, and can be copied.
    auto *value = new QLineEdit;
    value->setObjectName(QLatin1String(objectName));
    value->setReadOnly(true);
    value->setFrame(false);
    value->setTextMargins(0, 0, 0, 0);
    value->setFixedHeight(value->fontMetrics().height() + 3);
    value->setFocusPolicy(Qt::ClickFocus);
    QPalette transparent;
    transparent.setColor(QPalette::Base, Qt::transparent);
    value->setPalette(transparent);
    value->setAccessibleName(name);
    form->addRow(title, value);
    return value;
}

void DetailsDock::setUpEvents()
{
    m_events->setObjectName(QStringLiteral("detailsEvents"));
    m_events->setAccessibleName(tr("Latest events"));
    m_events->setHeaderLabels({tr("No."), tr("Time (s)"), tr("Event"), tr("Thread")});
    m_events->setRootIsDecorated(false);
    m_events->setUniformRowHeights(true);
    m_events->setAlternatingRowColors(true);
    m_events->setFrameShape(QFrame::NoFrame);
    m_events->header()->setStretchLastSection(false);
    m_events->header()->setSectionResizeMode(2, QHeaderView::Stretch);
    const auto width = [this](int characters) { return fontMetrics().horizontalAdvance(u'0') * characters + 16; };
    m_events->header()->resizeSection(0, width(6));
    m_events->header()->resizeSection(1, width(9));
    m_events->header()->resizeSection(3, width(13));
    m_events->setTextElideMode(Qt::ElideMiddle);
}

void DetailsDock::setTrace(std::shared_ptr<Population> population, std::shared_ptr<History> history,
                           std::shared_ptr<AddressResolver> resolver)
{
    m_resolver = std::move(resolver);
    m_generationSeen = 0;
    m_population = std::move(population);
    m_history = std::move(history);
    m_coroutine = kNoCoroutine;
    select(kNoCoroutine);
}

void DetailsDock::select(CoroutineId coroutine)
{
    if (coroutine == m_coroutine && coroutine != kNoCoroutine)
        return;
    m_coroutine = coroutine;
    m_position = {};
    m_latest.clear();
    m_events->clear();
    m_pages->setCurrentIndex(coroutine == kNoCoroutine ? 0 : 1);
    refresh();
}

void DetailsDock::sample()
{
    if (!m_sinceRefresh.isValid() || m_sinceRefresh.elapsed() >= kRefreshIntervalMs)
        refresh();
}

void DetailsDock::refresh()
{
    m_sinceRefresh.start();
    if (!m_population || !m_history || m_coroutine >= m_population->size() || !isVisible())
        return;
    showFields(m_population->at(m_coroutine));
    const std::uint64_t generation = m_resolver ? m_resolver->generation() : 0;
    if (readEvents() || std::exchange(m_generationSeen, generation) != generation)
        showEvents();
}

void DetailsDock::showFields(const CoroutineSnapshot &coroutine)
{
    const std::uint64_t now = m_population->now();
    const auto since = [now](std::uint64_t ts) { return format::duration(now > ts ? now - ts : 0); };
    m_title->setText(QStringLiteral("<b>%1</b>").arg(tr("Coroutine %1").arg(coroutine.id)));
    const QString name = format::coroutineName(*m_population, coroutine, m_resolver.get());
    setText(m_name, name.isEmpty() ? tr("unknown") : name);
    showLocation(coroutine);
    m_relations->show(*m_population, coroutine.id);
    const ProcessLives lives(*m_population);
    const std::uint64_t end = lives.nowOf(coroutine, now);
    QString state = tr("%1 for %2")
                        .arg(format::stateName(coroutine.state),
                             format::duration(end > coroutine.stateSince() ? end - coroutine.stateSince() : 0));
    if (coroutine.state == CoroutineState::Running && coroutine.tid != 0)
        state += tr(" on thread %1").arg(format::thread(m_population.get(), coroutine.pid, coroutine.tid));
    if (isSuspended(coroutine.state))
        state += QStringLiteral(" (%1)").arg(format::pointKindName(coroutine.kind));
    if (lives.hasEnded(coroutine))
        state += tr(", until its process ended");
    if (coroutine.flagged)
        state += QStringLiteral(". ") + format::contradiction();
    setText(m_state, state);
    QString probe = format::address(coroutine.probeId);
    if (coroutine.pid != 0)
        probe += tr(", process %1").arg(processText(*m_population, coroutine.pid));
    setText(m_probe, probe);
    QString station = format::station(coroutine);
    if (coroutine.generation != 0)
        station += tr(", generation %1").arg(coroutine.generation);
    setText(m_station, station + tr(", %1 dialect").arg(format::dialectName(coroutine.dialect)));
    QString born = coroutine.birthTs == 0 ? tr("unknown") : tr("%1 ago").arg(since(coroutine.birthTs));
    if (coroutine.deathTs != 0)
        born += tr(", destroyed %1 ago").arg(since(coroutine.deathTs));
    setText(m_born, born);
    setText(
        m_time,
        tr("%1 running, %2 suspended").arg(format::duration(coroutine.runNs), format::duration(coroutine.suspendedNs)));
    setText(m_counts, format::eventCounts(coroutine));
}

void DetailsDock::showLocation(const CoroutineSnapshot &coroutine)
{
    const ShownLocation shown = shownLocation(*m_population, m_resolver.get(), coroutine);
    const QString all = format::locationDetails(shown);
    const Site site = shown.site.value_or(Site{});
    setText(m_function, site.function.empty() ? tr("unknown") : printable(site.function), all);
    const QString file = format::fileAndFolder(site);
    const QString address = format::address(shown.addr);
    setText(m_location, !file.isEmpty() ? file : address.isEmpty() ? tr("not suspended yet") : address, all);
    const DescribedAddress *found = shown.answer.get();
    QStringList outer;
    for (std::size_t i = 1; found && i < found->frames.size(); ++i) {
        const Site around = format::siteOf(found->frames[i]);
        outer << format::location(&around, 0);
    }
    showOptional(m_inlined, outer.join(QStringLiteral(", ")), all);
    showOptional(m_module, found ? printable(found->module) : QString());
    showOptional(m_missing, found ? printable(found->remedy) : QString());
}

/// Shows a row only if it has a text.
void DetailsDock::showOptional(QLineEdit *field, const QString &text, const QString &toolTip)
{
    setText(field, text, toolTip);
    if (m_form->isRowVisible(field) == text.isEmpty())
        m_form->setRowVisible(field, !text.isEmpty());
}

bool DetailsDock::readEvents()
{
    std::array<HistoryEvent, 1024> events;
    bool any = false;
    for (std::size_t done = 0; done < kReadsPerSample;) {
        const std::size_t count = m_history->read(m_coroutine, m_position, events);
        if (count == 0)
            break;
        any = true;
        done += count;
        m_latest.insert(m_latest.end(), events.begin(), events.begin() + static_cast<std::ptrdiff_t>(count));
        if (m_latest.size() > kLatestEvents)
            m_latest.erase(m_latest.begin(), m_latest.end() - static_cast<std::ptrdiff_t>(kLatestEvents));
    }
    return any;
}

void DetailsDock::showEvents()
{
    const Colors &colors = colorsFor(palette());
    const std::uint64_t origin = m_history->firstTs();
    while (m_events->topLevelItemCount() < static_cast<int>(m_latest.size()))
        new QTreeWidgetItem(m_events);
    const std::uint32_t pid = m_population->at(m_coroutine).pid;
    int row = 0;
    for (auto event = m_latest.rbegin(); event != m_latest.rend(); ++event, ++row) {
        QTreeWidgetItem *item = m_events->topLevelItem(row);
        const bool gap = event->type == HistoryEvent::Type::Gap;
        QString what = tr("resumed");
        if (gap)
            what = format::missing(m_population->whyMissing(m_coroutine, event->n, event->count));
        else if (event->type == HistoryEvent::Type::Absent)
            what = tr("what followed is no longer in memory");
        ShownLocation shown;
        if (event->type == HistoryEvent::Type::Suspend || event->type == HistoryEvent::Type::Resume)
            shown = shownLocation(*m_population, m_resolver.get(), event->site,
                                  {m_coroutine, pid, event->addr, event->ts, false});
        if (event->type == HistoryEvent::Type::Suspend)
            what = tr("suspended at %1").arg(format::location(shown));
        item->setText(0, format::count(event->n));
        item->setText(1,
                      QString::number(static_cast<double>(event->ts > origin ? event->ts - origin : 0) / 1e9, 'f', 6));
        item->setText(2, what);
        item->setToolTip(2, gap ? what : format::verbatim(format::locationDetails(shown)));
        item->setText(3, gap ? QString() : format::thread(m_population.get(), pid, event->tid));
        item->setToolTip(3, format::verbatim(item->text(3)));
        item->setData(2, Qt::ForegroundRole, gap ? QVariant(colors.lossText) : QVariant());
        for (const int column : {0, 1, 3})
            item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    }
}

void DetailsDock::changeEvent(QEvent *event)
{
    QDockWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange || !m_history || m_coroutine == kNoCoroutine)
        return;
    showEvents();  // the colour of losses depends on the palette
    m_relations->restyle();
}

}  // namespace ct
