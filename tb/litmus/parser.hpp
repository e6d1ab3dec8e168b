/// State of the parser; private to tb/litmus.
#pragma once
#include <map>

#include "litmus/kernel_test.hpp"
#include "litmus/scanner.hpp"
#include "litmus/test.hpp"

namespace gsu::litmus {

class Parser {
public:
    Parser(std::string_view text, std::string file);
    [[nodiscard]] Test parse();
    /// Reads a kernel test: launch file and condition, in which NAME[i] is a cell.
    [[nodiscard]] KernelTest parseKernel();

private:
    // parser.cpp
    void initial();
    void initialRegister();
    void declare(const Token& name);
    void threadRow();
    void threadHead(unsigned column);
    void instructionRows();
    void finish();
    void judge();
    void countParticipants(Thread& thread);
    [[nodiscard]] std::string misuse(const Thread& thread, const Instruction& i) const;
    [[nodiscard]] unsigned location(const Token& name);
    [[nodiscard]] int reg(unsigned thread, const std::string& name);
    [[nodiscard]] unsigned threadNamed(const Token& name) const;
    // parser_instruction.cpp
    void instruction(unsigned thread);
    void parseWord(Instruction& i, const Token& word, unsigned thread);
    [[nodiscard]] bool memoryWord(Instruction& i, const Token& word,
                                  std::vector<std::string>& parts, unsigned thread);
    void operation(Instruction& i, const Token& word, std::vector<std::string>& parts);
    [[nodiscard]] bool fenceWord(Instruction& i, const Token& word,
                                 std::vector<std::string>& parts);
    [[nodiscard]] bool barrierWord(Instruction& i, std::vector<std::string>& parts,
                                   unsigned thread);
    [[nodiscard]] bool mbarrierWord(Instruction& i, std::vector<std::string>& parts,
                                    unsigned thread);
    [[nodiscard]] bool plainWord(Instruction& i, const std::vector<std::string>& parts,
                                 unsigned thread);
    void order(Instruction& i, const Token& word, std::vector<std::string>& parts);
    [[nodiscard]] Value value(unsigned thread);
    [[nodiscard]] unsigned place();
    [[nodiscard]] int target(unsigned thread);
    // parser_condition.cpp
    void conditions();
    [[nodiscard]] Condition disjunction();
    [[nodiscard]] Condition conjunction();
    [[nodiscard]] Condition atom();
    [[nodiscard]] Condition::Term term();

    [[nodiscard]] Condition::Term cell();

    Scanner in_;
    Test test_;
    bool kernel_{};
    std::vector<KernelTest::Cell> cells_;
    std::map<std::string, unsigned> locations_;
    std::map<std::string, unsigned> threads_;
    struct PendingRegister {
        Token thread, name;
        std::int32_t value{};
    };
    std::vector<PendingRegister> registers_;
    struct PendingHome {
        unsigned location{};
        Token thread;
    };
    std::vector<PendingHome> homes_;
    struct Jump {
        unsigned thread{}, instruction{};
        Token label;
    };
    std::vector<Jump> jumps_;
    std::vector<std::map<std::string, unsigned>> labels_;
};

[[nodiscard]] bool isRegister(const std::string& word) noexcept;

}  // namespace gsu::litmus
