// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/symbols/codewalk.h"

#include <type_traits>

namespace ct {

namespace {

constexpr int kMostInstructions = 20'000;
constexpr int kNoIndex = 4;

std::uint64_t moved(std::uint64_t from, std::int64_t distance)
{
    return from + static_cast<std::uint64_t>(distance);
}

}  // namespace

template <class T>
bool CodeWalk::fetch(T &value)
{
    std::make_unsigned_t<T> bits = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        std::uint8_t byte = 0;
        if (!m_state.readByte(m_at + i, byte))
            return false;
        bits = static_cast<decltype(bits)>(bits | (static_cast<decltype(bits)>(byte) << (8 * i)));
    }
    m_at += sizeof(T);
    value = static_cast<T>(bits);
    return true;
}

bool CodeWalk::fetchImmediate(int width, std::uint64_t &value)
{
    std::int8_t byte = 0;
    std::int16_t half = 0;
    std::int32_t word = 0;
    bool fetched = false;
    if (width == 1)
        fetched = fetch(byte);
    else if (width == 2)
        fetched = fetch(half);
    else
        fetched = fetch(word);
    // Only one of the three was set; the addition extends its sign.
    value = static_cast<std::uint64_t>(std::int64_t{byte} + half + word);
    return fetched;
}

bool CodeWalk::fetchOperand(int &reg, Operand &operand, int immediateSize)
{
    std::uint8_t mode = 0;
    if (!fetch(mode))
        return false;
    reg = ((mode >> 3) & 7) | ((m_rex & 4) << 1);
    const int kind = mode >> 6;
    int base = (mode & 7) | ((m_rex & 1) << 3);
    operand = {};
    if (kind == 3) {
        operand.reg = base;
        return true;
    }
    Value address = 0;
    bool displaced = kind == 2;
    if ((mode & 7) == 4) {
        std::uint8_t scaled = 0;
        if (!fetch(scaled))
            return false;
        base = (scaled & 7) | ((m_rex & 1) << 3);
        const int index = ((scaled >> 3) & 7) | ((m_rex & 2) << 2);
        const Value factor = index == kNoIndex ? Value(0) : m_state.getRegister(index, 8);
        address = factor ? Value(*factor << (scaled >> 6)) : std::nullopt;
        if ((scaled & 7) == 5 && kind == 0) {
            base = -1;
            displaced = true;
        }
    } else if ((mode & 7) == 5 && kind == 0) {
        std::int32_t distance = 0;
        if (!fetch(distance))
            return false;
        operand.address = moved(m_at, std::int64_t{distance} + immediateSize);
        return true;
    }
    std::uint64_t displacement = 0;
    if ((kind == 1 || displaced) && !fetchImmediate(kind == 1 ? 1 : 4, displacement))
        return false;
    const Value from = base >= 0 ? m_state.getRegister(base, 8) : Value(0);
    if (address && from && !m_threadLocal)
        operand.address = *address + *from + displacement;
    return true;
}

int CodeWalk::width(std::uint8_t opcode) const
{
    if ((opcode & 1) == 0)
        return 1;
    return (m_rex & 8) != 0 ? 8 : m_half ? 2 : 4;
}

bool CodeWalk::jumpIf(int code, std::int64_t distance)
{
    const std::optional<bool> taken = m_state.condition(code);
    if (taken && *taken)
        m_at = moved(m_at, distance);
    return taken.has_value();
}

bool CodeWalk::jumpTo(Value target)
{
    m_at = target.value_or(0);
    return target.has_value();
}

bool CodeWalk::readPrefixes(std::uint8_t &opcode)
{
    m_rex = 0;
    m_half = m_repeat = m_threadLocal = false;
    for (int i = 0; i < 15; ++i) {
        if (!fetch(opcode))
            return false;
        if (opcode == 0x66)
            m_half = true;
        else if (opcode == 0xF2 || opcode == 0xF3)
            m_repeat = true;
        else if (opcode == 0x64 || opcode == 0x65)
            m_threadLocal = true;
        else if (opcode >= 0x40 && opcode <= 0x4F) {
            m_rex = opcode;
            return fetch(opcode);
        } else if (opcode != 0x2E && opcode != 0x3E)
            return true;
    }
    return false;
}

void CodeWalk::walk(std::uint64_t function, std::uint64_t argument, const Visit &visit)
{
    m_state.beginCall(argument);
    m_at = function;
    for (int i = 0; i < kMostInstructions && step(visit); ++i) {
    }
}

bool CodeWalk::step(const Visit &visit)
{
    m_begin = m_at;
    std::uint8_t opcode = 0;
    if (!readPrefixes(opcode))
        return false;
    m_state.setNamesSecondBytes(m_rex == 0);
    bool handled = false;
    const bool continues = stepFlow(opcode, visit, handled);
    if (handled)
        return continues;
    if (visit(m_begin, std::nullopt))
        return false;
    if (opcode == 0x0F)
        return stepTwoByte();
    if (opcode < 0x40)
        return stepArithmetic(opcode);
    return stepCommon(opcode);
}

