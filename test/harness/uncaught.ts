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

const { createHook } = asyncHooks

/** Hooks of async-hook-domain follow nothing; anybody else's are what they are. */
function createNoDomain(...[callbacks]: Parameters<typeof createHook>): ReturnType<typeof createHook> {
  const hook = createHook(callbacks)
  if (new Error('who asks').stack?.includes('/async-hook-domain/')) hook.enable = () => hook
  return hook
}

/** The tests that run, each within the one before it. */
const running: Base[] = []

function follow(test: Base): void {
  running.push(test)
  test.on('subtestStart', (begun) => follow(begun as Base))
  test.on('subtestEnd', (ended) => running.splice(running.indexOf(ended as Base), 1))
}

// A thread is given the options of its process, and this file with them.
if (isMainThread) {
  // So would be a program that a test forks, which is to run as it does elsewhere.
  process.execArgv.length = 0
  asyncHooks.createHook = createNoDomain
  syncBuiltinESMExports()
  const { t } = await import('./whole-tap.ts')
  follow(t)
  process.setUncaughtExceptionCaptureCallback((error) => running.at(-1)?.threw(error))
}
