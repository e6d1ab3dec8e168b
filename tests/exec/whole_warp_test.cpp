// Arithmetic of a whole warp, which the host's widest instructions may compute, beside the same of its lanes one by one.
#include <algorithm>
#include <array>
#include <random>

#include "catch.hpp"
#include "exec/alu/alu.hpp"

using namespace gsu;
using ptx::Type;

namespace {

constexpr exec::Row kA = 0, kB = 1, kC = 2, kTogether = 3, kOneByOne = 4, kRows = 5;

std::uint64_t anyCell(std::mt19937_64& random)
{
    static constexpr std::uint64_t kOdd[] = {0,           1,           0x8000'0000, 0x7f80'0000,
                                             0xff80'0000, 0x7fc0'1234, 0x0000'0003, 0x8010'0000,
                                             0x7f7f'ffff, 31,          32,          0xffff'ffff};
    const std::uint64_t cell = random();
    return cell % 4 == 0 ? kOdd[(cell >> 8) % std::size(kOdd)] : cell >> (cell % 8 * 8);
}

/// Operations of every kind, each with its operands.
std::vector<exec::MicroOp> operations()
{
    std::vector<exec::MicroOp> all;
    const auto add = [&](exec::ExecFn fn) -> exec::MicroOp& {
        exec::MicroOp op;
        op.fn = fn;
        op.a = kA, op.b = kB, op.c = kC, op.e = kC;
        return all.emplace_back(op);
    };
    for (const Type type : {Type::S16, Type::U32, Type::S32, Type::U64, Type::S64}) {
        for (const char* name : {"add", "sub", "mul.lo", "mul.hi", "mul.wide", "mad.lo", "mad.wide",
                                 "min", "max", "div", "rem", "abs", "sad"})
            if (const exec::ExecFn fn = exec::integerOp(name, type)) add(fn);
    }
    for (const Type type : {Type::B16, Type::B32, Type::B64, Type::U32, Type::S32}) {
        for (const char* name :
             {"and", "or", "xor", "not", "shl", "shr", "popc", "clz", "brev", "bfe", "bfind"})
            if (const exec::ExecFn fn = exec::bitOp(name, type)) add(fn);
    }
    for (const Type type : {Type::F32, Type::F64}) {
        for (const char* name : {"add", "sub", "mul", "fma", "div", "min", "max", "sqrt", "rcp"}) {
            for (const bool flushes : {false, true}) {
                exec::FloatMods mods;
                mods.ftz = flushes;
                if (const exec::ExecFn fn = exec::floatOp(name, type, mods))
                    add(fn).real = {exec::Round::Rn, exec::flagsOf(mods), 0};
            }
        }
    }
    for (const Type type : {Type::U16, Type::S32, Type::U64, Type::F32, Type::F64}) {
        for (const auto how : {exec::CompareOp::Eq, exec::CompareOp::Lt, exec::CompareOp::Geu})
            add(exec::compareOp(type)).compare = {how, 0, exec::BoolOp::None,
                                                  exec::CompareOperands::Result::Predicates};
    }
    return all;
}

}  // namespace

TEST_CASE("a whole warp computes what its lanes compute one by one", "[exec][isa]")
{
    std::vector<exec::MicroOp> all = operations();
    REQUIRE(all.size() > 100);
    std::mt19937_64 random(7);
    std::array<std::uint64_t, std::size_t{kRows} * 32> cells{};
    std::array<Lanes, 2> preds{};
    exec::Ctx ctx;
    ctx.regs = cells.data();
    ctx.preds = preds.data();
    for (std::size_t i = 0; i < 200 * all.size(); ++i) {
        exec::MicroOp& op = all[i % all.size()];
        CAPTURE(i % all.size());
        for (std::uint64_t& cell : cells) cell = anyCell(random);
        std::uint64_t *whole = ctx.row(kTogether), *lanes = ctx.row(kOneByOne);
        std::copy_n(whole, 32, lanes);  // comparisons write no row
        op.d = kTogether, op.pd = 0;
        op.fn(ctx, op, ~Lanes{0});
        op.d = kOneByOne, op.pd = 1;
        for (unsigned l = 0; l < 32; ++l) op.fn(ctx, op, Lanes{1} << l);
        REQUIRE(std::equal(whole, whole + 32, lanes));
        REQUIRE(preds[0] == preds[1]);
    }
}
