#include <algorithm>
#include <string>

#include "base/hash.hpp"
#include "capi/gsu.h"
#include "entries.hpp"

namespace {

using gsu::fuzz::require;

constexpr std::string_view kMagic = "GSU checkpoint 3\n";
constexpr std::uint64_t kCycles = 20'000;

/// Takes a number, little-endian base 128, from the front; 0 where there is none.
std::uint64_t take(std::string_view& in)
{
    std::uint64_t number = 0;
    for (unsigned shift = 0; !in.empty() && shift < 64; shift += 7) {
        const auto byte = static_cast<unsigned char>(in.front());
        in.remove_prefix(1);
        number |= std::uint64_t{byte & 0x7fu} << shift;
        if (byte < 0x80) break;
    }
    return number;
}

std::string number(std::uint64_t value)
{
    std::string out;
    for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
    return out + static_cast<char>(value);
}

struct Parts {
    std::string_view identity, inputs, reads;
    std::uint64_t cycle{};
};

/// The parts of a checkpoint, whatever of it is damaged.
Parts partsOf(std::string_view in)
{
    Parts parts;
    in.remove_prefix(kMagic.size());
    take(in);  // size
    take(in);  // hash
    const std::uint64_t identity = take(in);
    parts.identity = in.substr(0, identity);
    in.remove_prefix(parts.identity.size());
    parts.cycle = take(in);
    const std::uint64_t inputs = take(in);
    take(in);  // size of the reads
    parts.inputs = in.substr(0, inputs);
    parts.reads = in.substr(parts.inputs.size());
    return parts;
}

/// A whole checkpoint of them: mutated bytes would rarely pass the hash.
std::string sealed(const Parts& p)
{
    std::string body = number(p.identity.size()).append(p.identity) + number(p.cycle) +
                       number(p.inputs.size()) + number(p.reads.size());
    body.append(p.inputs).append(p.reads);
    return std::string(kMagic) + number(body.size()) + number(gsu::fnv1a(body)) + body;
}

/// A golden unit of four SMs, over its own words or over the driver's.
class Unit {
public:
    explicit Unit(bool own)
    {
        gsu_callbacks calls = GSU_INIT(gsu_callbacks);
        calls.read_word = [](void*, std::uint32_t, std::uint32_t) { return std::uint64_t{}; };
        calls.write_word = [](void*, std::uint32_t, std::uint32_t, std::uint64_t) {};
        gsu_options options = GSU_INIT(gsu_options);
        options.abi = GSU_ABI;
        options.unit = "golden";
        options.sms = 4;
        options.journal = 1;
        if (!own) options.callbacks = &calls;
        require(gsu_unit_create(&options, &handle_) == GSU_OK, "a unit can be made");
        const std::string fresh = save();
        identity_ = partsOf(fresh).identity;
    }
    Unit(const Unit&) = delete;
    Unit& operator=(const Unit&) = delete;

    [[nodiscard]] const std::string& identity() const { return identity_; }
    [[nodiscard]] std::string save() const
    {
        std::uint64_t bytes = 0;
        require(gsu_unit_save(handle_, nullptr, 0, &bytes) == GSU_OK, "a unit tells its bytes");
        std::string out(bytes, '\0');
        require(gsu_unit_save(handle_, out.data(), bytes, &bytes) == GSU_OK, "a unit is saved");
        return out;
    }
    [[nodiscard]] bool restore(std::string_view bytes)
    {
        const gsu_status status = gsu_unit_restore(handle_, bytes.data(), bytes.size());
        require(status == GSU_OK || *gsu_last_error() != '\0', "a refusal has a reason");
        return status == GSU_OK;
    }
    [[nodiscard]] std::uint64_t now() const
    {
        std::uint64_t cycle = 0;
        require(gsu_unit_now(handle_, &cycle) == GSU_OK, "a unit tells its cycle");
        return cycle;
    }

private:
    gsu_unit* handle_{};
    std::string identity_;
};

}  // namespace

void gsu::fuzz::checkpoint(std::string_view input)
{
    static Unit own(true), drivers(false);
    if (!input.starts_with(kMagic)) {
        require(!own.restore(input), "what does not begin as a checkpoint is none");
        return;
    }
    Parts parts = partsOf(input);
    Unit& unit = parts.reads.empty() ? own : drivers;
    parts.identity = unit.identity();
    parts.cycle = std::min(parts.cycle, kCycles);
    if (!unit.restore(sealed(parts))) return require(unit.now() == 0, "a failed unit is reset");
    require(unit.now() == parts.cycle, "a checkpoint leads to its cycle");
    const std::string saved = unit.save();
    require(unit.restore(saved) && unit.save() == saved, "a checkpoint leads to itself");
}
