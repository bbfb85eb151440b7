/**
 * Explains why a monitor has its present status: the steps of the fold from its stored row, and
 * what overrides them when it is read (a pause, a maintenance window, a monitor it depends on).
 * Source: docs/design/api/data.md#dt-10.
 */
import { createHash } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { Id, iso } from '../../../schemas/http/common.ts'
import { type ExplainStep, Explanation } from '../../../schemas/http/explain.ts'
import { ENGINE_VERSION } from '../../../streams/routing/rules.ts'
import { statusSteps } from '../../../streams/status/explain.ts'
import { type Monitor, readMonitor } from '../../store/monitors.ts'
import { keyedTransaction } from '../../store/pool.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { notFound } from '../http/errors.ts'
import type { Services } from '../services.ts'

const SRC = /^([a-z0-9.]+):(\d+):(\d+)$/

type Over = Pick<ExplainStep, 'rule' | 'values' | 'verdict'>

/** What overrides the fold's result. */
function over({ paused_at, pause_reason, phase, state }: Monitor): Over[] {
  if (paused_at !== null) return [{ rule: 'pause', values: { reason: pause_reason }, verdict: 'It is paused: nothing is judged.' }]
  if (!state) return [{ rule: 'vote', values: {}, verdict: 'It is new: nothing was judged yet.' }]
  if (phase === 'maintenance') return [{ rule: 'maintenance', values: {}, verdict: 'It fails while a maintenance window covers it.' }]
  if (phase === 'dependency_down') return [{ rule: 'dependency', values: {}, verdict: 'What it depends on fails, too.' }]
  return []
}

function explanationOf(monitor: Monitor): Explanation {
  const { name, status, state, monitor_id, updated_at, paused_at } = monitor
  const [, topic = '', partition = '0', offset = '0'] = SRC.exec(state?.cause.src ?? '') ?? []
  const inputs = topic === '' ? [] : [{ topic, partition: Number(partition), offset, summary: `Version ${state?.ver ?? 0} of its status` }]
  const config_refs = state ? [{ type: 'monitor', id: monitor_id, version: state.judged_version }] : []
  const folded = state && paused_at === null ? statusSteps(state) : []
  const steps = [...folded, ...over(monitor)].map(
    (step, at): ExplainStep => ({ n: at + 1, inputs: at === 0 ? inputs : [], config_refs, ...step })
  )
  return {
    question: `Why is ${name} ${status}?`,
    answer: steps.map(({ verdict }) => verdict).join(' '),
    at: iso(paused_at ?? state?.updated_at ?? updated_at),
    steps,
    suppressions: [],
    engine_version: ENGINE_VERSION,
    tzdb_version: null,
    trace_hash: createHash('sha256').update(JSON.stringify(steps)).digest('hex')
  }
}

export const monitorExplainRoutes =
  ({ pool }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('explainMonitor', { params: Type.Object({ id: Id }), response: { 200: Explanation } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const monitor = await keyedTransaction(pool, caller, (tx) => readMonitor(tx, caller.tenant_id, request.params.id))
        if (!monitor) throw notFound()
        return explanationOf(monitor)
      }
    })
  }