/// Handles calls, jumps and returns.
bool CodeWalk::stepFlow(std::uint8_t opcode, const Visit &visit, bool &handled)
{
    handled = true;
    std::int8_t near = 0;
    std::int32_t far = 0;
    if (opcode == 0xE8)
        return fetch(far) && visit(m_begin, moved(m_at, far)) && false;
    if (opcode == 0xFF) {
        int operation = 0;
        Operand target;
        const std::uint64_t behind = m_at;
        if (!fetchOperand(operation, target))
            return false;
        if ((operation & 7) == 2) {
            visit(m_begin, m_state.get(target, 8));
            return false;
        }
        if ((operation & 7) == 4)
            return !visit(m_begin, std::nullopt) && jumpTo(m_state.get(target, 8));
        m_at = behind;
    }
    if (opcode == 0xEB)
        return !visit(m_begin, std::nullopt) && fetch(near) && jumpTo(moved(m_at, near));
    if (opcode == 0xE9)
        return !visit(m_begin, std::nullopt) && fetch(far) && jumpTo(moved(m_at, far));
    if (opcode >= 0x70 && opcode <= 0x7F)
        return !visit(m_begin, std::nullopt) && fetch(near) && jumpIf(opcode & 15, near);
    handled = false;
    return true;
}

bool CodeWalk::stepArithmetic(std::uint8_t opcode)
{
    const auto operation = static_cast<Operation>(opcode >> 3);
    const int size = width(opcode);
    int reg = 0;
    Operand operand;
    std::uint64_t immediate = 0;
    switch (opcode & 7) {
    case 0:
    case 1:
        if (!fetchOperand(reg, operand))
            return false;
        // The usual way to make a zero: a register minus or XOR itself, even if its value is unknown.
        if ((operation == Operation::Xor || operation == Operation::Subtract) && operand.reg == reg && size >= 4) {
            m_state.setLogicFlags(0, size);
            return m_state.setRegister(reg, size, 0);
        }
        return m_state.arithmetic(operation, operand, m_state.getRegister(reg, size), size);
    case 2:
    case 3:
        return fetchOperand(reg, operand) &&
               m_state.arithmetic(operation, Operand{reg, {}}, m_state.get(operand, size), size);
    case 4:
    case 5: return fetchImmediate(size, immediate) && m_state.arithmetic(operation, Operand{0, {}}, immediate, size);
    default: return false;
    }
}

bool CodeWalk::stepCommon(std::uint8_t opcode)
{
    const int size = width(opcode);
    int reg = 0;
    Operand operand;
    std::uint64_t immediate = 0;
    const int low = (opcode & 7) | ((m_rex & 1) << 3);
    if (opcode >= 0x50 && opcode <= 0x57)
        return m_state.push(m_state.getRegister(low, 8));
    if (opcode >= 0xB0 && opcode <= 0xB7)
        return fetchImmediate(1, immediate) && m_state.setRegister(low, 1, immediate);
    if (opcode >= 0xB8 && opcode <= 0xBF) {
        const int wide = width(1);
        return (wide == 8 ? fetch(immediate) : fetchImmediate(wide, immediate)) &&
               m_state.setRegister(low, wide, immediate);
    }
    switch (opcode) {
    case 0x63:
        return fetchOperand(reg, operand) && [&] {
            const Value value = m_state.get(operand, 4);
            return m_state.setRegister(reg, width(1),
                                       value ? Value(CodeWalkState::signExtended(*value, 4)) : std::nullopt);
        }();
    case 0x84:
    case 0x85: {
        if (!fetchOperand(reg, operand))
            return false;
        const Value a = m_state.get(operand, size);
        const Value b = m_state.getRegister(reg, size);
        m_state.setLogicFlags(a && b ? Value(*a & *b) : std::nullopt, size);
        return true;
    }
    case 0x88:
    case 0x89: return fetchOperand(reg, operand) && m_state.set(operand, size, m_state.getRegister(reg, size));
    case 0x8A:
    case 0x8B: return fetchOperand(reg, operand) && m_state.setRegister(reg, size, m_state.get(operand, size));
    case 0x8D: return fetchOperand(reg, operand) && operand.reg < 0 && m_state.setRegister(reg, size, operand.address);
    case 0x90: return true;
    case 0x98: {
        const int wide = width(1);
        const Value value = m_state.getRegister(0, wide / 2);
        return m_state.setRegister(0, wide,
                                   value ? Value(CodeWalkState::signExtended(*value, wide / 2)) : std::nullopt);
    }
    case 0xA8:
    case 0xA9: {
        if (!fetchImmediate(size, immediate))
            return false;
        const Value value = m_state.getRegister(0, size);
        m_state.setLogicFlags(value ? Value(*value & immediate) : std::nullopt, size);
        return true;
    }
    default: return stepGroup(opcode);
    }
}

