#include "capi/journal.hpp"

#include <fmt/format.h>

#include <bit>
#include <type_traits>

#include "base/hash.hpp"
#include "capi/convert.hpp"
#include "golden/op_traits.hpp"

namespace gsu::capi {
namespace {

constexpr std::string_view kMagic = "GSU checkpoint 3\n";

/// Numbers as little-endian base 128: small ones take a byte.
class Writer {
public:
    explicit Writer(std::string& out) : out_(out) {}
    template <typename... Values> void operator()(Values... values) { (put(values), ...); }

private:
    template <typename Value> void put(Value value)
    {
        auto rest = static_cast<std::uint64_t>(value);
        for (; rest >= 0x80; rest >>= 7) out_ += static_cast<char>(rest | 0x80);
        out_ += static_cast<char>(rest);
    }
    std::string& out_;
};

class Reader {
public:
    explicit Reader(std::string_view& in) : in_(in) {}
    template <typename... Values> void operator()(Values&... values) { (get(values), ...); }

private:
    template <typename Value> void get(Value& value)
    {
        std::uint64_t number = 0;
        for (unsigned shift = 0;; shift += 7) {
            if (in_.empty() || shift > 63)
                throw Refusal{GSU_E_ARGUMENT, "the checkpoint is damaged"};
            const auto byte = static_cast<unsigned char>(in_.front());
            in_.remove_prefix(1);
            number |= std::uint64_t{byte & 0x7fu} << shift;
            if (byte < 0x80) break;
        }
        value = static_cast<Value>(number);
    }
    std::string_view& in_;
};

template <typename Value, typename Type>
concept As = std::is_same_v<std::remove_const_t<Value>, Type>;

// One list of members for writing and reading: that of the records, and of the inputs that only journals have.
template <typename Io, typename Value> void members(Io& io, Value& record)
{
    eachMember(record, [&](auto& value) { io(value); });
    if constexpr (As<Value, SyncRequest>) {
        const bool perLane = isMbarRequest(record) || traits::has(record.op, traits::kValues);
        eachLane(perLane ? record.lanes : 0, [&](unsigned lane) {
            io(record.addr[lane], record.data[lane], record.limit[lane]);
        });
    }
}
template <typename Io, As<GridInput> Value> void members(Io& io, Value& g)
{
    io(g.network);
    members(io, g.start);
}
template <typename Io, As<Stored> Value> void members(Io& io, Value& s)
{
    io(s.sm, s.addr, s.bytes);
}
template <typename Io, As<Performed> Value> void members(Io& io, Value& p)
{
    members(io, p.accesses);
}
template <typename Io, As<Steps> Value> void members(Io& io, Value& s) { io(s.count); }
template <typename Io, As<SkipTo> Value> void members(Io& io, Value& s) { io(s.cycle); }
template <typename Io, As<AtLine> Value> void members(Io& io, Value& a) { io(a.line); }

template <std::size_t Index = 0> void readKind(std::size_t kind, Reader& io, Input& input)
{
    if constexpr (Index == std::variant_size_v<Input>) {
        throw Refusal{GSU_E_ARGUMENT, "the checkpoint is damaged"};
    } else if (kind == Index) {
        std::variant_alternative_t<Index, Input> value{};
        members(io, value);
        input = value;
    } else {
        readKind<Index + 1>(kind, io, input);
    }
}

void append(std::string& out, const Input& input)
{
    Writer io(out);
    io(input.index());
    std::visit([&](const auto& value) { members(io, value); }, input);
}

}  // namespace

void Journal::closeSteps()
{
    if (steps_ != 0) append(inputs_, Steps{steps_});
    steps_ = 0;
}

void Journal::add(const Input& input)
{
    if (const Steps* steps = std::get_if<Steps>(&input)) {
        steps_ += steps->count;
        return;
    }
    closeSteps();
    append(inputs_, input);
}

void Journal::read(std::uint32_t sm, std::uint32_t addr, std::uint64_t value)
{
    Writer io(reads_);
    io(sm, addr, value);
}

std::string Journal::checkpoint(std::string_view identity, Cycle now) const
{
    Journal closed = *this;
    closed.closeSteps();
    std::string body;
    Writer io(body);
    io(identity.size());
    body += identity;
    io(now, closed.inputs_.size(), closed.reads_.size());
    body += closed.inputs_;
    body += closed.reads_;
    std::string out(kMagic);
    Writer end(out);
    end(body.size(), fnv1a(body));
    return out + body;
}

Checkpoint::Checkpoint(std::span<const unsigned char> bytes, std::string_view identity)
{
    std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (!rest.starts_with(kMagic))
        throw Refusal{GSU_E_ARGUMENT, "not a checkpoint of this library"};
    rest.remove_prefix(kMagic.size());
    Reader io(rest);
    std::uint64_t size = 0, hash = 0, length = 0, inputs = 0, reads = 0;
    io(size, hash);
    if (rest.size() != size || fnv1a(rest) != hash)
        throw Refusal{GSU_E_ARGUMENT, "the checkpoint is damaged"};
    io(length);
    if (length > rest.size()) throw Refusal{GSU_E_ARGUMENT, "the checkpoint is damaged"};
    const std::string_view of = rest.substr(0, length);
    if (of != identity)
        throw Refusal{
            GSU_E_ARGUMENT,
            fmt::format("the checkpoint is one of {}, and this unit is {}", of, identity)};
    rest.remove_prefix(length);
    io(cycle_, inputs, reads);
    if (inputs > rest.size() || rest.size() - inputs != reads)
        throw Refusal{GSU_E_ARGUMENT, "the checkpoint is damaged"};
    inputs_ = rest.substr(0, inputs);
    reads_ = rest.substr(inputs);
}

bool Checkpoint::next(Input& input)
{
    if (inputs_.empty()) return false;
    Reader io(inputs_);
    std::size_t kind = 0;
    io(kind);
    readKind(kind, io, input);
    return true;
}

std::uint64_t Checkpoint::read(std::uint32_t sm, std::uint32_t addr) noexcept
{
    std::uint64_t value = 0;
    try {
        std::uint32_t atSm = 0, at = 0;
        Reader io(reads_);
        io(atSm, at, value);
        strayed_ = strayed_ || atSm != sm || at != addr;
    } catch (const Refusal&) {
        strayed_ = true;
    }
    return strayed_ ? 0 : value;
}

}  // namespace gsu::capi
