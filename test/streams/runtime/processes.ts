/** Starts processors of the demo as real processes, and reads what they print. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Teardown } from '../../harness/engines.ts'
import { loaderOf, moduleUrl } from '../../harness/modules.ts'
import type { Orders } from './fixture/processor.ts'
import type { Scene } from './scene.ts'

export interface Line {
  event: string
  [field: string]: unknown
}

export interface Process {
  child: ChildProcess
  lines: Line[]
  said(event: string): Line[]
  /** How it ended: its exit code, or the signal that killed it. */
  exited: Promise<number | NodeJS.Signals | null>
  stop(): Promise<number | NodeJS.Signals | null>
}

/** Starts fixture/processor.ts on the scene; it is ended after the test. */
export function launch(
  t: Teardown,
  at: Scene,
  options: Pick<Orders, 'kind' | 'freeze' | 'unfenced'>,
  env: NodeJS.ProcessEnv = {}
): Process {
  const url = new URL(at.systemUrl)
  // Postgres ends a session that is idle in a transaction for this long; the product uses ten
  // seconds.
  url.searchParams.set('idle_in_transaction_session_timeout', '1500')
  const told: Orders = {
    ...options,
    brokers: at.topics.brokers,
    topicPrefix: at.topics.prefix,
    clusterId: at.clusterId,
    systemUrl: url.href,
    sessionTimeoutMs: 1500
  }
  const child = spawn(process.execPath, [...loaderOf(import.meta.url), fileURLToPath(moduleUrl('fixture/processor.ts', import.meta.url))], {
    env: { ...process.env, ...env, ORDERS: JSON.stringify(told) },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const lines: Line[] = []
  const exited = new Promise<number | NodeJS.Signals | null>((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
  if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line) as Line))
  t.teardown(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return {
    child,
    lines,
    exited,
    said: (event) => lines.filter((line) => line.event === event),
    stop() {
      child.kill('SIGTERM')
      return exited
    }
  }
}