/// Handles opcodes whose operation is in the register field of the operand byte.
bool CodeWalk::stepGroup(std::uint8_t opcode)
{
    const int size = width(opcode);
    int operation = 0;
    Operand operand;
    std::uint64_t immediate = 0;
    switch (opcode) {
    case 0x80:
    case 0x81:
    case 0x83: {
        const int bytes = opcode == 0x81 ? (size == 2 ? 2 : 4) : 1;
        return fetchOperand(operation, operand, bytes) && fetchImmediate(bytes, immediate) &&
               m_state.arithmetic(static_cast<Operation>(operation & 7), operand, immediate, size);
    }
    case 0xC0:
    case 0xC1:
        return fetchOperand(operation, operand, 1) && fetchImmediate(1, immediate) &&
               m_state.shift(operation & 7, operand, immediate, size);
    case 0xD0:
    case 0xD1: return fetchOperand(operation, operand) && m_state.shift(operation & 7, operand, 1, size);
    case 0xD3:
        return fetchOperand(operation, operand) &&
               m_state.shift(operation & 7, operand, m_state.getRegister(1, 8), size);
    case 0xC6:
    case 0xC7: {
        const int bytes = size == 8 ? 4 : size;
        return fetchOperand(operation, operand, bytes) && (operation & 7) == 0 && fetchImmediate(bytes, immediate) &&
               m_state.set(operand, size, immediate);
    }
    case 0xF6:
    case 0xF7: {
        const int bytes = size == 8 ? 4 : size;
        if (!fetchOperand(operation, operand, bytes) || (operation & 7) > 1 || !fetchImmediate(bytes, immediate))
            return false;
        const Value value = m_state.get(operand, size);
        m_state.setLogicFlags(value ? Value(*value & CodeWalkState::cut(immediate, size)) : std::nullopt, size);
        return true;
    }
    case 0xFF: return fetchOperand(operation, operand) && (operation & 7) == 6 && m_state.push(m_state.get(operand, 8));
    default: return false;
    }
}

bool CodeWalk::stepTwoByte()
{
    std::uint8_t opcode = 0;
    int reg = 0;
    Operand operand;
    if (!fetch(opcode))
        return false;
    std::int32_t far = 0;
    if (opcode >= 0x80 && opcode <= 0x8F)
        return fetch(far) && jumpIf(opcode & 15, far);
    if (opcode == 0x1F || opcode == 0x1E)  // nop, endbr64
        return fetchOperand(reg, operand);
    if (opcode >= 0x90 && opcode <= 0x9F) {
        const std::optional<bool> value = m_state.condition(opcode & 15);
        return fetchOperand(reg, operand) && m_state.set(operand, 1, value ? Value(*value ? 1 : 0) : std::nullopt);
    }
    if (opcode >= 0x40 && opcode <= 0x4F) {
        const std::optional<bool> taken = m_state.condition(opcode & 15);
        if (!fetchOperand(reg, operand))
            return false;
        const Value value = m_state.get(operand, width(1));
        return m_state.setRegister(reg, width(1),
                                   !taken   ? std::nullopt
                                   : *taken ? value
                                            : m_state.getRegister(reg, width(1)));
    }
    if (opcode == 0xB6 || opcode == 0xB7 || opcode == 0xBE || opcode == 0xBF) {
        const int from = (opcode & 1) == 0 ? 1 : 2;
        if (!fetchOperand(reg, operand))
            return false;
        Value value = m_state.get(operand, from);
        if (value && opcode >= 0xBE)
            value = CodeWalkState::signExtended(*value, from);
        return m_state.setRegister(reg, width(1), value);
    }
    if (opcode == 0xA3) {
        if (!fetchOperand(reg, operand) || operand.reg < 0)
            return false;
        const Value bits = m_state.get(operand, width(1));
        const Value index = m_state.getRegister(reg, width(1));
        m_state.testBit(bits, index, width(1));
        return true;
    }
    return stepVector(opcode);
}

/// Handles vector instructions. Values that pass through vector registers are unknown.
bool CodeWalk::stepVector(std::uint8_t opcode)
{
    int reg = 0;
    Operand operand;
    switch (opcode) {
    case 0x10:
    case 0x12:
    case 0x14:
    case 0x16:
    case 0x28:
    case 0x57:
    case 0x62:
    case 0x6C:
    case 0x6E:
    case 0x6F:
    case 0xEF: return fetchOperand(reg, operand);
    case 0x7E:
        if (m_repeat)
            return fetchOperand(reg, operand);
        return fetchOperand(reg, operand) && m_state.set(operand, width(1), std::nullopt);
    case 0x11:
    case 0x29:
    case 0x7F:
    case 0xD6: {
        if (!fetchOperand(reg, operand))
            return false;
        return operand.reg >= 0 ||
               (m_state.set(operand, 8, std::nullopt) && m_state.set({-1, *operand.address + 8}, 8, std::nullopt));
    }
    default: return false;
    }
}

}  // namespace ct
