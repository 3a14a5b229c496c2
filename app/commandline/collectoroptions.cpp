// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/collectoroptions.h"

#include "app/commandline/collectordatabase.h"
#include "app/commandline/exportoptions.h"
#include "app/commandline/optionvalues.h"
#include "core/exporting/exportformat.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace ct {

namespace {

constexpr const char *kDefaultOut = "trace_output.jsonl";
constexpr const char *kDefaultRegion = "/tmp/corotracer.shm";
constexpr const char *kDefaultSocket = "/tmp/corotracer.sock";

std::string_view nameOf(std::string_view argument)
{
    return argument.substr(0, argument.find('='));
}

/// Returns the option with one dash; empty: not an option of the collector. The collector accepts one dash or two.
std::string_view collectorOption(std::string_view argument)
{
    std::string_view name = nameOf(argument);
    if (name.starts_with("--"))
        name.remove_prefix(1);
    const auto found = std::find(kCollectorOptions.begin(), kCollectorOptions.end(), name);
    return found != kCollectorOptions.end() ? *found : std::string_view();
}

/// True for a spelling that only the collector has.
bool isOwnSpelling(std::string_view argument)
{
    constexpr std::array<std::string_view, 4> kShared{"--cmd", "--shm", "--sock", "--export"};
    return !collectorOption(argument).empty() &&
           std::find(kShared.begin(), kShared.end(), nameOf(argument)) == kShared.end();
}

bool isStations(std::string_view argument)
{
    const std::string_view name = nameOf(argument);
    return name == "-n" || name == "--n";
}

std::string trimmed(std::string_view text)
{
    const auto isBlank = [](unsigned char c) { return std::isspace(c) != 0; };
    while (!text.empty() && isBlank(static_cast<unsigned char>(text.front())))
        text.remove_prefix(1);
    while (!text.empty() && isBlank(static_cast<unsigned char>(text.back())))
        text.remove_suffix(1);
    return std::string(text);
}

std::string lowerCase(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

class Rewriter {
public:
    explicit Rewriter(const std::vector<std::string> &arguments)
        : m_arguments(arguments), m_end(std::find(arguments.begin(), arguments.end(), "--"))
    {
    }
    Result<CurrentArguments> rewrite();

private:
    using Iterator = std::vector<std::string>::const_iterator;
    Result<std::string> takeValue(Iterator &at) const;
    Result<void> readValues();
    Result<void> addOne(Iterator &at);
    Result<void> addExport(const std::string &kind, bool hasOutput);
    void addCapture();
    void addInput();
    void warn();
    void add(std::initializer_list<std::string> arguments)
    {
        m_result.arguments.insert(m_result.arguments.end(), arguments);
    }
    /// The value of an option; empty: not given. The collector treats an empty value as not given.
    std::string value(std::string_view option) const;
    bool captures() const { return !value("-cmd").empty() || m_hasSource; }
    std::string out() const { return value("-out").empty() ? kDefaultOut : value("-out"); }

    const std::vector<std::string> &m_arguments;
    const Iterator m_end;                         ///< "--", or the end
    std::map<std::string, std::string> m_values;  ///< by option; the last one counts
    std::vector<std::string> m_exports;           ///< kinds
    bool m_hasSource = false;                     ///< --, --listen or --attach
    bool m_hasInput = false;                      ///< --input
    bool m_hasOutput = false;                     ///< -o in front of the first --export
    CurrentArguments m_result;
};

std::string Rewriter::value(std::string_view option) const
{
    const auto found = m_values.find(std::string(option));
    return found == m_values.end() ? std::string() : trimmed(found->second);
}

/// Moves `at` past the option and its value.
Result<std::string> Rewriter::takeValue(Iterator &at) const
{
    const std::string &argument = *at++;
    if (const std::size_t equals = argument.find('='); equals != std::string::npos)
        return argument.substr(equals + 1);
    if (at == m_end)
        return usageError(argument + ": its value is missing");
    return *at++;
}

Result<void> Rewriter::readValues()
{
    m_hasSource = m_end != m_arguments.end();
    for (Iterator at = m_arguments.begin(); at != m_end;) {
        const std::string_view option = collectorOption(*at);
        const std::string_view name = nameOf(*at);
        m_hasSource = m_hasSource || name == "--listen" || name == "--attach";
        m_hasInput = m_hasInput || name == "--input";
        m_hasOutput = m_hasOutput || ((name == "-o" || name == "--output") && m_exports.empty());
        if (option.empty()) {
            ++at;
            continue;
        }
        const Result<std::string> read = takeValue(at);
        if (!read)
            return read.error();
        if (option == "-export")
            m_exports.push_back(lowerCase(trimmed(*read)));
        else
            m_values[std::string(option)] = *read;
    }
    return {};
}

/// Adds an export with the output that the collector's options name, or with the default.
Result<void> Rewriter::addExport(const std::string &value, bool hasOutput)
{
    std::vector<CommandLine::Export> parsed;
    if (Result<void> known = ct::addExport(parsed, value); !known)
        return known;
    const std::string &kind = parsed.front().kind;
    add({"--export", kind});
    if (hasOutput)
        return {};
    if (isOfServer(parsed.front())) {
        const Result<std::string> address =
            collectorDatabase(kind, [this](auto option) { return this->value(option); });
        if (!address)
            return address.error();
        add({"--output", *address});
        return {};
    }
    const std::string named = this->value("-" + kind + "-out");
    const ExportFormat *const format = exportFormatOfKind(kind);
    if (!named.empty()) {
        add({"--output", named});
        m_result.inNewFolders.push_back(named);
    } else if (captures() && !m_hasOutput)
        add({"--output", withoutEnding(out()) + "." + std::string(format->extension)});
    return {};
}

Result<void> Rewriter::addOne(Iterator &at)
{
    const std::string_view option = collectorOption(*at);
    if (option.empty() && !isStations(*at)) {
        add({*at++});
        return {};
    }
    const bool isNumber = option.empty();
    const Result<std::string> read = takeValue(at);
    if (!read)
        return read.error();
    if (isNumber)
        add({"-n", *read});
    if (option == "-export" && !trimmed(*read).empty()) {
        const bool hasOutput = at != m_end && (nameOf(*at) == "-o" || nameOf(*at) == "--output");
        return addExport(lowerCase(trimmed(*read)), hasOutput);
    }
    return {};
}

/// Collecting always writes JSONL, unless -o names another recording.
void Rewriter::addCapture()
{
    if (!value("-cmd").empty()) {
        add({"--cmd", value("-cmd"), "--shm", value("-shm").empty() ? kDefaultRegion : value("-shm"), "--sock",
             value("-sock").empty() ? kDefaultSocket : value("-sock")});
        m_result.replacesUnusedRegion = true;  // the collector leaves its region, and replaces it in the next run
    } else {
        for (const char *option : {"-shm", "-sock"}) {
            if (!value(option).empty())
                add({std::string("-") + option, value(option)});
        }
    }
    if (!value("-out").empty() || (!value("-cmd").empty() && !m_hasOutput)) {
        add({"--export", "jsonl", "--output", out()});
        m_result.appended = out();
    }
}

void Rewriter::addInput()
{
    if (!m_hasInput && !m_exports.empty())
        add({"--input", value("-in").empty() ? out() : value("-in")});
}

void Rewriter::warn()
{
    const auto exports = [this](std::string_view kind) {
        return std::any_of(m_exports.begin(), m_exports.end(), [kind](const std::string &one) {
            return one == kind || (kind == "csv" && one == "dataframe");
        });
    };
    for (const char *kind : {"sqlite", "csv"}) {
        const std::string option = std::string("-") + kind + "-out";
        if (!value(option).empty() && !exports(kind))
            m_result.warnings.push_back(option + " is ignored without -export " + kind);
    }
    if (!value("-db-cli").empty())
        m_result.warnings.push_back("-db-cli is ignored: no other program is needed to reach a database");
    m_result.databasePassword = m_values["-db-password"];
    if (!m_result.databasePassword.empty())
        m_result.warnings.push_back(
            "the password of -db-password is visible in the list of processes; set PGPASSWORD or "
            "MYSQL_PWD instead");
}

Result<CurrentArguments> Rewriter::rewrite()
{
    if (Result<void> read = readValues(); !read)
        return read.error();
    if (captures() && !value("-in").empty())
        return usageError("-in names a recording to convert, which cannot be combined with a capture; leave out one "
                          "of them");
    if (!captures() && m_exports.empty() && !m_hasInput)
        return usageError("the options of the collector need -cmd to collect, or -export to convert");
    add({"--batch"});
    for (Iterator at = m_arguments.begin(); at != m_end;) {
        if (Result<void> added = addOne(at); !added)
            return added.error();
    }
    if (captures())
        addCapture();
    else
        addInput();
    warn();
    m_result.arguments.insert(m_result.arguments.end(), m_end, m_arguments.end());
    return std::move(m_result);
}

}  // namespace

Result<CurrentArguments> withoutCollectorOptions(const std::vector<std::string> &arguments)
{
    const auto end = std::find(arguments.begin(), arguments.end(), "--");
    if (std::none_of(arguments.begin(), end, isOwnSpelling))
        return CurrentArguments{arguments, {}, {}, {}, {}, {}};
    return Rewriter(arguments).rewrite();
}

}  // namespace ct
