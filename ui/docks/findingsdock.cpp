// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/findingsdock.h"

#include "core/target/printabletext.h"
#include "ui/docks/dockstyle.h"
#include "ui/docks/findingcard.h"
#include "ui/docks/findingsbar.h"
#include "ui/format/colors.h"
#include "ui/format/findingsformat.h"
#include "ui/format/format.h"

#include <QDesktopServices>
#include <QEvent>
#include <QFileInfo>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTreeView>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>
#include <vector>

namespace ct {

using Model = FindingsModel;

namespace {

enum Pages { EmptyPage, ListPage };
constexpr int kWide = 900;               ///< px; from here on, the evidence is beside the list
constexpr int kWideList = 680;           ///< px; from here on, the list has all columns
constexpr qsizetype kMostAbstained = 3;  ///< reasons shown; the tooltip has all

QLabel *addLabel(QLayout *layout, const char *objectName)
{
    auto *label = new QLabel;
    label->setObjectName(QLatin1String(objectName));
    label->setWordWrap(true);
    label->setMargin(6);
    layout->addWidget(label);
    return label;
}

}  // namespace

FindingsDock::FindingsDock(QWidget *parent)
    : QDockWidget(tr("Lost wake-ups"), parent),
      m_model(new FindingsModel(this)),
      m_format(new FindingsFormat(m_model, this)),
      m_filter(new FindingsFilter(this)),
      m_pages(new QStackedWidget),
      m_splitter(new QSplitter(Qt::Vertical)),
      m_tree(new QTreeView),
      m_card(new FindingCard),
      m_empty(new QLabel)
{
    setObjectName(QStringLiteral("findingsDock"));
    m_filter->setSourceModel(m_format);
    m_format->setLook(palette());
    setUpTree();
    m_empty->setObjectName(QStringLiteral("findingsEmpty"));
    styleEmptyText(*m_empty);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->addWidget(m_tree);
    m_splitter->addWidget(m_card);
    m_splitter->setStretchFactor(0, 1);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setSizes({200, 200});
    connect(m_splitter, &QSplitter::splitterMoved, this, [this] { m_isSharedByUser = true; });
    m_pages->addWidget(m_empty);
    m_pages->addWidget(m_splitter);

    auto *content = new QWidget;
    auto *layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto *bar = new FindingsBar(*m_filter);
    connect(bar, &FindingsBar::changed, this, &FindingsDock::updateTexts);
    layout->addWidget(bar);
    m_summary = addLabel(layout, "findingsSummary");
    m_notice = addLabel(layout, "findingsNotice");
    m_notice->setText(tr("This recording does not say which coroutines were destroyed: some of those listed may no "
                         "longer exist."));
    layout->addWidget(m_pages, 1);
    m_abstained = addLabel(layout, "findingsAbstained");
    m_abstained->setForegroundRole(QPalette::PlaceholderText);
    m_retracted = addLabel(layout, "findingsRetracted");
    setWidget(content);
    connectCard();
    setTrace({});
}

FindingsDock::~FindingsDock() = default;

void FindingsDock::connectCard()
{
    connect(m_card, &FindingCard::coroutineActivated, this, &FindingsDock::coroutineSelected);
    connect(m_card, &FindingCard::timelineRequested, this, &FindingsDock::requestTimeline);
    connect(m_card, &FindingCard::tableRequested, this, &FindingsDock::filterTable);
    connect(m_card, &FindingCard::sourceRequested, this, &FindingsDock::openSource);
    connect(m_card, &FindingCard::muteRequested, this, &FindingsDock::muteOrUnmute);
}

void FindingsDock::setUpTree()
{
    m_tree->setObjectName(QStringLiteral("findingsTree"));
    m_tree->setAccessibleName(tr("Findings"));
    m_tree->installEventFilter(this);
    m_tree->setModel(m_filter);
    styleTree(*m_tree);
    m_tree->setExpandsOnDoubleClick(false);
    m_tree->setSortingEnabled(true);
    m_tree->sortByColumn(Model::SeverityColumn, Qt::DescendingOrder);
    QHeaderView *header = m_tree->header();
    header->setStretchLastSection(false);
    header->setMinimumSectionSize(36);
    header->setSectionResizeMode(Model::WhereColumn, QHeaderView::Stretch);
    const auto width = [this](const QString &text) { return fontMetrics().horizontalAdvance(text) + 20; };
    header->resizeSection(Model::SeverityColumn, width(tr("Severity")) + 20);
    header->resizeSection(Model::RuleColumn, width(tr("Lost wake-up")));
    header->resizeSection(Model::CountColumn, width(tr("Count")));
    header->resizeSection(Model::ConfidenceColumn, width(tr("Confidence")));
    header->resizeSection(Model::SinceColumn, width(QStringLiteral("+59 min 59 s")));
    header->resizeSection(Model::GrowthColumn, width(tr("Growth")));
    connect(m_tree, &QTreeView::doubleClicked, this, &FindingsDock::activate);
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex &now) {
        showCard();
        if (!m_selecting && now.isValid() && !now.data(Model::IsFindingRole).toBool())
            Q_EMIT coroutineSelected(now.data(Model::CoroutineIdRole).toUInt());
    });
}

