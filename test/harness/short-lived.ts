/**
 * Options of Node for a test process, which lives for seconds. V8 optimizes a function after it has
 * run for four times as long as usual (`interrupt_budget` of V8: bytes of code that were run). Most
 * of what a test runs does not run for long enough to be worth it.
 */
export const SHORT_LIVED: readonly string[] = ['--interrupt-budget=500000']
