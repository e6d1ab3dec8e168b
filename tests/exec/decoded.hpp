/// The result of the executor's decoder for one instruction, for tests of the decoder.
#pragma once
#include <memory>
#include <string>

#include "catch.hpp"
#include "exec/harness.hpp"
#include "exec/machine/kernel_run.hpp"

namespace gsu::test {

/// One instruction decoded for execution.
class Decoded {
public:
    /// `timing`: exec.timing.
    explicit Decoded(const std::string& text, const char* timing = "simple")
        : module_(ptx::parseModule(kHead + text + "\nret;\n}\n", "row.ptx"))
    {
        REQUIRE(ptx::firstError(module_) == nullptr);
        spec_.file = "row.launch.json";
        spec_.block = {32, 1, 1};
        REQUIRE(setTiming(options_.params, timing).empty());
        machine_ = std::make_unique<exec::KernelRun>(spec_, module_, options_, nullptr);
        const auto& ops = machine_->program.codes[machine_->program.entry].ops;
        for (const exec::MicroOp& op : ops) {
            if (op.kind == exec::Kind::Ret) break;
            before_ = op_;
            op_ = &op;
        }
        REQUIRE(op_ != nullptr);
    }
    [[nodiscard]] const exec::MicroOp& op() const { return *op_; }
    /// The instructions that the executor refuses, a line each.
    [[nodiscard]] std::string refused() const
    {
        std::string text;
        for (const std::string& name : machine_->program.unsupported) text += name + '\n';
        return text;
    }
    /// The n-th instruction as the timing model sees it. Pre: a timing other than simple.
    [[nodiscard]] const exec::TimedInstruction& timed(std::size_t n) const
    {
        return machine_->program.codes[machine_->program.entry].timed.at(n);
    }
    /// The one before it.
    [[nodiscard]] const exec::MicroOp& before() const
    {
        REQUIRE(before_ != nullptr);
        return *before_;
    }
    [[nodiscard]] const exec::SyncInfo& sync() const
    {
        REQUIRE(op_->kind == exec::Kind::Sync);
        return machine_->program.syncs.at(op_->extra);
    }
    [[nodiscard]] exec::Row listed(std::uint32_t i) const { return machine_->program.rows.at(i); }
    [[nodiscard]] std::uint64_t constant(exec::Row r) const
    {
        return machine_->program.consts.at(static_cast<std::size_t>(~r) * 32);
    }
    /// Row, or index of a predicate, of the n-th register in `text` ("[%rd5+8]", "!%p3", "{%r1, %r2}").
    [[nodiscard]] exec::Row rowOf(const std::string& text) const
    {
        const std::size_t from = text.find('%');
        if (from == std::string::npos) return exec::kNoRow;
        const std::string name = text.substr(from, text.find_first_of("+],|} ", from) - from);
        exec::Row row = 0, pred = 0;
        for (const ptx::Register& r : module_.functions[0].registers) {
            const bool isPred = r.type == ptx::Type::Pred;
            if (r.name == name) return isPred ? pred : row;
            (isPred ? pred : row) += isPred ? 1 : sizeOf(r.type) > 8 ? 2 : 1;
        }
        FAIL("no register " << name);
        return 0;
    }

private:
    static constexpr const char* kHead =
        ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k()\n{\n.reg .pred "
        "%p<32>; .reg .b16 %h<32>; .reg .b32 %r<32>; .reg .f32 %f<32>; .reg .b64 %rd<32>; .reg "
        ".f64 %fd<32>; .reg .b128 %q<32>;\n";
    ptx::Module module_;
    LaunchSpec spec_;
    RunOptions options_;
    std::unique_ptr<exec::KernelRun> machine_;
    const exec::MicroOp *op_{}, *before_{};
};

}  // namespace gsu::test
