// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Nested functions, to be resolved from their addresses. Lines that a test needs are marked.
#include "printaddress.h"

#include <vector>

void libraryFunction(int times);

namespace shapes {

[[gnu::always_inline]] inline void innermost()
{
    PRINT_ADDRESS("innermost");
}

[[gnu::always_inline]] inline void middle(int value)
{
    if (value > 0)
        innermost();  // MARK middle
}

template <class T>
[[gnu::noinline]] void outer(T value)
{
    middle(static_cast<int>(value));  // MARK outer
    std::putchar('\n');
}

struct Box {
    std::vector<int> content;
    [[gnu::noinline]] void method() const
    {
        PRINT_ADDRESS("method");
        std::putchar('\n');
    }
};

}  // namespace shapes

namespace {

[[gnu::noinline]] int hidden(int value)
{
    PRINT_ADDRESS("hidden");
    return value + 1;
}

}  // namespace

int main(int argc, char **)
{
    shapes::outer(static_cast<long>(argc));
    shapes::Box{{argc}}.method();
    const auto lambda = [argc](int value) __attribute__((noinline))
    {
        PRINT_ADDRESS("lambda");
        return value + argc;
    };
    const int sum = hidden(argc) + lambda(argc);
    libraryFunction(sum);
    printMap();
    return 0;
}
