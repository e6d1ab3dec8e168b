// What the assembler makes of a function, and the registers of an instruction for the timing model, with those of the accesses that become a part of it.
#include "exec/decode/decoder.hpp"

namespace gsu::exec {

using timing::InstructionClass;
using timing::Order;

void Decoder::assemble()
{
    joined_.emplace(*f_);
    predicated_.emplace(*f_);
    contracted_.emplace(*f_);
}

/// The registers that the other parts of an access give or take.
void Decoder::addParts(std::vector<timing::Register>& to, const JoinedAccess& joined) const
{
    for (const std::uint32_t other : joined.others)
        for (const Operand& o : f_->body[other].operands)
            if (o.kind != Operand::Kind::Address) addTimed(to, o);
}

void Decoder::timedRegisters(TimedInstruction& t, InstructionClass cls) const
{
    // A product's results come later: a wait for its group gives them. A wait, too, has no result except its answer.
    const bool results = cls != InstructionClass::Product && cls != InstructionClass::Control &&
                         cls != InstructionClass::Arrive;
    if (in_->guard.reg != ptx::kNone) t.registers.push_back(timedRegister(in_->guard.reg));
    const auto written = [&](std::size_t i) {
        return i == 0 && results && in_->operands[i].kind != Operand::Kind::Address;
    };
    for (std::size_t i = 0; i < in_->operands.size(); ++i)
        if (!written(i)) addTimed(t.registers, in_->operands[i]);
    const JoinedAccess& joined = joined_->of(place());
    const bool gives = in_->opcode != "st";
    if (!gives) addParts(t.registers, joined);
    const std::size_t reads = t.registers.size();
    t.within = joined.part == JoinedAccess::Part::Within;
    if (!in_->operands.empty() && written(0) && !t.within) addTimed(t.registers, in_->operands[0]);
    if (gives) addParts(t.registers, joined);
    t.what.reads = std::span(t.registers.data(), reads);
    t.what.writes = std::span(t.registers.data() + reads, t.registers.size() - reads);
    if (t.within) t.what.order = Order::Free;
    t.whole = joined.bytes;
    if (t.whole == 0) return;
    t.shift = joined.shift;
    t.what.footprint.offset += t.shift;
    t.what.footprint.bytes = t.whole;
}

}  // namespace gsu::exec
