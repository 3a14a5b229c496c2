// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "arguments.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace targets {

Arguments &Arguments::number(const char *name, std::uint64_t fallback, std::uint64_t minimum, std::uint64_t maximum,
                             const char *help)
{
    m_options[name] = {Option::Kind::Number, help, minimum, maximum, {}, fallback, {}};
    return *this;
}

Arguments &Arguments::flag(const char *name, const char *help)
{
    m_options[name] = {Option::Kind::Flag, help, 0, 1, {}, 0, {}};
    return *this;
}

Arguments &Arguments::choice(const char *name, std::vector<std::string> choices, const char *help)
{
    const std::string first = choices.front();
    m_options[name] = {Option::Kind::Choice, help, 0, 0, std::move(choices), 0, first};
    return *this;
}

void Arguments::parse(int argc, char **argv)
{
    m_program = argc > 0 ? argv[0] : "program";
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--help") {
            printHelp();
            std::exit(0);
        }
        const std::size_t equals = argument.find('=');
        const std::string name = argument.substr(0, equals);
        const auto found = m_options.find(name);
        if (found == m_options.end())
            refuse("unknown argument '" + argument + "'");
        Option &option = found->second;
        if (option.kind == Option::Kind::Flag && equals == std::string::npos)
            option.value = 1;
        else if (option.kind == Option::Kind::Flag)
            refuse(name + " takes no value");
        else if (equals != std::string::npos)
            take(option, name, argument.substr(equals + 1));
        else if (i + 1 < argc)
            take(option, name, argv[++i]);
        else
            refuse(name + " needs a value");
    }
}

void Arguments::take(Option &option, const std::string &name, const std::string &text)
{
    if (option.kind == Option::Kind::Choice) {
        if (std::find(option.choices.begin(), option.choices.end(), text) == option.choices.end())
            refuse(name + ": unknown value '" + text + "'");
        option.word = text;
        return;
    }
    const char *end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, option.value);
    if (error != std::errc{} || stop != end)
        refuse(name + ": '" + text + "' is not a whole number");
    if (option.value < option.minimum || option.value > option.maximum)
        refuse(name + ": " + text + " is not within " + std::to_string(option.minimum) + " and " +
               std::to_string(option.maximum));
}

std::uint64_t Arguments::value(std::string_view name) const
{
    return find(name).value;
}

bool Arguments::isSet(std::string_view name) const
{
    return find(name).value != 0;
}

std::string Arguments::word(std::string_view name) const
{
    return find(name).word;
}

const Arguments::Option &Arguments::find(std::string_view name) const
{
    return m_options.find(name)->second;
}

void Arguments::printHelp() const
{
    std::printf("%s: %s\n", m_program.c_str(), m_purpose.c_str());
    for (const auto &[name, option] : m_options) {
        std::string detail = option.help;
        if (option.kind == Option::Kind::Number)
            detail += " (default " + std::to_string(option.value) + ")";
        for (const std::string &word : option.choices)
            detail += (&word == &option.choices.front() ? ": " : ", ") + word;
        std::printf("  %-18s %s\n", name.c_str(), detail.c_str());
    }
}

void Arguments::refuse(const std::string &message) const
{
    std::fprintf(stderr, "%s: %s (see --help)\n", m_program.c_str(), message.c_str());
    std::exit(2);
}

}  // namespace targets
