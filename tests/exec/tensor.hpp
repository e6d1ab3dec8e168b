/// Launches with tensor maps and mbarriers; private to the tests of tb/exec.
#pragma once
#include "catch.hpp"
#include "exec/harness.hpp"
#include "exec/mbar_port.hpp"

namespace gsu::test {

inline Outcome runTensor(const Kernel& k, LaunchSpec spec, const RunOptions& options)
{
    const ptx::Module module = ptx::parseModule(k.text(), "test.ptx");
    const ptx::Diagnostic* d = ptx::firstError(module);
    if (d != nullptr) FAIL(d->at.line << ": " << d->message);
    Executor executor(spec, module, options);
    MbarPort port(executor.sms(), executor.sharedMemory(), options.seed);
    Outcome o;
    o.result = executor.run(port);
    for (std::size_t i = 0; i < spec.params.size(); ++i)
        o.buffers.push_back(executor.readBuffer(i));
    return o;
}

inline Outcome runTensor(const Kernel& k, const LaunchSpec& spec, std::uint64_t seed)
{
    RunOptions options;
    options.seed = seed;
    return runTensor(k, spec, options);
}

inline LaunchParam mapParam(std::size_t base, const TensorMap& map, std::uint64_t offset = 0)
{
    LaunchParam p;
    p.data.bytes.resize(128);
    p.tensor = TensorParam{base, offset, map};
    return p;
}

}  // namespace gsu::test
