#include "exec/builtins.hpp"

#include "exec/access.hpp"

namespace gsu::exec {
namespace {

std::uint64_t argument(const Ctx& x, const Builtin& b, std::size_t i, unsigned lane)
{
    if (i >= b.args.size()) return 0;
    const Slot& s = b.args[i];
    if (s.reg != kNoRow) return x.src(s.reg)[lane];
    std::uint64_t v = 0;
    std::memcpy(&v,
                x.warp->local.data() + lane * x.warp->localStride + x.group->localBase + s.offset,
                std::min<std::uint64_t>(s.bytes, 8));
    return v;
}

void answer(const Ctx& x, const Builtin& b, unsigned lane, std::uint64_t value)
{
    if (b.results.empty()) return;
    const Slot& s = b.results[0];
    if (s.reg != kNoRow) {
        x.row(s.reg)[lane] = value;
        return;
    }
    std::memcpy(x.warp->local.data() + lane * x.warp->localStride + x.group->localBase + s.offset,
                &value, std::min<std::uint64_t>(s.bytes, 8));
}

std::string textAt(Ctx& x, std::uint64_t address, unsigned lane)
{
    std::string text;
    while (text.size() < 4096) {
        const Place p = x.machine->locate(x, ptx::Space::Generic, address++, 1, lane);
        if (p.bytes == nullptr || *p.bytes == 0) break;
        text += static_cast<char>(*p.bytes);
    }
    return text;
}

template <class T> std::string formatOne(const std::string& spec, T value)
{
    char out[512];
    std::snprintf(out, sizeof out, spec.c_str(), value);
    return out;
}

/// printf with the arguments packed in memory, each aligned to its size. Only the conversions C's printf has.
std::string formatted(Ctx& x, const std::string& format, std::uint64_t args, unsigned lane)
{
    std::string out;
    const auto next = [&](unsigned bytes) {
        args = (args + bytes - 1) / bytes * bytes;
        std::uint64_t v = 0;
        const Place p = x.machine->locate(x, ptx::Space::Generic, args, bytes, lane);
        if (p.bytes != nullptr) std::memcpy(&v, p.bytes, bytes);
        args += bytes;
        return v;
    };
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%') {
            out += format[i];
            continue;
        }
        std::string spec = "%";
        unsigned longs = 0;
        for (++i; i < format.size(); ++i) {
            const char c = format[i];
            if (c == 'l' || c == 'j' || c == 'z' || c == 't')
                ++longs;
            else if (c == '*')
                spec += std::to_string(static_cast<std::int32_t>(next(4)));
            else if (std::string_view("0123456789.+-# h").find(c) == std::string_view::npos)
                break;
            else if (c != 'h')
                spec += c;
        }
        if (i >= format.size() || spec.size() > 32) break;
        switch (const char c = format[i]) {
            case '%': out += '%'; break;
            case 'd':
            case 'i': {
                const std::uint64_t v = next(longs != 0 ? 8 : 4);
                const auto n =
                    longs != 0 ? static_cast<long long>(v) : static_cast<std::int32_t>(v);
                out += formatOne(spec + "lld", n);
                break;
            }
            case 'u':
            case 'x':
            case 'X':
            case 'o':
                out += formatOne(spec + "ll" + c,
                                 static_cast<unsigned long long>(next(longs != 0 ? 8 : 4)));
                break;
            case 'c': out += static_cast<char>(next(4)); break;
            case 'p': out += formatOne("0x%llx", static_cast<unsigned long long>(next(8))); break;
            case 's': out += formatOne(spec + 's', textAt(x, next(8), lane).c_str()); break;
            case 'f':
            case 'F':
            case 'e':
            case 'E':
            case 'g':
            case 'G':
            case 'a':
            case 'A': out += formatOne(spec + c, std::bit_cast<double>(next(8))); break;
            default: out += spec + c; break;  // not a conversion: shown as written
        }
    }
    return out;
}

constexpr std::size_t kMaxOutput = 1 << 20;

}  // namespace

void builtinOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    Machine& m = *x.machine;
    const Builtin& b = m.program.builtins[o.extra];
    eachLane(lanes, [&](unsigned l) {
        switch (b.kind) {
            case Builtin::Kind::Vprintf: {
                const std::string text =
                    formatted(x, textAt(x, argument(x, b, 0, l), l), argument(x, b, 1, l), l);
                if (m.result.output.size() < kMaxOutput) m.result.output += text;
                answer(x, b, l, text.size());
                break;
            }
            case Builtin::Kind::Malloc: {
                const std::uint64_t bytes = argument(x, b, 0, l);
                const bool fits = bytes != 0 && bytes <= (64u << 20) &&
                                  m.global.allocated() + bytes < (9ull << 30);
                answer(x, b, l,
                       fits ? m.global.allocate(bytes, "malloc at line " + std::to_string(o.line))
                            : 0);
                m.changed();
                break;
            }
            case Builtin::Kind::Free: {
                const std::uint64_t address = argument(x, b, 0, l);
                if (address != 0 && !m.global.release(address)) {
                    faultLane(x, l, "GEN-002", "free of an address that malloc did not return");
                }
                break;
            }
            case Builtin::Kind::AssertFail:
                faultLane(x, l, "",
                          "assertion failed: " + textAt(x, argument(x, b, 0, l), l) + " (" +
                              textAt(x, argument(x, b, 1, l), l) + ":" +
                              std::to_string(argument(x, b, 2, l) & 0xffff'ffff) + ")");
                break;
        }
    });
}

}  // namespace gsu::exec
