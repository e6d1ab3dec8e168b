/// \file
/// Messages between a SystemC model and the sync unit: commands in a generic payload, events on an analysis port. Values are those of
/// golden/types.hpp; nothing is encoded twice. README.md of this folder describes answers and their times.
#pragma once
#include <tlm>

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "golden/findings.hpp"
#include "golden/port.hpp"

namespace gsu {

/// An ordinary store hit [addr, addr+bytes) of the SM's shared memory (SyncPort::stored).
struct Stored {
    std::uint8_t sm{};      ///< SM
    std::uint32_t addr{};   ///< first byte
    std::uint32_t bytes{};  ///< number of bytes
};

/// Accesses are announced, or are performed (SyncPort::announce, performed).
struct AccessCommand {
    Accesses accesses;  ///< the accesses
    bool performed{};   ///< else announced
};

/// One call of SyncPort. Only a SyncRequest is answered later; all other commands are done once taken.
using SyncCommand = std::variant<std::monostate, SyncRequest, Launch, Exit, ClusterRoute,
                                 AsyncUpdate, Stored, AccessCommand, GridStart, CancelAnswer>;

/// One report of a port, in the port's order.
using SyncEvent =
    std::variant<SyncResponse, Release, Commit, Delivered, CtaFree, GridEvent, CancelQuery>;

/// The protocol of the sockets. It is not the TLM base protocol: the extension is mandatory and any number of transactions may be open per
/// socket, so sockets of another protocol do not bind. Phases: BEGIN_REQ, END_REQ (taken), BEGIN_RESP (answered).
struct SyncProtocol {
    using tlm_payload_type = tlm::tlm_generic_payload;  ///< the generic payload
    using tlm_phase_type = tlm::tlm_phase;              ///< phases of the generic payload
};

/// Command and answer of one transaction. The initiator owns payload and extension until the answer.
struct SyncExtension final : tlm::tlm_extension<SyncExtension> {
    // Set by the initiator.
    SyncCommand command;  ///< the command
    /// false: refuse a command that the port cannot take in this cycle (TLM_INCOMPLETE_RESPONSE)
    bool wait{true};
    // Set by the target.
    Cycle taken{kNever};     ///< cycle in which the port took it
    Cycle answered{kNever};  ///< cycle of the last answer; of a command without answer: `taken`
    std::vector<SyncResponse> responses;  ///< responses that named a lane of the request, in order
    std::optional<Release> release;       ///< release that named lanes of the request
    std::vector<FindingRule>
        findings;        ///< findings of the request: errors and warnings of its program
    std::string reason;  ///< reason of an error status

    /// Clears the answer, for the next use of the same transaction.
    void clearAnswer()
    {
        taken = answered = kNever;
        responses.clear();
        release.reset();
        findings.clear();
        reason.clear();
    }
    /// Clones the extension, as the payload requires.
    [[nodiscard]] tlm::tlm_extension_base* clone() const override
    {
        return new SyncExtension(*this);
    }
    /// Copies the extension, as the payload requires.
    void copy_from(const tlm::tlm_extension_base& other) override
    {
        *this = static_cast<const SyncExtension&>(other);
    }
};

/// Filled by transport_dbg: the results of SyncPort's const functions at this instant. Takes no time and changes nothing.
struct StatusExtension final : tlm::tlm_extension<StatusExtension> {
    unsigned sms{};              ///< SMs of the port
    Cycle now{};                 ///< cycle to which a command would belong
    Cycle quietUntil{};          ///< SyncPort::quietUntil
    WarpRef at{};                ///< warp of the epoch; set by the initiator
    Reach reach{};               ///< reach of the epoch; set by the initiator
    std::uint8_t epoch{};        ///< SyncPort::epoch(at, reach)
    std::uint32_t canPresent{};  ///< SyncPort::canPresent, bit per SM
    std::uint32_t canNotify{};   ///< SyncPort::canNotify, bit per SM
    std::uint32_t canAnswer{};   ///< SyncPort::canAnswerCancel, bit per SM
    std::optional<Fault> fault;  ///< SyncPort::fault

    /// Clones the extension, as the payload requires.
    [[nodiscard]] tlm::tlm_extension_base* clone() const override
    {
        return new StatusExtension(*this);
    }
    /// Copies the extension, as the payload requires.
    void copy_from(const tlm::tlm_extension_base& other) override
    {
        *this = static_cast<const StatusExtension&>(other);
    }
};

/// A generic payload with one extension of its own; reusable after its answer.
template <typename Extension> class Transaction {
public:
    Transaction()
    {
        payload_.set_command(tlm::TLM_IGNORE_COMMAND);
        payload_.set_extension(&extension_);
    }
    ~Transaction() { payload_.clear_extension(&extension_); }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    /// The payload to be sent.
    [[nodiscard]] tlm::tlm_generic_payload& payload() noexcept { return payload_; }
    /// The extension, with command and answer.
    [[nodiscard]] Extension& extension() noexcept { return extension_; }
    /// True if the answer is TLM_OK_RESPONSE.
    [[nodiscard]] bool ok() const { return payload_.is_response_ok(); }

private:
    tlm::tlm_generic_payload payload_;
    Extension extension_;
};
/// One command and its answer.
using SyncTransaction = Transaction<SyncExtension>;

}  // namespace gsu
