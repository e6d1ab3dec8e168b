#include "trace/lane_list.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "trace/instruction_text.hpp"

namespace gsu::trace {

namespace {

using Values = std::array<std::uint64_t, 32>;  // of the active lanes, packed

template <typename T>
std::size_t gather(const std::array<T, 32>& lanes, Lanes active, Values& values)
{
    std::size_t n = 0;
    for (Lanes rest = active; rest != 0; rest &= rest - 1)
        values[n++] = lanes[std::size_t(__builtin_ctz(rest))];
    return n;
}

template <typename T> bool any(const std::array<T, 32>& lanes, Lanes active) noexcept
{
    for (Lanes rest = active; rest != 0; rest &= rest - 1) {
        if (lanes[std::size_t(__builtin_ctz(rest))] != 0) return true;
    }
    return false;
}

void appendValue(std::string& out, std::uint64_t value, bool address)
{
    if (address)
        out += addressText(std::uint32_t(value));
    else if (value < 1'000'000)
        fmt::format_to(std::back_inserter(out), "{}", value);
    else
        fmt::format_to(std::back_inserter(out), "{:#x}", value);
}

/// Longest arithmetic run that starts at `from`; strides that wrap around are not used.
std::size_t runLength(const Values& v, std::size_t from, std::size_t n)
{
    if (from + 1 >= n || v[from + 1] < v[from]) return 1;
    const std::uint64_t stride = v[from + 1] - v[from];
    std::size_t length = 2;
    while (from + length < n && v[from + length] - v[from + length - 1] == stride &&
           v[from + length] >= v[from + length - 1]) {
        ++length;
    }
    return length == 2 && stride != 0 ? 1 : length;
}

void append(std::string& out, const Values& v, std::size_t n, bool address)
{
    if (n == 0) return;
    if (runLength(v, 0, n) == n && (n == 1 || v[0] == v[1])) return appendValue(out, v[0], address);
    out += '{';
    for (std::size_t i = 0; i < n;) {
        const std::size_t length = runLength(v, i, n);
        if (i != 0) out += ',';
        appendValue(out, v[i], address);
        if (length > 1) {
            const std::uint64_t stride = v[i + 1] - v[i];
            if (stride != 0) fmt::format_to(std::back_inserter(out), "+{}", stride);
            fmt::format_to(std::back_inserter(out), "*{}", length);
        }
        i += length;
    }
    out += '}';
}

std::uint64_t parseValue(Cursor& cursor, bool address, std::uint64_t max)
{
    return address ? parseAddress(cursor) : cursor.number("operand", max);
}

void parseItems(Cursor& cursor, Values& v, std::size_t n, bool address, std::uint64_t max)
{
    std::size_t filled = 0;
    do {
        std::uint64_t value = parseValue(cursor, address, max);
        const std::uint64_t stride = cursor.accept("+") ? cursor.number("stride", max) : 0;
        const auto count = cursor.accept("*") ? cursor.number("repeat count", kLanes) : 1;
        if (count == 0 || filled + count > n)
            cursor.fail("operand list does not match the active lanes");
        for (std::uint64_t i = 0; i < count; ++i, value += stride) {
            if (value > max) cursor.fail("operand out of range");
            v[filled++] = value;
        }
    } while (cursor.accept(","));
    cursor.expect("}");
    if (filled != n) cursor.fail("operand list does not match the active lanes");
}

template <typename T>
void parse(Cursor& cursor, std::array<T, 32>& lanes, Lanes active, bool address)
{
    const std::uint64_t max = std::uint64_t(T(~T{0}));
    const auto n = std::size_t(__builtin_popcount(active));
    Values v{};
    if (cursor.accept("{"))
        parseItems(cursor, v, n, address, max);
    else
        v.fill(parseValue(cursor, address, max));
    std::size_t i = 0;
    for (Lanes rest = active; rest != 0; rest &= rest - 1)
        lanes[std::size_t(__builtin_ctz(rest))] = T(v[i++]);
}

template <typename T>
void appendOf(std::string& out, const std::array<T, 32>& lanes, Lanes active, bool address)
{
    Values v{};
    const std::size_t n = gather(lanes, active, v);
    append(out, v, n, address);
}

}  // namespace

bool anyAddress(const SyncRequest& r) noexcept { return any(r.addr, r.lanes); }
bool anyData(const SyncRequest& r) noexcept { return any(r.data, r.lanes); }
bool anyLimit(const SyncRequest& r) noexcept { return any(r.limit, r.lanes); }
void appendAddresses(std::string& out, const SyncRequest& r)
{
    appendOf(out, r.addr, r.lanes, true);
}
void appendData(std::string& out, const SyncRequest& r) { appendOf(out, r.data, r.lanes, false); }
void appendLimits(std::string& out, const SyncRequest& r)
{
    appendOf(out, r.limit, r.lanes, false);
}
void parseAddresses(Cursor& c, SyncRequest& r) { parse(c, r.addr, r.lanes, true); }
void parseData(Cursor& c, SyncRequest& r) { parse(c, r.data, r.lanes, false); }
void parseLimits(Cursor& c, SyncRequest& r) { parse(c, r.limit, r.lanes, false); }

std::string addressText(std::uint32_t address)
{
    return fmt::format("{}:{}", clusterRank(address), clusterOffset(address));
}

std::uint32_t parseAddress(Cursor& cursor)
{
    const auto rank = cursor.field<std::uint32_t>("rank", 255);
    cursor.expect(":");
    return clusterAddress(rank, cursor.field<std::uint32_t>("offset", 0xff'ffff));
}

}  // namespace gsu::trace
