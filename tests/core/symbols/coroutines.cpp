// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Coroutines as with an existing SDK: only the addresses of their frames are known. Prints "<name> <line> <frame>" for
// each when it is suspended. A line of input resumes all of them.
#include "printaddress.h"

#include <coroutine>
#include <cstdlib>
#include <vector>

namespace {

struct Suspended {
    const char *name;
    int line;
    void *frame;
};
std::vector<Suspended> suspended;

}  // namespace

struct Task {
    struct promise_type {
        Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::abort(); }
    };
    std::coroutine_handle<promise_type> handle;
};

/// Like the awaitables of such SDKs: await_suspend() and await_resume() both do something.
struct Turn {
    const char *name;
    int line = __builtin_LINE();
    static inline int turns = 0;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> self) const { suspended.push_back({name, line, self.address()}); }
    int await_resume() const noexcept { return ++turns; }
};

namespace work {

Task sequence(int from)
{
    int sum = from;
    sum += co_await Turn{"sequence"};
    if (sum > 0)
        sum += co_await Turn{"sequence"};
    std::printf("# %d\n", sum);
    sum += co_await Turn{"sequence"};
    std::printf("# %d\n", sum);
}

template <class T>
Task loop(T count)
{
    for (T i = 0; i < count; ++i) {
        const int turn = co_await Turn{"loop"};
        std::printf("# %d\n", turn);
        co_await Turn{"loop"};
    }
}

Task silent()
{
    suspended.push_back({"silent", __LINE__ + 1, nullptr});
    co_await std::suspend_always{};
    std::puts("# silent");
    suspended.push_back({"silent", __LINE__ + 1, nullptr});
    co_await std::suspend_always{};
    std::puts("# silent again");
    co_await std::suspend_always{};
}

/// Never suspends. A reader of the frame cannot distinguish this suspension from the one before it, which does happen.
struct Ready {
    bool await_ready() const noexcept { return true; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    void await_resume() const noexcept { ++Turn::turns; }
};

Task ready()
{
    suspended.push_back({"ready", __LINE__ + 1, nullptr});
    co_await std::suspend_always{};
    co_await Ready{};
    suspended.push_back({"ready", __LINE__ + 1, nullptr});
    co_await std::suspend_always{};
    co_await Ready{};
    co_await std::suspend_always{};
}

}  // namespace work

int main(int argc, char **)
{
    const std::vector<Task> tasks{work::sequence(argc), work::loop<long>(argc + 1), work::silent(), work::ready()};
    printMap();
    for (int round = 0; round < 3; ++round) {
        std::puts("round");
        for (const Suspended &one : suspended) {
            const bool silent = std::strcmp(one.name, "silent") == 0;
            const bool ready = std::strcmp(one.name, "ready") == 0;
            std::printf("%s %d %p\n", one.name, one.line,
                        silent  ? tasks[2].handle.address()
                        : ready ? tasks[3].handle.address()
                                : one.frame);
        }
        std::puts("go");
        std::fflush(stdout);
        char line[16];
        if (!std::fgets(line, sizeof(line), stdin))
            break;
        suspended.clear();
        for (const Task &task : tasks) {
            if (!task.handle.done())
                task.handle.resume();
        }
    }
    std::printf("finished 0 %p\ngo\n", tasks[0].handle.address());
    std::fflush(stdout);
    std::getchar();
    for (const Task &task : tasks)
        task.handle.destroy();
    return 0;
}
