/**
 * Loaded into each test process before its file. An error that nobody has caught, or a promise that
 * was rejected so, fails the innermost test that runs. tap finds the test by async-hook-domain,
 * which follows each promise of the process from its making to its end. Hardly any test runs beside
 * another of its process: the one that began last is blamed, which takes nothing.
 */
import asyncHooks from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'
import { isMainThread } from 'node:worker_threads'
import type { Base } from 'tap'

/** The tests that run, each within the one before it. */
const running = new Set<Base>()

function follow(test: Base): void {
  running.add(test)
  test.on('subtestStart', (begun) => follow(begun as Base))
  test.on('subtestEnd', (ended) => running.delete(ended as Base))
}

// A thread is given the options of its process, and this file with them.
if (isMainThread) {
  // So would be a program that a test forks, which is to run as it does elsewhere.
  process.execArgv.length = 0
  // tap asks for its hook while it is loaded: that one follows nothing.
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