void FindingsDock::setTrace(FindingsTrace trace)
{
    m_trace = std::move(trace);
    m_format->setResolver(m_trace.resolver);
    m_selecting = true;
    m_model->setPopulation(m_trace.population.get());
    m_selecting = false;
    m_announced.clear();
    m_program.clear();
    loadMuted();
    updateAbstained();
    updateRetracted();
    updateTexts();
    showCard();
}

/// The program is known when the first of its processes is. Mutes of the run's own name apply until then.
void FindingsDock::loadMuted()
{
    const std::vector<ProcessSnapshot> processes =
        m_trace.population ? m_trace.population->processes() : std::vector<ProcessSnapshot>();
    const bool isNamed = !processes.empty() && !processes.front().name.empty();
    const QString program = isNamed ? format::targetName(processes.front().name) : m_trace.name;
    if (std::exchange(m_program, program) == program && !program.isEmpty())
        return;
    m_muted.load(program);
    m_filter->setMuted(m_muted.known());
}

void FindingsDock::setJudgement(std::shared_ptr<const Judgement> judgement)
{
    if (!judgement || !m_trace.population)
        return;
    loadMuted();
    m_model->setJudgement(std::move(judgement));
    announceNew();
    selectFirst();
    updateAbstained();
    updateRetracted();
    updateTexts();
    showCard();
}

/// Announces findings that are new, or more severe than before. A finding of two severities is the more severe one.
void FindingsDock::announceNew()
{
    const Judgement &judgement = *m_model->judgement();
    QStringList added;
    QStringList risen;
    for (const ReportedFinding &reported : judgement.findings) {
        const Severity severity = reported.finding.severity;
        if (severity == Severity::Info || m_muted.reasonOf(reported))
            continue;
        const auto [known, isNew] = m_announced.try_emplace(QString::fromStdString(reported.fingerprint), severity);
        if (!isNew && known->second >= severity)
            continue;
        known->second = severity;
        (isNew ? added : risen) << tr("%1 (%2)").arg(
            format::shortened(format::findingSentence(subject(), reported), 200),
            format::ruleName(reported.finding.rule).toLower());
    }
    if (!m_trace.isLive || judgement.isLast)
        return;
    QStringList texts;
    if (!added.isEmpty())
        texts << (added.size() == 1 ? tr("New finding: %1").arg(added.front())
                                    : tr("%1 new findings, the first: %2").arg(added.size()).arg(added.front()));
    if (!risen.isEmpty())
        texts << (risen.size() == 1
                      ? tr("Now an error: %1").arg(risen.front())
                      : tr("%1 warnings are errors now, the first: %2").arg(risen.size()).arg(risen.front()));
    if (!texts.isEmpty())
        Q_EMIT appeared(texts.join(QStringLiteral("; ")));
}

