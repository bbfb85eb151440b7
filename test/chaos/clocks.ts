/**
 * Wrong clocks for a fault run, `--clocks`:
 *
 *   doors     intake and every prober are 30 s ahead, 30 s behind or right, and step every 10 s
 *   engines   Postgres, the broker and the clock role are 5 s ahead of all other processes
 *
 * A broker whose clock alone is wrong is simulated by append times instead
 * (test/streams/heartbeat/clocks.test.ts, and that of status): the JVM does not run as a broker
 * under a library that moves its clock.
 *
 * This file also checks what must hold then in addition to the run's own invariants: heartbeats
 * that are pinged and monitors that answer stay well, and what senders offer is accepted.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { makeWorkspace, type Product } from '../harness/product.ts'
import { expectedOf } from './check-tables.ts'
import type { Verdicts } from './checks.ts'
import { readLedger } from './ledger.ts'
import { readBack } from './readback.ts'
import { created, pinging } from './watched.ts'

export const clockModes = ['right', 'doors', 'engines'] as const
export type ClockMode = (typeof clockModes)[number]

export function clockModeOf(text: string): ClockMode {
  const mode = clockModes.find((one) => one === text)
  if (!mode) throw new Error(`--clocks is one of ${clockModes.join(', ')}`)
  return mode
}

const PRELOAD = fileURLToPath(new URL('skewed-clock.mjs', import.meta.url))

/** Options of startProduct that make the clocks wrong. */
export function wrongClocks(mode: ClockMode): { nodeArgs: string[]; environment: NodeJS.ProcessEnv } {
  // Lets checks reach the site of the run.
  const environment = { PROBER_ALLOW_CIDRS: '127.0.0.0/8' }
  if (mode === 'right') return { nodeArgs: [], environment }
  const shift =
    mode === 'doors'
      ? { roles: ['intake', 'prober'], offsets: [30_000, -30_000, 0], everyMs: 10_000 }
      : { not: ['clock'], offsets: [-5000] }
  return { nodeArgs: ['--import', PRELOAD], environment: { ...environment, CHAOS_CLOCK: JSON.stringify(shift) } }
}

export interface Beside {
  /** Ends the pings; checks the targets, and the load by its ledger. */
  verdicts(ledgerFile: string, tenants: readonly string[]): Promise<Verdicts>
  close(): Promise<void>
}

const MONITORS = 4
const HEARTBEATS = 20
/** This per cent of what senders offered and no door refused must be accepted. */
const TAKEN_PERCENT = 99

/** Starts targets that are well all the time, beside the load of a run. */
export async function watchBeside(product: Product, name: string): Promise<Beside> {
  const site = createServer((_, response) => response.end('well'))
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  const target = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
  const pool = product.pool()
  const workspace = await makeWorkspace(pool, `${name}-watched`, 'generic').finally(() => pool.end())
  for (let nth = 0; nth < MONITORS; nth++) {
    const settings = { name: `Site ${nth}`, type: 'http', target, interval_seconds: 10, timeout_seconds: 5, retry: { count: 0 } }
    await created(product, workspace, '/api/v1/monitors', settings)
  }
  const tokens: string[] = []
  for (let nth = 0; nth < HEARTBEATS; nth++) {
    const settings = { name: `Job ${nth}`, schedule: { kind: 'period', period_seconds: 30 }, grace_seconds: 0 }
    tokens.push((await created<{ ping_token: string }>(product, workspace, '/api/v1/heartbeats', settings)).ping_token)
  }
  const load = pinging(`http://127.0.0.1:${product.port('intake')}`, tokens, workspace.door)
  let closed = false
  const close = async (): Promise<void> => {
    if (closed) return
    closed = true
    await load.stop()
    site.close()
    site.closeAllConnections()
  }
  return {
    close,
    async verdicts(ledgerFile, tenants) {
      // The log is read while they are still pinged: once the pings stop, a miss is correct.
      const log = await readBack(product)
      const expected = await expectedOf(log).finally(() => log.close())
      await close()
      const violations: string[] = []
      if (expected.missed.length > 0) violations.push(`${expected.missed.length} false misses, first ${expected.missed[0]}`)
      if (expected.down.length > 0) violations.push(`${expected.down.length} monitors that answer were down, first ${expected.down[0]}`)
      const lost = [...load.accepted].filter((rid) => !expected.runs.has(rid))
      // The last pings may have been answered after the log was read.
      if (lost.length > HEARTBEATS) violations.push(`${lost.length} accepted pings are not on the log, first ${lost[0]}`)
      const { taken, offered } = shareTaken(ledgerFile, tenants)
      const percent = offered === 0 ? 100 : (100 * taken) / offered
      if (percent < TAKEN_PERCENT) violations.push(`of ${offered} alerts ${taken} were taken: ${percent.toFixed(2)} %`)
      return {
        violations,
        counts: {
          pings_accepted: load.accepted.size,
          ping_statuses: [...load.statuses].map(([status, times]) => `${status || 'none'}: ${times}`).join(', '),
          alerts_taken: `${taken} of ${offered}, ${percent.toFixed(2)} %`,
          results_on_the_log: expected.results.checks_1d.size
        }
      }
    }
  }
}

/**
 * Counts the alerts of the workspaces that no door refused, and those of them that a door accepted
 * in the end.
 */
function shareTaken(ledgerFile: string, tenants: readonly string[]): { taken: number; offered: number } {
  const taken = new Set<string>()
  const refused = new Set<string>()
  const all = new Set<string>()
  for (const { tenant_id, alerts, verdict } of readLedger(ledgerFile).entries) {
    if (!tenants.includes(tenant_id)) continue
    for (const { id } of alerts) {
      // The run posts these itself to see doors refuse, and does not offer them again.
      if (id.startsWith('outage-')) continue
      all.add(id)
      if (verdict === 'accepted') taken.add(id)
      if (verdict === 'refused') refused.add(id)
    }
  }
  for (const id of taken) refused.delete(id)
  return { taken: taken.size, offered: all.size - refused.size }
}
