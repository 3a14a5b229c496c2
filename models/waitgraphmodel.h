// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The wait-for graph of a run, read in the background, with labels and a plain layout. GUI thread.
#pragma once

#include "core/base/backgroundworker.h"
#include "core/reporting/graphlabels.h"

#include <QObject>

#include <memory>

namespace ct {

/// One reading; never changes.
struct ShownGraph {
    WaitGraph graph;
    GraphLabels labels;
    std::vector<GraphSize> sizes;
    GraphLayout layout;  ///< the plain one
    /// Differs from the reading before in its nodes or edges, not only in what they say. Else `sizes` and `layout` are
    /// those of the reading before.
    bool isNew = true;
};

class WaitGraphModel : public QObject {
    Q_OBJECT
public:
    explicit WaitGraphModel(QObject *parent = nullptr);
    ~WaitGraphModel() override;

    /// Forgets the graph. `objects` and `resolver` may be null; so may `population`, then there is no graph.
    void setTrace(std::shared_ptr<const Population> population, std::shared_ptr<const ObjectHistory> objects,
                  std::shared_ptr<AddressResolver> resolver);
    const Population *population() const { return m_population.get(); }
    /// Reads the population in the background, if it has changed. Call about once a second.
    void sample();
    bool isSampling() const { return m_job != nullptr; }
    /// The latest reading; null before the first one.
    std::shared_ptr<const ShownGraph> shown() const { return m_shown; }

Q_SIGNALS:
    void sampled();

private:
    struct Job;
    void finish(const std::shared_ptr<Job> &job);

    std::shared_ptr<const Population> m_population;
    std::shared_ptr<const ObjectHistory> m_objects;
    std::shared_ptr<AddressResolver> m_resolver;
    std::shared_ptr<const ShownGraph> m_shown;
    std::shared_ptr<Job> m_job;   ///< the reading in progress; results of other jobs are stale
    std::uint64_t m_version = 0;  ///< version of the run that the latest sample has read
    BackgroundWorker m_worker;
};

}  // namespace ct
