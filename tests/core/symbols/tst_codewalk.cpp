// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/symbols/codewalk.h"
#include "tests/support/check.h"

#include <cstring>
#include <random>
#include <string>
#include <vector>

using ct::CodeWalk;

namespace {

constexpr std::uint64_t kCode = 0x1000;
constexpr std::uint64_t kFrame = 0x8000;

/// Code at 0x1000, a frame of zeros at 0x8000, and no other memory.
ct::MemoryReader memory(std::string code)
{
    code.resize(1024, '\xCC');
    return [code](std::uint64_t address, void *to, std::size_t size) {
        if (address >= kFrame && address + size <= kFrame + 256)
            std::memset(to, 0, size);
        else if (address >= kCode && address + size <= kCode + code.size())
            std::memcpy(to, code.data() + (address - kCode), size);
        else
            return false;
        return true;
    };
}

/// Returns the offsets of the executed instructions from the start of the code. The last one may be unknown.
std::string walked(CodeWalk &walk)
{
    std::string steps;
    walk.walk(kCode, kFrame, [&](std::uint64_t address, std::optional<std::uint64_t> target) {
        steps += std::to_string(address - kCode);
        if (target)
            steps.append("!").append(std::to_string(*target - kCode));
        steps += ' ';
        return false;
    });
    return steps;
}

template <std::size_t N>
std::string bytes(const char (&text)[N])
{
    return std::string(text, N - 1);
}

}  // namespace

CT_CASE(followsASwitchByComparisons)
{
    // movzwl 0x30(%rdi),%eax; cmp $4,%ax; je +2; int3; int3; call +16
    const std::string code = bytes("\x0f\xb7\x47\x30\x66\x83\xf8\x04\x74\x02\xcc\xcc\xe8\x10\x00\x00\x00");
    CodeWalk four(memory(code));
    four.pretend(kFrame + 0x30, 4, 2);
    CHECK_EQUAL(walked(four), "0 4 8 12!33 ");
    CodeWalk zero(memory(code));
    CHECK_EQUAL(walked(zero), "0 4 8 10 ");
}

CT_CASE(followsASwitchOnAByte)
{
    // mov 0x11(%rdi),%al: the rest of the register is unknown; cmp $2,%al; je +1; int3; nop; mov %eax,%ecx;
    // test %ecx,%ecx; je: undecidable
    const std::string code = bytes("\x8a\x47\x11\x3c\x02\x74\x01\xcc\x90\x89\xc1\x85\xc9\x74\x00\x90");
    CodeWalk walk(memory(code));
    walk.pretend(kFrame + 0x11, 2, 1);
    CHECK_EQUAL(walked(walk), "0 3 5 8 9 11 13 ");
}

CT_CASE(followsASwitchByATable)
{
    // movzbl 0x28(%rdi),%eax; lea 10(%rip),%rcx; movslq (%rcx,%rax,4),%rax; add %rcx,%rax; jmp *%rax; nop; table
    const std::string code =
        bytes("\x0f\xb6\x47\x28\x48\x8d\x0d\x0a\x00\x00\x00\x48\x63\x04\x81\x48\x01\xc8\xff\xe0\x90"
              "\x08\x00\x00\x00\x09\x00\x00\x00\x90\x90\x90");
    CodeWalk first(memory(code));
    CHECK_EQUAL(walked(first).substr(0, 18), "0 4 11 15 18 29 30");
    CodeWalk second(memory(code));
    second.pretend(kFrame + 0x28, 1, 1);
    CHECK_EQUAL(walked(second).substr(0, 18), "0 4 11 15 18 30 31");
}

CT_CASE(writesDoNotChangeTheTarget)
{
    // push %rbp; mov %rsp,%rbp; mov %rdi,-8(%rbp); mov -8(%rbp),%rax; movb $1,0x10(%rax); cmpb $1,0x10(%rdi); je +0;
    // nop
    const std::string code =
        bytes("\x55\x48\x89\xe5\x48\x89\x7d\xf8\x48\x8b\x45\xf8\xc6\x40\x10\x01\x80\x7f\x10\x01\x74\x00\x90");
    CodeWalk walk(memory(code));
    const std::string once = walked(walk);
    CHECK_EQUAL(once.substr(0, 18), "0 1 4 8 12 16 20 2");
    CHECK_EQUAL(walked(walk), once);
}

CT_CASE(unknownValuesEndTheWalk)
{
    // test %esi,%esi; je: the argument is unknown
    CodeWalk branch(memory(bytes("\x85\xf6\x74\x00\x90")));
    CHECK_EQUAL(walked(branch), "0 2 ");
    // mov %eax,(%rsi): the address is unknown
    CodeWalk anywhere(memory(bytes("\x89\x06\x90")));
    CHECK_EQUAL(walked(anywhere), "0 ");
    // mov %fs:0x28,%rax; jmp *%rax
    CodeWalk threadLocal(memory(bytes("\x64\x48\x8b\x04\x25\x28\x00\x00\x00\xff\xe0")));
    CHECK_EQUAL(walked(threadLocal), "0 9 ");
    // jmp to itself
    CodeWalk loop(memory(bytes("\xeb\xfe")));
    CHECK_EQUAL(walked(loop).size(), 2 * 20'000U);
}

CT_CASE(walksOfRandomBytesEnd)
{
    std::mt19937 random(3);
    for (int i = 0; i < 20'000; ++i) {
        std::string code(64, '\0');
        for (char &byte : code)
            byte = static_cast<char>(random());
        CodeWalk walk(memory(code));
        std::size_t steps = 0;
        walk.walk(kCode, kFrame, [&](std::uint64_t, std::optional<std::uint64_t>) { return ++steps > 1000; });
        CHECK(steps <= 1001);
    }
}
