// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reporting/graphlayout.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ct {

namespace {

constexpr double kGap = 24;       ///< between boxes of a layer, and between parts
constexpr double kLayerGap = 44;  ///< room for lines
constexpr double kAspect = 1.6;   ///< width by height that parts are packed for

using Indexes = std::vector<std::uint32_t>;

std::size_t mostInRow(std::size_t nodes)
{
    constexpr double kAtLeast = 6;
    const double wanted = std::ceil(kAspect * std::sqrt(static_cast<double>(nodes)));
    return static_cast<std::size_t>(std::clamp(wanted, kAtLeast, double{kMostInLayer}));
}

class Layering {
public:
    Layering(const std::vector<GraphSize> &sizes, const std::vector<GraphLink> &links)
        : m_sizes(sizes), m_links(links), m_down(sizes.size()), m_up(sizes.size()), m_both(sizes.size())
    {
    }
    GraphLayout layout();

private:
    void makeAcyclic();
    std::vector<Indexes> parts() const;
    std::vector<Indexes> layersOf(const Indexes &part) const;
    void order(std::vector<Indexes> &layers) const;
    GraphSize place(const std::vector<Indexes> &layers, std::vector<GraphBox> &boxes) const;
    GraphCurve curveOf(const GraphLink &link) const;

    const std::vector<GraphSize> &m_sizes;
    const std::vector<GraphLink> &m_links;
    std::vector<Indexes> m_down;  ///< without cycles
    std::vector<Indexes> m_up;    ///< m_down backwards
    std::vector<Indexes> m_both;  ///< neighbours
    GraphLayout m_layout;
};

/// Turns each edge around that leads back to a node of the path on which a depth-first search has come.
void Layering::makeAcyclic()
{
    std::vector<Indexes> next(m_sizes.size());
    for (const GraphLink &link : m_links) {
        if (link.from == link.to)
            continue;
        next[link.from].push_back(link.to);
        m_both[link.from].push_back(link.to);
        m_both[link.to].push_back(link.from);
    }
    enum class Visit : std::uint8_t { No, OnPath, Done };
    std::vector<Visit> visits(m_sizes.size(), Visit::No);
    std::vector<std::pair<std::uint32_t, std::size_t>> path;
    const auto add = [this](std::uint32_t from, std::uint32_t to) {
        m_down[from].push_back(to);
        m_up[to].push_back(from);
    };
    for (std::uint32_t root = 0; root < m_sizes.size(); ++root) {
        if (visits[root] != Visit::No)
            continue;
        visits[root] = Visit::OnPath;
        path.emplace_back(root, 0);
        while (!path.empty()) {
            const std::uint32_t node = path.back().first;
            if (path.back().second == next[node].size()) {
                visits[node] = Visit::Done;
                path.pop_back();
                continue;
            }
            const std::uint32_t to = next[node][path.back().second++];
            visits[to] == Visit::OnPath ? add(to, node) : add(node, to);
            if (visits[to] == Visit::No) {
                visits[to] = Visit::OnPath;
                path.emplace_back(to, 0);
            }
        }
    }
}

std::vector<Indexes> Layering::parts() const
{
    std::vector<Indexes> parts;
    std::vector<bool> seen(m_sizes.size());
    for (std::uint32_t root = 0; root < m_sizes.size(); ++root) {
        if (seen[root])
            continue;
        Indexes part{root};
        seen[root] = true;
        for (std::size_t i = 0; i < part.size(); ++i) {
            for (const std::uint32_t other : m_both[part[i]]) {
                if (seen[other])
                    continue;
                seen[other] = true;
                part.push_back(other);
            }
        }
        parts.push_back(std::move(part));
    }
    return parts;
}

/// The layer of a node is the length of the longest path to it.
std::vector<Indexes> Layering::layersOf(const Indexes &part) const
{
    std::vector<std::size_t> open(m_sizes.size());
    std::vector<std::size_t> layerOf(m_sizes.size());
    Indexes ready;
    for (const std::uint32_t node : part) {
        open[node] = m_up[node].size();
        if (open[node] == 0)
            ready.push_back(node);
    }
    std::vector<Indexes> layers;
    for (std::size_t i = 0; i < ready.size(); ++i) {
        const std::uint32_t node = ready[i];
        layers.resize(std::max(layers.size(), layerOf[node] + 1));
        layers[layerOf[node]].push_back(node);
        for (const std::uint32_t next : m_down[node]) {
            layerOf[next] = std::max(layerOf[next], layerOf[node] + 1);
            if (--open[next] == 0)
                ready.push_back(next);
        }
    }
    std::vector<Indexes> wrapped;
    for (const Indexes &layer : layers) {
        const std::size_t most = mostInRow(layer.size());
        for (std::size_t begin = 0; begin < layer.size(); begin += most) {
            const std::size_t end = std::min(layer.size(), begin + most);
            wrapped.emplace_back(layer.begin() + static_cast<std::ptrdiff_t>(begin),
                                 layer.begin() + static_cast<std::ptrdiff_t>(end));
        }
    }
    return wrapped;
}

/// Sorts each layer by the average position of the neighbours in other layers, a few times downwards and upwards.
void Layering::order(std::vector<Indexes> &layers) const
{
    constexpr int kSweeps = 4;
    std::vector<double> position(m_sizes.size());
    const auto number = [&position](const Indexes &layer) {
        for (std::size_t i = 0; i < layer.size(); ++i)
            position[layer[i]] = (static_cast<double>(i) + 0.5) / static_cast<double>(layer.size());
    };
    std::for_each(layers.begin(), layers.end(), number);
    const auto sortBy = [&](Indexes &layer, const std::vector<Indexes> &neighbours) {
        std::vector<std::pair<double, std::uint32_t>> keys;
        for (const std::uint32_t node : layer) {
            double sum = 0;
            for (const std::uint32_t other : neighbours[node])
                sum += position[other];
            const auto count = static_cast<double>(neighbours[node].size());
            keys.emplace_back(count > 0 ? sum / count : position[node], node);
        }
        std::stable_sort(keys.begin(), keys.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
        for (std::size_t i = 0; i < layer.size(); ++i)
            layer[i] = keys[i].second;
        number(layer);
    };
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
        if (sweep % 2 == 0)
            std::for_each(layers.begin(), layers.end(), [&](Indexes &layer) { sortBy(layer, m_up); });
        else
            std::for_each(layers.rbegin(), layers.rend(), [&](Indexes &layer) { sortBy(layer, m_down); });
    }
}

/// Centres the layers above one another, and returns the size of the part.
GraphSize Layering::place(const std::vector<Indexes> &layers, std::vector<GraphBox> &boxes) const
{
    std::vector<GraphSize> sizes;
    GraphSize all;
    for (const Indexes &layer : layers) {
        GraphSize size{-kGap, 0};
        for (const std::uint32_t node : layer) {
            size.width += m_sizes[node].width + kGap;
            size.height = std::max(size.height, m_sizes[node].height);
        }
        sizes.push_back(size);
        all.width = std::max(all.width, size.width);
    }
    for (std::size_t i = 0; i < layers.size(); ++i) {
        double x = (all.width - sizes[i].width) / 2;
        all.height += i == 0 ? 0 : kLayerGap;
        for (const std::uint32_t node : layers[i]) {
            boxes[node] = {{x + m_sizes[node].width / 2, all.height + sizes[i].height / 2}, m_sizes[node]};
            x += m_sizes[node].width + kGap;
        }
        all.height += sizes[i].height;
    }
    all.width += kGap;  // room for lines that lead back
    return all;
}

GraphCurve Layering::curveOf(const GraphLink &link) const
{
    const GraphBox &from = m_layout.boxes[link.from];
    const GraphBox &to = m_layout.boxes[link.to];
    const double top = to.centre.y - to.size.height / 2;
    const double bottom = from.centre.y + from.size.height / 2;
    if (top > bottom) {
        const double half = (top - bottom) / 2;
        return {{from.centre.x, bottom}, {from.centre.x, bottom + half}, {to.centre.x, top - half}, {to.centre.x, top}};
    }
    // Back, or to itself: around the right side.
    const double right = from.centre.x + from.size.width / 2;
    const double end = to.centre.x + to.size.width / 2;
    const double outside = std::max(right, end) + kGap;
    const double spread = link.from == link.to ? from.size.height / 4 : 0;
    return {{right, from.centre.y + spread},
            {outside, from.centre.y + 2 * spread},
            {outside, to.centre.y - 2 * spread},
            {end, to.centre.y - spread}};
}

GraphLayout Layering::layout()
{
    makeAcyclic();
    m_layout.boxes.resize(m_sizes.size());
    std::vector<Indexes> all = parts();
    std::vector<GraphSize> sizes;
    double area = 0;
    double widest = 0;
    for (const Indexes &part : all) {
        std::vector<Indexes> layers = layersOf(part);
        order(layers);
        sizes.push_back(place(layers, m_layout.boxes));
        area += (sizes.back().width + kGap) * (sizes.back().height + kGap);
        widest = std::max(widest, sizes.back().width);
    }
    // Parts in lines, as words in a text.
    const double width = std::max(widest, std::sqrt(area * kAspect));
    GraphPoint at{0, 0};
    double height = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (at.x > 0 && at.x + sizes[i].width > width) {
            at = {0, at.y + height + 2 * kGap};
            height = 0;
        }
        for (const std::uint32_t node : all[i]) {
            m_layout.boxes[node].centre.x += at.x;
            m_layout.boxes[node].centre.y += at.y;
        }
        m_layout.size.width = std::max(m_layout.size.width, at.x + sizes[i].width);
        height = std::max(height, sizes[i].height);
        at.x += sizes[i].width + kGap;
        m_layout.size.height = at.y + height;
    }
    for (const GraphLink &link : m_links)
        m_layout.curves.push_back(curveOf(link));
    return std::move(m_layout);
}

}  // namespace

GraphLayout layeredLayout(const std::vector<GraphSize> &nodes, const std::vector<GraphLink> &links)
{
    return Layering(nodes, links).layout();
}

}  // namespace ct
