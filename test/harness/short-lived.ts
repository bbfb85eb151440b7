/**
 * Options of Node for a process that lives for seconds. V8 optimizes a function after it has run for
 * four times as long as usual (V8's `interrupt_budget`, bytes of code run). Most of what a test runs
 * would not run for long enough to be worth it: it takes a tenth of a process's time.
 */
export const SHORT_LIVED: readonly string[] = ['--interrupt-budget=500000']
