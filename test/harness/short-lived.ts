/**
 * Node options for a test process, which lives only for seconds. V8 optimizes a function only after
 * it has run four times as long as usual (`interrupt_budget` of V8: bytes of code that were run).
 * Most functions of a test do not run long enough to make optimizing worth its cost.
 */
export const SHORT_LIVED: readonly string[] = ['--interrupt-budget=500000']
