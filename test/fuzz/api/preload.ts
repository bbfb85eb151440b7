/**
 * Loaded into the processes that are fuzzed: answers how much they hold after a collection.
 * Needs --expose-gc.
 */
process.on('message', () => {
  globalThis.gc?.()
  globalThis.gc?.() // What the first one finalised.
  process.send?.(process.memoryUsage())
})
process.channel?.unref()