/// Shows the evidence of the first finding unless the user has chosen another one.
void FindingsDock::selectFirst()
{
    if (m_tree->currentIndex().isValid() || m_filter->rowCount() == 0)
        return;
    m_selecting = true;
    m_tree->setCurrentIndex(m_filter->index(0, 0));
    m_selecting = false;
}

void FindingsDock::setInstant(const QString &instant)
{
    if (std::exchange(m_instant, instant) != instant)
        updateTexts();
}

void FindingsDock::setOrigin(std::uint64_t origin, std::int64_t wallClock)
{
    m_origin = origin;
    m_wallClock = wallClock;
    m_format->setOrigin(origin);
    showCard();
}

int FindingsDock::shownCount() const
{
    return m_filter->rowCount();
}

/// A coroutine counts once, even if several findings are about it.
std::size_t FindingsDock::shownCoroutines() const
{
    std::vector<CoroutineId> all;
    for (int row = 0; row < m_filter->rowCount(); ++row) {
        const QModelIndex source = m_format->mapToSource(m_filter->mapToSource(m_filter->index(row, 0)));
        if (const ReportedFinding *reported = m_model->findingOf(source))
            all.insert(all.end(), reported->finding.coroutines.begin(), reported->finding.coroutines.end());
    }
    std::sort(all.begin(), all.end());
    return static_cast<std::size_t>(std::unique(all.begin(), all.end()) - all.begin());
}

void FindingsDock::updateTexts()
{
    const int shown = m_filter->rowCount();
    bool isAlarming = false;
    bool areLostWakeups = true;
    for (int row = 0; row < shown; ++row) {
        const QModelIndex index = m_filter->index(row, 0);
        isAlarming = isAlarming || index.data(Model::SeverityRole).toInt() != static_cast<int>(Severity::Info);
        areLostWakeups =
            areLostWakeups && lostWakeupRules().count(static_cast<Rule>(index.data(Model::RuleRole).toInt())) != 0;
    }
    const QString title = areLostWakeups ? tr("Lost wake-ups") : tr("Findings");
    setWindowTitle(shown > 0 ? tr("%1 (%2)").arg(title, format::count(static_cast<std::uint64_t>(shown))) : title);
    const int hidden = m_model->rowCount() - shown;
    const QString hiddenText = hidden > 0 ? tr("; %1 hidden").arg(hidden) : QString();
    const QString found =
        shown == 1 ? tr("1 finding") : tr("%1 findings").arg(format::count(static_cast<std::uint64_t>(shown)));
    const QString strong =
        isAlarming ? QStringLiteral("<b style=\"color:%1\">%2</b>").arg(colorsFor(palette()).warningText.name(), found)
                   : QStringLiteral("<b>%1</b>").arg(found);
    const std::size_t coroutines = shownCoroutines();
    const QString subjects = coroutines > 0 ? tr(" about %1").arg(format::coroutines(coroutines)) : QString();
    m_summary->setText(tr("%1%2 %3%4").arg(strong, subjects, m_instant, hiddenText));
    m_summary->setVisible(shown > 0);
    const bool anyDied = m_trace.population && m_trace.population->alive() < m_trace.population->keptCount();
    m_notice->setVisible(!m_trace.deathsKnown && !anyDied && shown > 0);
    m_empty->setText(m_model->judgement() ? tr("Nothing was found %1%2").arg(m_instant, hiddenText)
                                          : tr("Not judged yet"));
    m_pages->setCurrentIndex(shown > 0 ? ListPage : EmptyPage);
    shareHeight();
}

