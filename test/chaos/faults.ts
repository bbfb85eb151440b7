/**
 * Kills processes of a running product, and waits until its supervisor has restarted them. It kills
 * only processes that the product's pids.json names.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { holdFile } from '../../services/local/engines.ts'
import { processes } from '../../services/local/roles.ts'
import type { Product } from '../harness/product.ts'
import { until } from '../harness/until.ts'

/** What can be killed. `relay` stands for the process that runs it. */
export const victims = ['api', 'intake', 'gateway', 'processors', 'relay', 'kafka'] as const
export type Victim = (typeof victims)[number] | 'notifier' | 'postgres'

/** Processes that must outlive the broker. */
export const survivors = ['api', 'intake', 'gateway'] as const

/** Name of the process that runs a role; an engine is one by itself. */
function processOf(victim: Victim): string {
  const roles: [string, readonly string[]][] = Object.entries(processes)
  return roles.find(([, own]) => own.includes(victim))?.[0] ?? victim
}

/** Pid of a part; null while it is not running. */
export function pidOf(product: Product, victim: Victim): number | null {
  return product.pids()[processOf(victim)] ?? null
}

/** Pids of api, intake and gateway. */
export const survivorPids = (product: Product): Record<string, number | null> =>
  Object.fromEntries(survivors.map((name) => [name, pidOf(product, name)]))

/** Kills the process; returns whether it existed. */
function killed(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}

/**
 * Sends SIGKILL. Resolves with the pid that was killed. It waits for a pid first: the supervisor
 * may be about to start the victim after an earlier fault, or about to note that it has ended by
 * itself.
 */
export const kill = (product: Product, victim: Victim): Promise<number> =>
  until(`${victim} to be there to be killed`, () => {
    const pid = pidOf(product, victim)
    return pid !== null && killed(pid) && pid
  })

/** Resolves with its pid, once it has one. */
export const running = (product: Product, victim: Victim): Promise<number> =>
  until(`${victim} to be running`, () => pidOf(product, victim), 60_000)

/** Resolves with the milliseconds until another process has replaced `dead`. */
export async function restarted(product: Product, victim: Victim, dead: number, ms = 60_000): Promise<number> {
  const from = Date.now()
  await until(
    `${victim} to be started again`,
    () => {
      const pid = pidOf(product, victim)
      return pid !== null && pid !== dead
    },
    ms
  )
  return Date.now() - from
}

/** Keeps a broker that ends from being started again. */
export const holdKafka = (product: Product): void => writeFileSync(holdFile(product.dataDir), '')
export const releaseKafka = (product: Product): void => rmSync(holdFile(product.dataDir), { force: true })
