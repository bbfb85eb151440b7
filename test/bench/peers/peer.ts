/**
 * A peer of a benchmark: a third-party program to compare with, started for the run and ended with
 * it.
 */
import type { ChildProcess } from 'node:child_process'
import { until } from '../../harness/until.ts'

export interface Peer {
  name: string
  version: string
  port: number
  /** CPU seconds of all its processes so far. */
  cpu(): number
  stop(): Promise<void>
}

/** Sends the signal and waits for the process to end. */
export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await ended
}

/** Waits until something answers at the address. */
export const answers = (url: string): Promise<boolean> =>
  until(
    `${new URL(url).host} to answer`,
    () =>
      fetch(url).then(
        ({ status }) => status < 500,
        () => false
      ),
    30_000
  )
