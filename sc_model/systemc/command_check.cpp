#include "systemc/command_check.hpp"

#include <fmt/format.h>

#include "golden/limits.hpp"

namespace gsu {

namespace {

struct Checker {
    unsigned sms;

    std::string operator()(std::monostate) const { return "no command in the extension"; }
    std::string operator()(const Stored& s) const
    {
        return s.sm < sms ? std::string{} : fmt::format("SM {} of {}", s.sm, sms);
    }
    std::string operator()(const CancelAnswer& a) const
    {
        return a.sm < sms ? std::string{} : fmt::format("SM {} of {}", a.sm, sms);
    }
    std::string operator()(const AccessCommand& a) const { return problemOf(a.accesses, sms); }
    std::string operator()(const auto& command) const { return problemOf(command, sms); }
};

}  // namespace

std::string problemOf(const SyncCommand& command, unsigned sms)
{
    return std::visit(Checker{sms}, command);
}

std::uint8_t smOf(const SyncCommand& command) noexcept
{
    struct {
        std::uint8_t operator()(std::monostate) const { return 0; }
        std::uint8_t operator()(const SyncRequest& r) const { return r.at.sm; }
        std::uint8_t operator()(const Launch& l) const { return l.sm; }
        std::uint8_t operator()(const Exit& e) const { return e.at.sm; }
        std::uint8_t operator()(const ClusterRoute&) const { return 0; }
        std::uint8_t operator()(const AsyncUpdate& u) const { return u.sm; }
        std::uint8_t operator()(const Stored& s) const { return s.sm; }
        std::uint8_t operator()(const CancelAnswer& a) const { return a.sm; }
        std::uint8_t operator()(const AccessCommand& a) const { return a.accesses.at.sm; }
        std::uint8_t operator()(const GridStart&) const { return 0; }
    } visitor;
    return std::visit(visitor, command);
}

}  // namespace gsu