/// Gives the list the height of its rows, at most half of all, unless the user has moved the border.
void FindingsDock::shareHeight()
{
    constexpr int kLeastRows = 4;
    const int all = m_splitter->height();
    const int rows = std::clamp(m_filter->rowCount(), kLeastRows, std::max(all, kLeastRows));
    const int rowHeight = std::max(m_tree->sizeHintForRow(0), 1);
    if (m_isSharedByUser || m_splitter->orientation() == Qt::Horizontal)
        return;
    const int list = std::min(m_tree->header()->height() + rows * rowHeight + 2 * m_tree->frameWidth(), all / 2);
    m_splitter->setSizes({list, all - list});
}

/// Shows what the rules could not judge: no finding there does not mean that all is well.
void FindingsDock::updateAbstained()
{
    QStringList texts;
    if (const Judgement *judgement = m_model->judgement())
        for (const Abstention &one : judgement->abstained)
            texts << tr("%1 (%2): %3")
                         .arg(format::ruleName(one.rule), format::count(one.count),
                              printable(QString::fromStdString(one.reason)));
    m_abstained->setVisible(!texts.isEmpty());
    m_abstained->setToolTip(format::verbatim(texts.join(u'\n')));
    const qsizetype more = texts.size() - kMostAbstained;
    if (more > 0) {
        texts.resize(kMostAbstained);
        texts << tr("%1 more").arg(more);
    }
    m_abstained->setTextFormat(Qt::PlainText);
    m_abstained->setText(tr("Not judged:") + u'\n' + texts.join(u'\n'));
}

/// Shows how often the verdicts on this run were wrong, so that the user knows how far to trust them.
void FindingsDock::updateRetracted()
{
    const Judgement *judgement = m_model->judgement();
    const Retractions::Counts counts = judgement ? judgement->retractions : Retractions::Counts();
    m_retracted->setVisible(counts.retracted > 0);
    m_retracted->setText(tr("Retracted: %1 of %2 coroutines reported as lost ran later")
                             .arg(format::count(counts.retracted), format::count(counts.reported)));
}

QModelIndex FindingsDock::current() const
{
    return m_format->mapToSource(m_filter->mapToSource(m_tree->currentIndex()));
}

FindingSubject FindingsDock::subject() const
{
    const Judgement *judgement = m_model->judgement();
    return {
        *m_trace.population, *m_trace.history, m_trace.resolver.get(), m_origin, judgement ? judgement->judgedAt : 0,
        m_wallClock};
}

/// What was known of the coroutine when it was judged, if its state is still the same or was kept.
std::optional<Circumstances> FindingsDock::circumstancesOf(CoroutineId coroutine) const
{
    const Judgement &judgement = *m_model->judgement();
    const auto kept = judgement.circumstances.find(coroutine);
    if (kept != judgement.circumstances.end())
        return kept->second;
    if (coroutine >= m_trace.population->size() || m_trace.population->at(coroutine).since > judgement.judgedAt)
        return std::nullopt;
    return ct::circumstancesOf({*m_trace.population, *m_trace.data, *m_trace.history}, coroutine, judgement.judgedAt);
}

void FindingsDock::showCard()
{
    const QModelIndex index = current();
    const ReportedFinding *reported = m_model->findingOf(index);
    if (!reported || !m_trace.data || !m_trace.history) {
        m_card->clear();
        return;
    }
    const CoroutineId id = index.data(Model::CoroutineIdRole).toUInt();
    const std::optional<Circumstances> found = id != kNoCoroutine ? circumstancesOf(id) : std::nullopt;
    m_card->show(subject(), *reported, id, found ? &*found : nullptr, m_muted.reasonOf(*reported));
}

void FindingsDock::activate(const QModelIndex &index)
{
    if (index.data(Model::IsFindingRole).toBool())
        filterTable();
}

void FindingsDock::filterTable()
{
    const ReportedFinding *reported = m_model->findingOf(current());
    if (!reported)
        return;
    Site site;
    site.file = reported->file;
    QString text = format::fileName(site);
    if (!text.isEmpty() && reported->line != 0)
        text += u':' + QString::number(reported->line);
    if (text.isEmpty())
        text = printable(reported->function);
    if (!text.isEmpty())
        Q_EMIT siteActivated(text);
}

