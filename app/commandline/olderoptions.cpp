// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/olderoptions.h"

#include "app/commandline/optionvalues.h"

#include <algorithm>

namespace ct {

namespace {

constexpr const char *kDefaultInput = "trace_output.jsonl";

struct OlderMode {
    std::string_view option;
    const char *report;
    const char *reportFile;
};
constexpr std::array<OlderMode, 2> kModes{{
    {"-deepdive", "markdown", "coro_report.md"},
    {"-html", "html", "coro_dashboard.html"},
}};

/// The existing collector accepts one dash or two.
bool isOption(std::string_view argument, std::string_view option)
{
    return argument == option || (argument.starts_with('-') && argument.substr(1) == option);
}

const OlderMode *modeOf(std::string_view argument)
{
    const auto found = std::find_if(kModes.begin(), kModes.end(),
                                    [argument](const OlderMode &mode) { return isOption(argument, mode.option); });
    return found != kModes.end() ? &*found : nullptr;
}

/// True for an argument that selects what to judge.
bool selectsSource(std::string_view argument)
{
    constexpr std::array<std::string_view, 5> kSources{"--", "--input", "--attach", "--listen", "--cmd"};
    const std::string_view name = argument.substr(0, argument.find('='));
    return std::find(kSources.begin(), kSources.end(), name) != kSources.end();
}

class Rewriter {
public:
    explicit Rewriter(const std::vector<std::string> &arguments) : m_arguments(arguments) {}
    Result<std::vector<std::string>> rewrite(const OlderMode &mode);

private:
    bool hasNext() const { return m_next < m_arguments.size() && m_arguments[m_next] != "--"; }
    Result<void> rewriteOne(const OlderMode &mode);
    void setInput(const std::string &path);

    const std::vector<std::string> &m_arguments;
    std::size_t m_next = 0;
    bool m_hasSource = false;
    bool m_hasReportFile = false;
    std::vector<std::string> m_result{"--batch"};
};

void Rewriter::setInput(const std::string &path)
{
    m_hasSource = true;
    m_result.insert(m_result.end(), {"--input", path});
}

Result<void> Rewriter::rewriteOne(const OlderMode &mode)
{
    const std::string &argument = m_arguments[m_next++];
    const std::string name = argument.substr(0, argument.find('='));
    if (const OlderMode *const other = modeOf(argument)) {
        if (other != &mode)
            return usageError(std::string(mode.option) + " and " + std::string(other->option) +
                              " cannot be used together; give only one of them");
        if (hasNext() && !m_arguments[m_next].starts_with('-'))
            setInput(m_arguments[m_next++]);
    } else if (isOption(name, "-out")) {
        if (name.size() != argument.size())
            setInput(argument.substr(name.size() + 1));
        else if (hasNext())
            setInput(m_arguments[m_next++]);
        else
            return usageError(argument + ": its value is missing");
    } else {
        m_hasSource = m_hasSource || selectsSource(argument);
        m_hasReportFile = m_hasReportFile || name == "--report-out";
        m_result.push_back(argument);
    }
    return {};
}

Result<std::vector<std::string>> Rewriter::rewrite(const OlderMode &mode)
{
    while (hasNext())
        if (Result<void> rewritten = rewriteOne(mode); !rewritten)
            return rewritten.error();
    m_hasSource = m_hasSource || m_next < m_arguments.size();
    if (!m_hasSource)
        setInput(kDefaultInput);
    m_result.insert(m_result.end(), {"--report", mode.report});
    if (!m_hasReportFile)
        m_result.insert(m_result.end(), {"--report-out", mode.reportFile});
    m_result.insert(m_result.end(), m_arguments.begin() + static_cast<std::ptrdiff_t>(m_next), m_arguments.end());
    return std::move(m_result);
}

}  // namespace

Result<std::vector<std::string>> withoutOlderOptions(const std::vector<std::string> &arguments)
{
    for (const std::string &argument : arguments) {
        if (argument == "--")
            break;
        if (const OlderMode *const mode = modeOf(argument))
            return Rewriter(arguments).rewrite(*mode);
    }
    return arguments;
}

}  // namespace ct
