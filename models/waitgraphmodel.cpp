// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/waitgraphmodel.h"

#include <algorithm>
#include <utility>

namespace ct {

/// A reading in progress. The worker fills `shown`, then passes the job to the GUI thread in a queued call.
struct WaitGraphModel::Job {
    std::shared_ptr<const ShownGraph> before;
    std::shared_ptr<ShownGraph> shown = std::make_shared<ShownGraph>();
};

namespace {

bool isSameNode(const WaitNode &a, const WaitNode &b)
{
    return a.kind == b.kind && a.coroutine == b.coroutine && a.pid == b.pid && a.object == b.object &&
           a.inCycle == b.inCycle && a.deadEnd == b.deadEnd;
}

bool isSameEdge(const WaitEdge &a, const WaitEdge &b)
{
    return a.from == b.from && a.to == b.to && a.isHeld == b.isHeld;
}

bool isSameGraph(const WaitGraph &a, const WaitGraph &b)
{
    return a.isBySite == b.isBySite &&
           std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(), isSameNode) &&
           std::equal(a.edges.begin(), a.edges.end(), b.edges.begin(), b.edges.end(), isSameEdge);
}

void requestLocations(const WaitGraph &graph, AddressResolver &resolver)
{
    constexpr std::size_t kMostRequested = 1000;
    std::size_t requested = 0;
    for (const WaitNode &node : graph.nodes) {
        if (node.addr == 0 || requested++ == kMostRequested)
            continue;
        static_cast<void>(resolver.resolveOrRequest({node.coroutine, node.pid, node.addr, node.since, true}));
    }
}

/// The sizes of boxes for new labels of the same graph: no box gets smaller, because a layout that changes with each
/// state would not be readable. The texts of timers change all the time, so their boxes stay.
std::vector<GraphSize> grownSizes(const ShownGraph &shown, const std::vector<GraphSize> &before)
{
    std::vector<GraphSize> sizes = boxSizes(shown.labels);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (shown.graph.nodes[i].kind == WaitNodeKind::Timer)
            sizes[i] = before[i];
        sizes[i] = {std::max(sizes[i].width, before[i].width), std::max(sizes[i].height, before[i].height)};
    }
    return sizes;
}

void read(ShownGraph &shown, const ShownGraph *before, const Population &population, const ObjectHistory *objects,
          AddressResolver *resolver)
{
    shown.graph = waitGraphOf(population, objects);
    if (resolver)
        requestLocations(shown.graph, *resolver);
    shown.labels = graphLabels(shown.graph, population, resolver, population.now());
    const bool isSame = before && isSameGraph(shown.graph, before->graph);
    shown.sizes = isSame ? grownSizes(shown, before->sizes) : boxSizes(shown.labels);
    shown.isNew = !isSame || shown.sizes != before->sizes;
    shown.layout = shown.isNew ? layeredLayout(shown.sizes, linksOf(shown.graph)) : before->layout;
}

}  // namespace

WaitGraphModel::WaitGraphModel(QObject *parent) : QObject(parent) {}

WaitGraphModel::~WaitGraphModel()
{
    m_worker.waitForDone();
}

void WaitGraphModel::setTrace(std::shared_ptr<const Population> population,
                              std::shared_ptr<const ObjectHistory> objects, std::shared_ptr<AddressResolver> resolver)
{
    m_job.reset();
    m_version = 0;
    m_population = std::move(population);
    m_objects = std::move(objects);
    m_resolver = std::move(resolver);
    m_shown.reset();
    Q_EMIT sampled();
}

void WaitGraphModel::sample()
{
    if (!m_population || m_job)
        return;
    // Each part grows with every change; their sum is equal only if none has changed.
    const std::uint64_t version = 1 + m_population->now() + m_population->captured() + m_population->size() +
                                  (m_resolver ? m_resolver->generation() : 0);
    if (version == m_version)
        return;
    m_version = version;
    auto job = std::make_shared<Job>();
    job->before = m_shown;
    m_job = job;
    const auto work = [job, population = m_population, objects = m_objects, resolver = m_resolver] {
        read(*job->shown, job->before.get(), *population, objects.get(), resolver.get());
    };
    // `this` outlives the worker, because the destructor waits for it. Qt discards the queued call if `this` is
    // deleted.
    const auto workInBackground = [this, job, work] {
        work();
        QMetaObject::invokeMethod(
            this, [this, job] { finish(job); }, Qt::QueuedConnection);
    };
    if (m_worker.start(workInBackground))
        return;
    work();
    finish(job);
}

void WaitGraphModel::finish(const std::shared_ptr<Job> &job)
{
    if (job != m_job)
        return;
    m_job.reset();
    m_shown = std::move(job->shown);
    Q_EMIT sampled();
}

}  // namespace ct