void FindingsDock::openSource()
{
    const ReportedFinding *reported = m_model->findingOf(current());
    if (!reported)
        return;
    const QString path = QString::fromStdString(reported->file);
    if (!QFileInfo::exists(path) || !QDesktopServices::openUrl(QUrl::fromLocalFile(path)))
        Q_EMIT failed(
            tr("The source cannot be opened"),
            tr("No program opens %1, or this file is not here. The line is %2.").arg(path).arg(reported->line));
}

void FindingsDock::requestTimeline()
{
    const QModelIndex index = current();
    if (index.isValid() && m_model->judgement())
        Q_EMIT timelineRequested(index.data(Model::CoroutineIdRole).toUInt(),
                                 index.data(Model::SinceRole).toULongLong(), m_model->judgement()->judgedAt);
}

void FindingsDock::muteOrUnmute()
{
    const ReportedFinding *reported = m_model->findingOf(current());
    if (!reported)
        return;
    const QString fingerprint = QString::fromStdString(reported->fingerprint);
    if (!m_muted.reasonOf(*reported)) {
        askToMute(fingerprint, reported->finding.severity,
                  tr("%1 at %2").arg(format::ruleName(reported->finding.rule), format::location(*reported)));
        return;
    }
    m_muted.unmute(fingerprint);
    m_filter->setMuted(m_muted.known());
    updateTexts();
    showCard();
}

void FindingsDock::askToMute(const QString &fingerprint, Severity severity, const QString &what)
{
    auto *dialog = new QInputDialog(this);
    dialog->setObjectName(QStringLiteral("muteDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Mute"));
    dialog->setLabelText(tr("%1\nwill be hidden in all runs of this program. Why is it no defect?").arg(what));
    dialog->setInputMode(QInputDialog::TextInput);
    connect(dialog, &QInputDialog::textValueSelected, this, [this, fingerprint, severity](const QString &reason) {
        m_muted.mute(fingerprint, severity, reason.trimmed().isEmpty() ? tr("no reason was given") : reason.trimmed());
        m_filter->setMuted(m_muted.known());
        updateTexts();
        showCard();
    });
    dialog->open();
}

void FindingsDock::select(CoroutineId coroutine)
{
    const QModelIndex index = m_tree->currentIndex();
    const bool isFinding = index.data(Model::IsFindingRole).toBool();
    if (!index.isValid() || isFinding || index.data(Model::CoroutineIdRole).toUInt() == coroutine)
        return;
    // Another coroutine was selected elsewhere: the finding stays selected.
    m_selecting = true;
    m_tree->setCurrentIndex(index.parent());
    m_selecting = false;
}

void FindingsDock::changeEvent(QEvent *event)
{
    QDockWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange)
        return;
    m_format->setLook(palette());
    updateTexts();
}

/// The evidence is beside the list if there is room, else below it.
void FindingsDock::resizeEvent(QResizeEvent *event)
{
    QDockWidget::resizeEvent(event);
    const Qt::Orientation orientation = width() > kWide ? Qt::Horizontal : Qt::Vertical;
    if (m_splitter->orientation() == orientation)
        return;
    m_splitter->setOrientation(orientation);
    m_splitter->setSizes(orientation == Qt::Horizontal ? QList<int>{width() / 2, width() / 2}
                                                       : QList<int>{height() / 3, height() * 2 / 3});
    m_isSharedByUser = false;
    shareHeight();
}

/// A narrow list leaves out what the card says, too.
bool FindingsDock::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_tree && event->type() == QEvent::Resize)
        for (const int column : {Model::ConfidenceColumn, Model::SinceColumn})
            m_tree->setColumnHidden(column, m_tree->width() < kWideList);
    return QDockWidget::eventFilter(watched, event);
}

}  // namespace ct
