// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace targets {

/// The command line of a test program: declare the options, then call parse(). On an error, it prints one line that
/// names the argument to stderr, and exits with status 2. With --help, it prints the options and exits with status 0.
class Arguments {
public:
    explicit Arguments(std::string purpose) : m_purpose(std::move(purpose)) {}

    /// An option with a whole number within [minimum, maximum].
    Arguments &number(const char *name, std::uint64_t fallback, std::uint64_t minimum, std::uint64_t maximum,
                      const char *help);
    Arguments &flag(const char *name, const char *help);
    /// An option with one word out of `choices`. The first word is the default.
    Arguments &choice(const char *name, std::vector<std::string> choices, const char *help);

    void parse(int argc, char **argv);

    [[nodiscard]] std::uint64_t value(std::string_view name) const;
    [[nodiscard]] bool isSet(std::string_view name) const;
    [[nodiscard]] std::string word(std::string_view name) const;

private:
    struct Option {
        enum class Kind { Number, Flag, Choice } kind = Kind::Flag;
        std::string help;
        std::uint64_t minimum = 0;
        std::uint64_t maximum = 0;
        std::vector<std::string> choices;
        std::uint64_t value = 0;
        std::string word;
    };
    [[nodiscard]] const Option &find(std::string_view name) const;
    void take(Option &option, const std::string &name, const std::string &text);
    void printHelp() const;
    [[noreturn]] void refuse(const std::string &message) const;

    std::string m_purpose;
    std::string m_program;
    std::map<std::string, Option, std::less<>> m_options;
};

}  // namespace targets
