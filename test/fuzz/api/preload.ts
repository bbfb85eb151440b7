/**
 * Preloaded into the fuzzed processes: answers how much memory they hold after a garbage
 * collection. Needs --expose-gc.
 */
process.on('message', () => {
  globalThis.gc?.()
  globalThis.gc?.() // What the first one finalised.
  process.send?.(process.memoryUsage())
})
process.channel?.unref()
