#include "exec/ops/device_runtime_calls.hpp"

#include <fmt/format.h>

#include "base/align.hpp"
#include "exec/memory/access.hpp"

namespace gsu::exec {
namespace {

std::uint8_t* slotAt(const Ctx& x, const Slot& s, unsigned lane)
{
    return x.warp->local.data() + lane * x.warp->localStride + x.group->localBase + s.offset;
}

std::uint64_t argument(const Ctx& x, const Builtin& b, std::size_t i, unsigned lane)
{
    if (i >= b.args.size()) return 0;
    const Slot& s = b.args[i];
    if (s.reg != kNoRow) return x.src(s.reg)[lane];
    if (s.pred >= 0) return x.preds[s.pred] >> lane & 1;
    std::uint64_t v = 0;
    if (s.bytes != 0) std::memcpy(&v, slotAt(x, s, lane), std::min<std::uint64_t>(s.bytes, 8));
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
    if (s.bytes != 0) std::memcpy(slotAt(x, s, lane), &value, std::min<std::uint64_t>(s.bytes, 8));
}

/// Reads bytes for a built-in function; a bad address is the lane's fault.
bool fetch(Ctx& x, std::uint64_t address, void* to, unsigned bytes, unsigned lane, const char* what)
{
    const Place p = x.parts->memory.locate(x, ptx::Space::Generic, address, bytes, lane);
    if (p.bytes == nullptr) {
        faultLane(x, lane, "GEN-002", x.parts->memory.text(what, address, bytes, p));
        return false;
    }
    std::memcpy(to, p.bytes, bytes);
    return true;
}

constexpr std::size_t kMaxText = 4096;  ///< longer strings are cut

std::string textAt(Ctx& x, std::uint64_t address, unsigned lane, const char* what)
{
    std::string text;
    char c = 0;
    while (text.size() < kMaxText && fetch(x, address++, &c, 1, lane, what) && c != 0) text += c;
    return text;
}

template <class T> std::string formatOne(const std::string& spec, T value)
{
    const int length = std::snprintf(nullptr, 0, spec.c_str(), value);
    if (length <= 0) return {};
    std::string out(static_cast<std::size_t>(length) + 1, '\0');
    std::snprintf(out.data(), out.size(), spec.c_str(), value);
    out.pop_back();
    return out;
}

/// One conversion: flags, width and precision as C has them, numbers of at most three digits.
struct Conversion {
    std::string spec{"%"};
    bool wide{};
    char kind{};  ///< 0: the format ends within it
};

template <class Next> Conversion conversionAt(const std::string& format, std::size_t& i, Next next)
{
    Conversion c;
    unsigned digits = 0;
    for (++i; i < format.size() && c.spec.size() <= 16; ++i) {
        const char f = format[i];
        if (f >= '0' && f <= '9') {
            if (++digits <= 3) c.spec += f;
            continue;
        }
        digits = 0;
        if (f == '*') {
            c.spec += std::to_string(std::clamp(static_cast<std::int32_t>(next(4)), -999, 999));
        } else if (f == 'l' || f == 'j' || f == 'z' || f == 't') {
            c.wide = true;
        } else if (std::string_view(".+-# ").find(f) != std::string_view::npos) {
            c.spec += f;
        } else if (f != 'h') {
            c.kind = f;
            break;
        }
    }
    return c;
}

/// printf with the arguments packed in memory, each aligned to its size. Only the conversions C's printf has.
// long: one case for each conversion
std::string formatted(Ctx& x, const std::string& format, std::uint64_t args, unsigned lane)
{
    std::string out;
    const auto next = [&](unsigned bytes) {
        args = alignUp(args, bytes);
        std::uint64_t v = 0;
        if (x.fault.lanes == 0) fetch(x, args, &v, bytes, lane, "vprintf argument");
        args += bytes;
        return v;
    };
    for (std::size_t i = 0; i < format.size() && x.fault.lanes == 0; ++i) {
        if (format[i] != '%') {
            out += format[i];
            continue;
        }
        const Conversion c = conversionAt(format, i, next);
        switch (c.kind) {
            case 0: return out;
            case '%': out += '%'; break;
            case 'd':
            case 'i': {
                const std::uint64_t v = next(c.wide ? 8 : 4);
                const auto n = c.wide ? static_cast<long long>(v) : static_cast<std::int32_t>(v);
                out += formatOne(c.spec + "lld", n);
                break;
            }
            case 'u':
            case 'x':
            case 'X':
            case 'o':
                out += formatOne(c.spec + "ll" + c.kind,
                                 static_cast<unsigned long long>(next(c.wide ? 8 : 4)));
                break;
            case 'c': out += static_cast<char>(next(4)); break;
            case 'p': out += formatOne("0x%llx", static_cast<unsigned long long>(next(8))); break;
            case 's':
                out += formatOne(c.spec + 's', textAt(x, next(8), lane, "vprintf string").c_str());
                break;
            case 'f':
            case 'F':
            case 'e':
            case 'E':
            case 'g':
            case 'G':
            case 'a':
            case 'A': out += formatOne(c.spec + c.kind, std::bit_cast<double>(next(8))); break;
            default: out += c.spec + c.kind; break;  // not a conversion: shown as written
        }
    }
    return out;
}

constexpr std::size_t kMaxOutput = 1 << 20;
constexpr std::uint64_t kMaxMalloc = 64u << 20;

}  // namespace

namespace {

void mallocOne(Ctx& x, const MicroOp& o, const Builtin& b, unsigned l)
{
    const RunParts& m = *x.parts;
    const std::uint64_t bytes = argument(x, b, 0, l);
    const bool fits = bytes != 0 && bytes <= kMaxMalloc && bytes <= m.device.left;
    if (fits) m.device.left -= bytes;
    answer(x, b, l,
           fits ? m.device.global.allocate(bytes, "malloc at " + m.module.lineText(o.line), true)
                : 0);
    m.state.progress.changed();
}

void freeOne(Ctx& x, const Builtin& b, unsigned l)
{
    const RunParts& m = *x.parts;
    const std::uint64_t address = argument(x, b, 0, l);
    if (address == 0) return;
    const std::uint64_t bytes = m.device.global.release(address);
    m.device.left += bytes;
    if (bytes != 0) return;
    faultLane(
        x, l, "GEN-002",
        m.memory.text("free", address, 1, "malloc did not return this address, or it is freed"));
}

}  // namespace

void builtinOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    x.parts->memory.late().settleAll();  // they act on memory itself
    const RunParts& m = *x.parts;
    const Builtin& b = m.program.builtins[o.extra];
    eachLane(lanes, [&](unsigned l) {
        switch (b.kind) {
            case Builtin::Kind::Vprintf: {
                const std::string text =
                    formatted(x, textAt(x, argument(x, b, 0, l), l, "vprintf format"),
                              argument(x, b, 1, l), l);
                if (m.state.result.output.size() < kMaxOutput) m.state.result.output += text;
                answer(x, b, l, text.size());
                break;
            }
            case Builtin::Kind::Malloc: mallocOne(x, o, b, l); break;
            case Builtin::Kind::Free: freeOne(x, b, l); break;
            case Builtin::Kind::AssertFail:
                faultLane(x, l, "",
                          fmt::format("assertion failed: {} ({}:{})",
                                      textAt(x, argument(x, b, 0, l), l, "message"),
                                      textAt(x, argument(x, b, 1, l), l, "file name"),
                                      argument(x, b, 2, l) & 0xffff'ffff),
                          TrapKind::Assertion);
                break;
        }
    });
}

}  // namespace gsu::exec
