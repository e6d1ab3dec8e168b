/// A unit of the C library for the tests, with what its callbacks saw.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "capi/gsu.h"
#include "catch.hpp"

namespace capi {

constexpr std::uint32_t kAll = 0xffffffff;

class Unit {
public:
    explicit Unit(const char* name = "golden", std::uint32_t sms = 1,
                  const char* const* settings = nullptr, std::uint32_t threads = 0,
                  const std::function<void(gsu_options&, gsu_callbacks&)>& change = {})
    {
        gsu_callbacks calls = GSU_INIT(gsu_callbacks);
        calls.user = this;
        calls.on_response = [](void* user, const gsu_response* r) {
            static_cast<Unit*>(user)->responses.push_back(*r);
            static_cast<Unit*>(user)->nested();
        };
        calls.on_release = [](void* user, const gsu_release* r) {
            static_cast<Unit*>(user)->releases.push_back(*r);
        };
        calls.on_commit = [](void* user, const gsu_commit* c) {
            static_cast<Unit*>(user)->commits.push_back(*c);
        };
        calls.on_cta_free = [](void* user, const gsu_cta_free* f) {
            static_cast<Unit*>(user)->frees.push_back(*f);
        };
        calls.on_finding = [](void* user, const gsu_finding* f) {
            static_cast<Unit*>(user)->findings.push_back(*f);
            static_cast<Unit*>(user)->nested();
        };
        gsu_options options = GSU_INIT(gsu_options);
        options.abi = GSU_ABI;
        options.unit = name;
        options.sms = sms;
        options.settings = settings;
        options.threads = threads;
        options.callbacks = &calls;
        if (change) change(options, calls);
        const gsu_status status = gsu_unit_create(&options, &handle_);
        CAPTURE(gsu_last_error());
        REQUIRE(status == GSU_OK);
    }
    ~Unit() { CHECK(gsu_unit_destroy(handle_) == GSU_OK); }
    Unit(const Unit&) = delete;
    Unit& operator=(const Unit&) = delete;

    [[nodiscard]] gsu_unit* handle() const { return handle_; }
    [[nodiscard]] std::uint64_t now() const
    {
        std::uint64_t cycle = 0;
        REQUIRE(gsu_unit_now(handle_, &cycle) == GSU_OK);
        return cycle;
    }
    void step(int cycles = 1)
    {
        for (int n = 0; n < cycles; ++n) REQUIRE(gsu_unit_step(handle_) == GSU_OK);
        const char* text = nullptr;
        const gsu_status faulty = gsu_unit_fault(handle_, nullptr, &text);
        CAPTURE(text);
        REQUIRE(faulty == 0);
    }
    static gsu_launch cta(std::uint16_t threads)
    {
        gsu_launch l = GSU_INIT(gsu_launch);
        l.threads = threads;
        l.smem_size = 4096;
        return l;
    }
    /// Tells the unit of a cluster whose CTAs lie in slot 0 of SM 0 and on.
    void route(std::uint8_t cluster, std::uint8_t ctas)
    {
        for (std::uint8_t rank = 0; rank < ctas; ++rank) {
            gsu_route r = GSU_INIT(gsu_route);
            r.cluster = cluster;
            r.rank = r.sm = rank;
            r.ctas = ctas;
            REQUIRE(gsu_unit_route(handle_, &r) == GSU_OK);
        }
    }
    void launch(const gsu_launch& l)
    {
        gsu_status status = gsu_unit_launch(handle_, &l);
        for (int n = 0; n < 100 && status == 0; ++n) {
            step();
            status = gsu_unit_launch(handle_, &l);
        }
        CAPTURE(gsu_last_error());
        REQUIRE(status == 1);
        step();
    }
    static gsu_request request(std::uint8_t op, std::uint8_t warp, std::uint32_t lanes = kAll)
    {
        gsu_request r = GSU_INIT(gsu_request);
        r.op = op;
        r.warp = warp;
        r.tag = warp;
        r.lanes = lanes;
        return r;
    }
    void present(const gsu_request& r)
    {
        for (int n = 0; n < 100 && gsu_unit_can_present(handle_, r.sm) != 1; ++n) step();
        const gsu_status status = gsu_unit_present(handle_, &r);
        CAPTURE(gsu_last_error());
        REQUIRE(status == GSU_OK);
    }
    void leave(std::uint8_t warp, std::uint32_t lanes = kAll, std::uint8_t sm = 0)
    {
        gsu_exit e = GSU_INIT(gsu_exit);
        e.sm = sm;
        e.warp = warp;
        e.lanes = lanes;
        REQUIRE(gsu_unit_exit(handle_, &e) == GSU_OK);
    }

    std::vector<gsu_response> responses;
    std::vector<gsu_release> releases;
    std::vector<gsu_commit> commits;
    std::vector<gsu_cta_free> frees;
    std::vector<gsu_delivered> delivered;  ///< if a test listens
    std::vector<gsu_finding> findings;
    std::vector<gsu_status> nestedCalls;  ///< what calls from inside a callback were told

private:
    void nested()
    {
        const gsu_request r = request(GSU_OP_BAR_SYNC, 1);
        const gsu_launch l = cta(32);
        for (const gsu_status s : {gsu_unit_step(handle_), gsu_unit_present(handle_, &r),
                                   gsu_unit_launch(handle_, &l), gsu_unit_destroy(handle_),
                                   gsu_unit_stored(handle_, 0, 0, 8), gsu_unit_skip_to(handle_, 0)})
            nestedCalls.push_back(s);
    }

    gsu_unit* handle_{};
};

}  // namespace capi
