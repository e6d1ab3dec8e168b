/// Inputs of an SM in a cycle: from the driver, and from the network after the preceding cycle. Included by system.hpp only.
#pragma once
#include "verilated/system.hpp"

namespace gsu {

/// Drives the outputs of the network after the preceding cycle to the SM, unless the SM has seen them.
template <typename VSm, typename VNet, bool Checked>
void ModelSystem<VSm, VNet, Checked>::driveFromNet(unsigned i)
{
    if (std::exchange(slots_[i].netSeen, netClocks_) == netClocks_) return;
    VSm& sm = *slots_[i].model;
    const VNet& net = *net_;
    sm.tx_ready_i = net.tx_ready_o >> i & 1;
    sm.ack_ready_i = net.ack_ready_o >> i & 1;
    sm.ack_valid_i = net.ack_valid_o >> i & 1;
    if (sm.ack_valid_i) sm.ack_i = net.ack_o[i];
    sm.cb_up_ready_i = net.cb_up_ready_o >> i & 1;
    sm.rx_valid_i = net.rx_valid_o >> i & 1;
    if (sm.rx_valid_i) sm.rx_i = net.rx_o[i];
    sm.cb_dn_valid_i = net.cb_dn_valid_o >> i & 1;
    if (sm.cb_dn_valid_i) sm.cb_dn_i = net.cb_dn_o;
    sm.gd_up_ready_i = net.gd_up_ready_o >> i & 1;
    sm.gd_dn_valid_i = net.gd_dn_valid_o;
    if (sm.gd_dn_valid_i) sm.gd_dn_i = net.gd_dn_o;
}

/// Drives the driver's inputs to the SM, and notes which the SM takes in this cycle. If there was no input and is none, the ports keep their values.
template <typename VSm, typename VNet, bool Checked>
void ModelSystem<VSm, VNet, Checked>::driveInputs(unsigned sm)
{
    Slot& slot = slots_[sm];
    SmInputs& in = inputs[sm];
    const bool any = (inputMask >> sm & 1) != 0 || !in.reads.empty();
    if (!std::exchange(slot.driven, any) && !any) return;
    VSm& model = *slot.model;
    // Operands go first; the request is offered in the cycle after the last beat was taken.
    const bool beat = !in.beats.empty();
    model.opnd_valid_i = beat;
    if (beat) store(model.opnd_i, in.beats.front());
    slot.beatTaken = beat && (in.beats.front().warp ? model.opnd_warp_ready_o : model.opnd_ready_o);
    const raw::Wr* accesses = in.accesses.empty() ? nullptr : in.accesses.offer(model.wr_room_o);
    model.wr_valid_i = accesses != nullptr;
    if (accesses != nullptr) store(model.wr_i, *accesses);
    slot.accessTaken = accesses != nullptr && model.wr_ready_o;
    const bool told = in.accesses.told(slot.accessTaken && !accesses->performed);
    const bool request = in.requestValid && !beat && !in.held() && told;
    model.req_valid_i = request;
    if (request) store(model.req_i, in.request);
    slot.requestTaken = request && model.req_ready_o;
    slot.exitTaken = !in.exits.empty() && model.exit_ready_o;
    model.exit_valid_i = offered(!in.exits.empty(), slot.exitTaken);
    if (model.exit_valid_i) store(model.exit_i, in.exits.front());
    slot.launchTaken = in.launchValid && model.launch_ready_o;
    model.launch_valid_i = offered(in.launchValid, slot.launchTaken);
    if (model.launch_valid_i) store(model.launch_i, in.launch);
    model.async_valid_i = in.asyncValid;
    if (in.asyncValid) store(model.async_i, in.async);
    slot.asyncTaken = in.asyncValid && model.async_ready_o;
    model.clc_rsp_valid_i = in.answerValid;
    if (in.answerValid) store(model.clc_rsp_i, in.answer);
    model.snoop_valid_i = !in.snoops.empty();
    if (!in.snoops.empty()) {
        model.snoop_addr_i = in.snoops.front();
        in.snoops.pop_front();
    }
    model.mem_rsp_valid_i = !in.reads.empty() && in.reads.front().due <= now;
    if (model.mem_rsp_valid_i) {
        model.mem_rdata_i = in.reads.front().data;
        in.reads.pop_front();
    }
}

/// Removes the inputs that the SM has taken.
template <typename VSm, typename VNet, bool Checked>
void ModelSystem<VSm, VNet, Checked>::retireInputs(unsigned sm)
{
    Slot& slot = slots_[sm];
    if (!slot.driven) return;
    SmInputs& in = inputs[sm];
    if (slot.beatTaken) in.beats.pop_front();
    if (slot.requestTaken) in.requestValid = false;
    if (slot.exitTaken) in.exits.pop_front();
    if (slot.launchTaken) in.launchValid = false;
    if (slot.asyncTaken) in.asyncValid = false;
    in.answerValid = false;
    if (slot.accessTaken) in.accesses.pop();
    if (!in.any()) inputMask &= ~(1u << sm);
}

}  // namespace gsu
