/**
 * Loaded into each test process before its test file. An uncaught error or an unhandled rejection
 * fails the innermost running test. tap finds that test with async-hook-domain, which follows each
 * promise of the process from creation to end. Since tests of one process hardly ever run in
 * parallel, this module blames the test that began last, which costs nothing.
 */
import asyncHooks from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'
import { isMainThread } from 'node:worker_threads'
import type { Base } from 'tap'

/** The running tests, each nested in the one before it. */
const running = new Set<Base>()

function follow(test: Base): void {
  running.add(test)
  test.on('subtestStart', (begun) => follow(begun as Base))
  test.on('subtestEnd', (ended) => running.delete(ended as Base))
}

// Worker threads get the options of their process, and so load this file, too. They skip it.
if (isMainThread) {
  // A program that a test forks would get these options, too. It must run as it does elsewhere.
  process.execArgv.length = 0
  // tap creates its hook while it is loaded. That hook is made to follow nothing.
  const { createHook } = asyncHooks
  asyncHooks.createHook = (callbacks) => {
    const hook = createHook(callbacks)
    hook.enable = () => hook
    return hook
  }
  syncBuiltinESMExports()
  const { t } = await import('./whole-tap.ts')
  asyncHooks.createHook = createHook
  syncBuiltinESMExports()
  follow(t)
  process.setUncaughtExceptionCaptureCallback((error) => [...running].at(-1)?.threw(error))
}
