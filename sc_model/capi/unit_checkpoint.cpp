// Restores a unit: it executes the inputs of a checkpoint again.
#include <span>

#include "capi/unit.hpp"

using gsu::capi::Refusal;

std::string gsu_unit::save() const
{
    mayTakeInput();
    if (!journals_) throw Refusal{GSU_E_STATE, "the unit was made without gsu_options::journal"};
    return journal_.checkpoint(identity_, now());
}

void gsu_unit::execute(const gsu::capi::Input& input)
{
    using namespace gsu::capi;
    struct Give {
        gsu_unit& unit;
        void operator()(const gsu::SyncRequest& in) const { unit.present(in); }
        void operator()(const gsu::AsyncUpdate& in) const { unit.notify(in); }
        void operator()(const gsu::ClusterRoute& in) const { unit.route(in); }
        void operator()(const gsu::Launch& in) const
        {
            if (!unit.launch(in))
                throw Refusal{GSU_E_INTERNAL, "the checkpoint does not repeat itself"};
        }
        void operator()(const gsu::Exit& in) const { unit.exit(in); }
        void operator()(const Stored& in) const { unit.stored(in.sm, in.addr, in.bytes); }
        void operator()(const gsu::Accesses& in) const { unit.announce(in); }
        void operator()(const Performed& in) const { unit.performed(in.accesses); }
        void operator()(const Steps& in) const
        {
            const gsu::Cycle end = unit.replayed_->cycle();  // a forged count would run for ever
            if (in.count > end || unit.now() > end - in.count)
                throw Refusal{GSU_E_ARGUMENT, "the checkpoint steps beyond its own cycle"};
            for (std::uint64_t n = 0; n < in.count; ++n) unit.step();
        }
        void operator()(const GridInput& in) const { unit.grid(in); }
        void operator()(const SkipTo& in) const { unit.skipTo(in.cycle); }
        void operator()(const gsu::CancelAnswer& in) const { unit.answerCancel(in); }
        void operator()(const AtLine& in) const { unit.line(in.line); }
    };
    std::visit(Give{*this}, input);
}

void gsu_unit::play(gsu::capi::Checkpoint& checkpoint)
{
    gsu::capi::Input input;
    while (checkpoint.next(input)) execute(input);
    if (now() != checkpoint.cycle() || !checkpoint.agrees())
        throw Refusal{GSU_E_INTERNAL, "the checkpoint does not repeat itself"};
}

void gsu_unit::restore(const void* data, std::uint64_t bytes)
{
    mayTakeInput();
    if (!journals_) throw Refusal{GSU_E_STATE, "the unit was made without gsu_options::journal"};
    gsu::capi::Checkpoint checkpoint(
        std::span(static_cast<const unsigned char*>(data), static_cast<std::size_t>(bytes)),
        identity_);
    reset();
    replayed_ = &checkpoint;
    try {
        play(checkpoint);
    } catch (...) {
        replayed_ = nullptr;
        stepping_ = reading_ = false;
        reset();
        throw;
    }
    replayed_ = nullptr;
}
