/**
 * Probers: presence, and the assignment of their region by long poll. Results go to intake. A
 * prober acts for its region and for no workspace, or for a private location and only for that
 * location's workspace. What it receives is sealed to its key, so that neither a log nor a proxy on
 * the way can read a secret.
 * Source: docs/design/api/prober.md#s16.
 */

import { isIP } from 'node:net'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { mapSecrets } from '../../../schemas/http/check-config.ts'
import { iso } from '../../../schemas/http/common.ts'
import { MAX_LOCATION_PROBERS } from '../../../schemas/http/private-locations.ts'
import {
  type Assignment,
  ConfigAnswer,
  ConfigQuery,
  HelloAnswer,
  HelloBody,
  MAX_RESULTS,
  type OnDemandCheck,
  TrialAnswered,
  TrialBody
} from '../../../schemas/http/prober.ts'
import { leastVersion } from '../../checks/versions.ts'
import { openForTenant, sealTo, Unsealable } from '../../credentials/sealing.ts'
import { BoundedMap } from '../../process/bounded-map.ts'
import { version as ownVersion } from '../../process/version.ts'
import { answerTrial } from '../../store/check-trials.ts'
import {
  type AssignedMonitor,
  currentAssignment,
  findProberKey,
  firstAssignment,
  makeRoom,
  noteHello,
  type OnDemand,
  type ProbedRegion,
  readAssignment,
  readOnDemand
} from '../../store/probers.ts'
import { storableDeep } from '../../store/storable.ts'
import { proberOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, invalid } from '../http/errors.ts'
import { authenticateProber } from '../plugins/authentication.ts'
import type { Services } from '../services.ts'
import { createAssignments } from './assignments.ts'

const FLUSH_MS = 1000
/** Probers with an older version do not work with this service. */
const MIN_VERSION = leastVersion(ownVersion)
const MAX_WAIT_SECONDS = 30
/** Sealing uses the processor: after this many monitors, other work gets a turn. */
const SEALED_AT_ONCE = 100
/** The most instances whose deliveries are remembered. */
const MAX_INSTANCES = 10_000

interface Changes {
  version: number
  full: boolean
  rows: AssignedMonitor[]
}

interface News {
  changes: Changes | null
  once: OnDemand[]
}

