/// Small launches from PTX text for the tests of tb/exec, on the golden port.
#pragma once
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "exec/machine/executor.hpp"
#include "golden/golden_port.hpp"
#include "ptx/parser.hpp"

namespace gsu::test {

/// A kernel `k` whose parameters are `params`; `body` declares its registers.
struct Kernel {
    std::string params, body, before{};
    std::string directives{};
    [[nodiscard]] std::string text() const
    {
        return ".version 8.6\n.target sm_90a\n.address_size 64\n" + before +
               "\n.visible .entry k(" + params + ")\n" + directives +
               "{\n.reg .pred %p<16>;\n.reg .b16 %h<16>;\n.reg .b32 %r<64>;\n.reg .b64 %rd<32>;\n" +
               body + "\n}\n";
    }
};

template <class T> DataArray bytesOf(const std::vector<T>& values)
{
    DataArray a{DataType::U8, {}};
    a.bytes.resize(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(a.bytes.data(), values.data(), a.bytes.size());
    return a;
}

template <class T> LaunchParam buffer(const std::vector<T>& values)
{
    return {LaunchParam::Kind::Buffer, bytesOf(values)};
}

template <class T> LaunchParam scalar(T value)
{
    return {LaunchParam::Kind::Value, bytesOf(std::vector<T>{value})};
}

/// Reads back a buffer by expecting it and taking the mismatches would lose equal ones: an observer-free dump.
struct Outcome {
    RunResult result;
    std::vector<std::vector<std::uint8_t>> buffers;
    template <class T> [[nodiscard]] std::vector<T> as(std::size_t param) const
    {
        std::vector<T> out(buffers[param].size() / sizeof(T));
        if (!out.empty()) std::memcpy(out.data(), buffers[param].data(), buffers[param].size());
        return out;
    }
};

struct Launched {
    LaunchSpec spec;
    RunOptions options;
};

inline Outcome run(const std::string& ptx, LaunchSpec spec, RunOptions options = {})
{
    const ptx::Module module = ptx::parseModule(ptx, "test.ptx");
    if (const ptx::Diagnostic* d = ptx::firstError(module)) {
        throw InputError("test.ptx", d->at.line, d->at.column, d->message);
    }
    Executor executor(spec, module, options);
    GoldenPort port(executor.sms());
    Outcome outcome;
    outcome.result = executor.run(port);
    for (std::size_t i = 0; i < spec.params.size(); ++i)
        outcome.buffers.push_back(executor.readBuffer(i));
    return outcome;
}

inline Outcome run(const Kernel& kernel, std::array<std::uint32_t, 3> block,
                   std::vector<LaunchParam> params, std::uint64_t seed = 1,
                   std::array<std::uint32_t, 3> grid = {1, 1, 1})
{
    LaunchSpec spec;
    spec.file = "test.launch.json";
    spec.block = block;
    spec.grid = grid;
    spec.params = std::move(params);
    RunOptions options;
    options.seed = seed;
    return run(kernel.text(), spec, options);
}

}  // namespace gsu::test
