// A kernel that only exists as machine code.
extern "C" __global__ void add() {}