export const proberRoutes =
  ({ pool, log, credentials, config: { secretsKey } }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const assignments = createAssignments({ pool, log })
    app.addHook('preClose', async () => assignments.close())

    /** Instance → on-demand checks that it already received: those no longer wake it. */
    const handed = new BoundedMap<string, Set<string>>(MAX_INSTANCES)

    /** Reads in progress, by region and version: probers that wait for the same news share one. */
    const reads = new Map<string, Promise<News>>()

    async function readChanges(of: ProbedRegion, since: number | undefined): Promise<Changes | null> {
      const newest = await currentAssignment(pool)
      if (since === newest) return null
      // A version that this service never gave out: the store was restored to an earlier state.
      const known = since !== undefined && since <= newest && since >= (await firstAssignment(pool))
      const from = known ? since : 0
      const rows = await readAssignment(pool, of, from)
      if (from > 0 && rows.length === 0) return null
      return { version: Math.max(newest, rows.at(-1)?.assignment_version ?? 0), full: from === 0, rows }
    }

    function read(of: ProbedRegion, since: number | undefined, news: number): Promise<News> {
      const { region } = of
      const key = `${region} ${since} ${news}`
      const running = reads.get(key)
      if (running) return running
      // On-demand checks are read first, so that a check of a new monitor comes together with the
      // monitor.
      const answer = readOnDemand(pool, region)
        .then(async (once) => ({ changes: await readChanges(of, since), once }))
        .finally(() => reads.delete(key))
      reads.set(key, answer)
      return answer
    }

    /**
     * Null if a secret cannot be decrypted: that monitor cannot be checked as intended, and must
     * not keep the others from being checked.
     */
    function toAssignment(row: Omit<AssignedMonitor, 'assignment_version' | 'active'>, key: Buffer): Assignment | null {
      const { tenant_id, monitor_id } = row
      const reseal = (value: string, field: string, isClear: boolean): string =>
        sealTo(key, isClear ? value : openForTenant(secretsKey, { tenant_id, resource: `monitor:${monitor_id}`, field }, value))
      try {
        return {
          monitor_id,
          tenant_ref: tenant_id,
          config_version: row.ver,
          type: row.type,
          target: row.target,
          config: mapSecrets(row.config, reseal),
          assertions: row.assertions,
          retry: row.retry,
          interval_seconds: row.interval_seconds,
          ...(row.down_interval_seconds !== null && {
            down_interval_seconds: row.down_interval_seconds,
            ...(row.recovery_rounds !== null && { recovery_rounds: row.recovery_rounds })
          }),
          timeout_seconds: row.timeout_seconds,
          degraded_after_ms: row.degraded_after_ms,
          ...(row.type === 'tls' && row.tls_expiry_days.length > 0 && { expiry_days: Math.min(...row.tls_expiry_days) })
        }
      } catch (error) {
        if (!(error instanceof Unsealable)) throw error
        log.error({ monitor_id, tenant_id }, 'a secret of this monitor does not open: it is not checked')
        return null
      }
    }

    /** Null if a secret of a trial cannot be decrypted. */
    function toOnce({ tenant_id, definition, scheduled_at, expires_at, ...item }: OnDemand, key: Buffer): OnDemandCheck | null {
      const { check_id, monitor_id, count } = item
      const check = { check_id, monitor_id, scheduled_at: iso(scheduled_at), count, expires_at: iso(expires_at) }
      if (!definition) return check
      const tried = toAssignment({ ...definition, tenant_id }, key)
      return tried && { ...check, definition: tried }
    }

    async function toAnswer({ version, full, rows }: Changes, once: readonly OnDemand[], key: Buffer): Promise<ConfigAnswer> {
      const monitors: Assignment[] = []
      const removed: string[] = []
      for (const [at, row] of rows.entries()) {
        const assignment = row.active ? toAssignment(row, key) : null
        if (assignment) monitors.push(assignment)
        else if (!full) removed.push(row.monitor_id)
        if (at % SEALED_AT_ONCE === SEALED_AT_ONCE - 1) await yieldToOthers()
      }
      return {
        version,
        full,
        monitors,
        removed,
        once: once.flatMap((item) => toOnce(item, key) ?? [])
      }
    }

    app.route({
      ...on('proberHello', { body: HelloBody, response: { 200: HelloAnswer } }),
      handler: async (request) => {
        const { region, label, country, tenant_id, draining } = proberOf(request)
        const { instance_id, version, kinds, public_key, egress_ips = [], capacity = {}, leaving = false, clock_at } = request.body
        const { oldest_due_ms = 0, event_loop_delay_ms = 0 } = request.body
        const now = Date.now()
        if (tenant_id !== null && !(await makeRoom(pool, region, instance_id, MAX_LOCATION_PROBERS)))
          throw new ApiError('CONFLICT', `This location has ${MAX_LOCATION_PROBERS} probers online, which is the most`)
        const skew_ms = clock_at === undefined ? 0 : skew(clock_at, now)
        const hello = { instance_id, version, kinds, public_key: Buffer.from(public_key, 'base64'), capacity, leaving }
        const { live, assignment_version } = await noteHello(pool, region, {
          ...hello,
          behind_ms: Math.max(oldest_due_ms, event_loop_delay_ms),
          egress_ips: egress_ips.filter((ip) => isIP(ip) !== 0)
        }).catch(endedRegion)
        return {
          region,
          label,
          country,
          server_time: iso(now),
          skew_ms,
          live,
          assignment_version,
          config: { result_batch: MAX_RESULTS, result_flush_ms: FLUSH_MS, min_version: MIN_VERSION, block_cidrs: [] },
          drain: draining
        }
      }
    })

    app.route({
      ...on('proberTrial', { body: TrialBody, response: { 200: TrialAnswered } }),
      handler: async (request) => {
        const { region } = proberOf(request)
        // A target's answer may contain anything.
        const { instance_id, result } = storableDeep(request.body)
        return { accepted: await answerTrial(pool, region, result.check_id, { instance_id, result }) }
      }
    })

    app.route({
      ...on('proberConfig', { querystring: ConfigQuery, response: { 200: ConfigAnswer, 204: Type.Null() } }),
      handler: async (request, reply) => {
        const of = proberOf(request)
        const { region } = of
        const { instance_id, since, wait_seconds = MAX_WAIT_SECONDS }: Static<typeof ConfigQuery> = request.query
        const until = performance.now() + wait_seconds * 1000
        const gone = new AbortController()
        reply.raw.once('close', () => gone.abort())
        const leave = assignments.enter()
        try {
          for (;;) {
            const seen = assignments.news()
            const { changes, once } = await read(of, since, seen)
            const known = handed.get(`${region} ${instance_id}`)
            if (changes || once.some(({ check_id }) => !known?.has(check_id))) {
              const key = await findProberKey(pool, region, instance_id)
              if (!key) throw new ApiError('CONFLICT', 'Say hello first: the assignment is sealed to the key that a hello brings')
              reply.raw.once('finish', () => {
                // Only checks that can still be delivered again are remembered.
                handed.delete(`${region} ${instance_id}`)
                if (once.length > 0) handed.set(`${region} ${instance_id}`, new Set(once.map(({ check_id }) => check_id)))
              })
              return await toAnswer(changes ?? { version: since ?? 0, full: false, rows: [] }, once, key)
            }
            if (!(await assignments.next(seen, until, gone.signal))) return reply.code(204).send(null)
            // A token that was revoked during the wait receives nothing.
            await authenticateProber(request, credentials)
          }
        } finally {
          leave()
        }
      }
    })
  }

/** The location was deleted a moment ago, and its token is still cached here. */
function endedRegion(error: unknown): never {
  if ((error as { code?: unknown }).code !== '23503') throw error
  throw new ApiError('INVALID_PROBER_TOKEN', 'The token is not known, or was revoked', { headers: { 'www-authenticate': 'Bearer' } })
}

/** Returns how many milliseconds the prober's clock is ahead. */
function skew(clock_at: string, now: number): number {
  const at = Date.parse(clock_at)
  if (Number.isNaN(at)) throw invalid('clock_at', 'pattern', 'must be an instant')
  return at - now
}
