// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/symbols/codewalkstate.h"

#include <algorithm>

namespace ct {

namespace {

constexpr int kStackRegister = 4;
constexpr int kFirstArgument = 7;  // rdi
// The walk's own stack, where no process has memory.
constexpr std::uint64_t kStack = 0xFFFF'F000'0000'0000;
constexpr std::uint64_t kStackBegin = 0xFFFF'0000'0000'0000;

bool isNegative(std::uint64_t value, int width)
{
    return ((value >> (8 * width - 1)) & 1) != 0;
}

}  // namespace

std::uint64_t CodeWalkState::cut(std::uint64_t value, int width)
{
    return width == 8 ? value : value & ((std::uint64_t{1} << (8 * width)) - 1);
}

std::uint64_t CodeWalkState::signExtended(std::uint64_t value, int width)
{
    const int unused = 64 - 8 * width;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
}

void CodeWalkState::pretend(std::uint64_t address, std::uint64_t value, std::size_t size)
{
    for (std::size_t i = 0; i < size; ++i)
        m_pretended[address + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

void CodeWalkState::beginCall(std::uint64_t argument)
{
    m_written = m_pretended;
    m_registers.fill({});
    m_registers[kFirstArgument] = {argument, 8};
    m_registers[kStackRegister] = {kStack, 8};
    m_flags = {};
}

bool CodeWalkState::readByte(std::uint64_t address, std::uint8_t &byte)
{
    if (address >= kStackBegin)
        return false;
    auto cached = m_cache.find(address / 64);
    if (cached == m_cache.end()) {
        std::array<std::uint8_t, 64> bytes{};
        const bool known = m_read(address / 64 * 64, bytes.data(), bytes.size());
        cached = m_cache.emplace(address / 64, known ? std::optional(bytes) : std::nullopt).first;
    }
    if (!cached->second)
        return false;
    byte = (*cached->second)[address % 64];
    return true;
}

CodeWalkState::Value CodeWalkState::load(std::uint64_t address, int width)
{
    std::uint64_t value = 0;
    for (int i = 0; i < width; ++i) {
        std::uint8_t byte = 0;
        const auto written = m_written.find(address + static_cast<std::uint64_t>(i));
        if (written != m_written.end()) {
            if (!written->second)
                return std::nullopt;
            byte = *written->second;
        } else if (!readByte(address + static_cast<std::uint64_t>(i), byte)) {
            return std::nullopt;
        }
        value |= std::uint64_t{byte} << (8 * i);
    }
    return value;
}

void CodeWalkState::store(std::uint64_t address, int width, Value value)
{
    for (int i = 0; i < width; ++i)
        m_written[address + static_cast<std::uint64_t>(i)] =
            value ? std::optional(static_cast<std::uint8_t>(*value >> (8 * i))) : std::nullopt;
}

CodeWalkState::Value CodeWalkState::getRegister(int reg, int width) const
{
    const bool second = width == 1 && m_namesSecondBytes && reg >= 4;
    const Register &from = m_registers[static_cast<std::size_t>(second ? reg - 4 : reg)];
    if (from.known < (second ? 2 : width))
        return std::nullopt;
    return cut(second ? from.value >> 8 : from.value, width);
}

bool CodeWalkState::setRegister(int reg, int width, Value value)
{
    if (width == 1 && m_namesSecondBytes && reg >= 4)
        return false;
    Register &target = m_registers[static_cast<std::size_t>(reg)];
    if (!value)
        target.known = 0;
    else if (width >= 4)
        target = {cut(*value, width), 8};
    else
        target = {(target.value & ~cut(~std::uint64_t{0}, width)) | cut(*value, width), std::max(target.known, width)};
    return true;
}

CodeWalkState::Value CodeWalkState::get(const Operand &operand, int width)
{
    if (operand.reg >= 0)
        return getRegister(operand.reg, width);
    return operand.address ? load(*operand.address, width) : std::nullopt;
}

bool CodeWalkState::set(const Operand &operand, int width, Value value)
{
    if (operand.reg >= 0)
        return setRegister(operand.reg, width, value);
    if (!operand.address)
        return false;  // the write could change any address
    store(*operand.address, width, value);
    return true;
}

void CodeWalkState::setLogicFlags(Value result, int width)
{
    m_flags = {};
    if (result)
        m_flags = {cut(*result, width) == 0, isNegative(*result, width), false, false};
}

bool CodeWalkState::arithmetic(Operation operation, const Operand &to, Value with, int width)
{
    const Value before = get(to, width);
    if (operation == Operation::AddCarry || operation == Operation::SubtractCarry)
        return false;
    if (operation == Operation::Xor && to.reg >= 0 && !before && !with)
        return false;
    Value result;
    if (before && with) {
        const std::uint64_t a = *before;
        const std::uint64_t b = cut(*with, width);
        switch (operation) {
        case Operation::Add: result = cut(a + b, width); break;
        case Operation::Or: result = a | b; break;
        case Operation::And: result = a & b; break;
        case Operation::Xor: result = a ^ b; break;
        default: result = cut(a - b, width); break;
        }
        setLogicFlags(result, width);
        if (operation == Operation::Subtract || operation == Operation::Compare) {
            m_flags.carry = a < b;
            m_flags.overflow = isNegative((a ^ b) & (a ^ *result), width);
        } else if (operation == Operation::Add) {
            m_flags.carry = *result < a;
            m_flags.overflow = isNegative(~(a ^ b) & (a ^ *result), width);
        }
    } else {
        m_flags = {};
    }
    return operation == Operation::Compare || set(to, width, result);
}

bool CodeWalkState::shift(int operation, const Operand &to, Value count, int width)
{
    const Value before = get(to, width);
    m_flags = {};
    Value result;
    if (before && count) {
        const int by = static_cast<int>(*count & (width == 8 ? 63 : 31));
        if (operation == 4 || operation == 6)
            result = cut(*before << by, width);
        else if (operation == 5)
            result = *before >> by;
        else if (operation == 7)
            result =
                cut(static_cast<std::uint64_t>(static_cast<std::int64_t>(signExtended(*before, width)) >> by), width);
        else
            return false;
    }
    return set(to, width, result);
}

void CodeWalkState::testBit(Value bits, Value index, int width)
{
    m_flags = {};
    if (bits && index)
        m_flags.carry = ((*bits >> (*index % (8 * static_cast<unsigned>(width)))) & 1) != 0;
}

std::optional<bool> CodeWalkState::condition(int code) const
{
    const auto either = [](std::optional<bool> a, std::optional<bool> b) {
        return a && b ? std::optional(*a || *b) : std::nullopt;
    };
    const auto differ = [](std::optional<bool> a, std::optional<bool> b) {
        return a && b ? std::optional(*a != *b) : std::nullopt;
    };
    std::optional<bool> result;
    switch (code >> 1) {
    case 0: result = m_flags.overflow; break;
    case 1: result = m_flags.carry; break;
    case 2: result = m_flags.zero; break;
    case 3: result = either(m_flags.carry, m_flags.zero); break;
    case 4: result = m_flags.sign; break;
    case 6: result = differ(m_flags.sign, m_flags.overflow); break;
    case 7: result = either(differ(m_flags.sign, m_flags.overflow), m_flags.zero); break;
    default: break;
    }
    return result && (code & 1) != 0 ? std::optional(!*result) : result;
}

bool CodeWalkState::push(Value value)
{
    Register &stack = m_registers[kStackRegister];
    if (stack.known < 8)
        return false;
    stack.value -= 8;
    store(stack.value, 8, value);
    return true;
}

}  // namespace ct
