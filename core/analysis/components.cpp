// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/components.h"

#include <algorithm>

namespace ct {

namespace {

class Components {
public:
    explicit Components(const Successors &successors) : m_successors(successors), m_marks(successors.size()) {}

    std::vector<std::vector<std::uint32_t>> cycles()
    {
        for (std::uint32_t node = 0; node < m_successors.size(); ++node)
            if (m_marks[node].number == 0)
                visit(node);
        return std::move(m_cycles);
    }

private:
    struct Mark {
        std::uint32_t number = 0;  ///< order of the visits, from 1; 0 = not visited
        std::uint32_t low = 0;     ///< smallest number that is reachable
        bool onStack = false;
    };
    struct Frame {
        std::uint32_t node = 0;
        std::size_t next = 0;  ///< index of the next edge
    };
    void visit(std::uint32_t root);
    void enter(std::uint32_t node)
    {
        m_marks[node] = {m_next, m_next, true};
        ++m_next;
        m_stack.push_back(node);
        m_frames.push_back({node});
    }
    void complete(std::uint32_t root);

    const Successors &m_successors;
    std::vector<Mark> m_marks;
    std::vector<std::uint32_t> m_stack;  ///< nodes whose component is not complete
    std::vector<Frame> m_frames;
    std::uint32_t m_next = 1;
    std::vector<std::vector<std::uint32_t>> m_cycles;
};

void Components::visit(std::uint32_t root)
{
    enter(root);
    while (!m_frames.empty()) {
        Frame &frame = m_frames.back();
        Mark &mark = m_marks[frame.node];
        if (frame.next < m_successors[frame.node].size()) {
            const std::uint32_t next = m_successors[frame.node][frame.next++];
            if (m_marks[next].number == 0)
                enter(next);
            else if (m_marks[next].onStack)
                mark.low = std::min(mark.low, m_marks[next].number);
            continue;
        }
        const std::uint32_t done = frame.node;
        m_frames.pop_back();
        if (!m_frames.empty()) {
            Mark &outer = m_marks[m_frames.back().node];
            outer.low = std::min(outer.low, mark.low);
        }
        if (mark.low == mark.number)
            complete(done);
    }
}

void Components::complete(std::uint32_t root)
{
    std::vector<std::uint32_t> members;
    do {
        members.push_back(m_stack.back());
        m_stack.pop_back();
        m_marks[members.back()].onStack = false;
    } while (members.back() != root);
    const std::vector<std::uint32_t> &next = m_successors[root];
    if (members.size() == 1 && std::find(next.begin(), next.end(), root) == next.end())
        return;
    std::sort(members.begin(), members.end());
    m_cycles.push_back(std::move(members));
}

}  // namespace

std::vector<std::vector<std::uint32_t>> cyclesOf(const Successors &successors)
{
    return Components(successors).cycles();
}

}  // namespace ct
