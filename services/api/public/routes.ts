/**
 * Routes that need no credential: the plan catalogue, this API's description, health.
 * Source: docs/design/api/public.md#s14.
 */
import '@fastify/swagger'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { HealthAnswer, LiveAnswer, PlansAnswer, ReadyAnswer } from '../../../schemas/http/public.ts'
import { type Capability, capabilities, catalogue, limitKeys, planIds, planned, plans } from '../../../schemas/plans.ts'
import { health } from '../../http/health.ts'
import type { Pool } from '../../store/pool.ts'
import { planLists, type Region, readRegions } from '../../store/regions.ts'
import { on } from '../http/endpoint.ts'
import type { Readiness } from '../readiness.ts'

const flags = Object.keys(capabilities) as Capability[]
const listed = <V extends object>(entries: Readonly<Record<string, V>>) =>
  Object.entries(entries).map(([id, entry]) => ({ id, ...entry, available: !planned.has(id) }))

/** Each plan lists the existing regions that its workspaces may choose. */
const planCatalogue = (regions: readonly Region[]) => ({
  ...catalogue,
  plans: planIds.map((id) => {
    const { limits, capabilities: has, channels, ...plan } = plans[id]
    const yesOrNo = Object.fromEntries(flags.map((flag) => [flag, has.includes(flag)]))
    const codes = regions.filter((region) => planLists(region, id)).map(({ code }) => code)
    return { ...plan, limits: { ...limits, ...yesOrNo }, capabilities: [...has], channels: [...channels], regions: codes }
  }),
  capabilities: listed(capabilities),
  limit_keys: [
    ...listed(limitKeys),
    ...flags.map((id) => ({ id, unit: 'boolean', description: capabilities[id].description, available: !planned.has(id) }))
  ]
})

const CATALOGUE_MAX_AGE = 'public, max-age=300'

export const publicRoutes =
  (readiness: Readiness, pool: Pool): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('readPlans', { response: { 200: PlansAnswer } }),
      handler: async (_request, reply) => reply.header('cache-control', CATALOGUE_MAX_AGE).send(planCatalogue(await readRegions(pool)))
    })

    let document: string | undefined
    app.route({
      ...on('readOpenApi', { response: { 200: Type.Unknown({ description: 'The OpenAPI 3.1 document.' }) } }),
      handler: async (_request, reply) => {
        document ??= JSON.stringify(app.swagger())
        return reply.header('cache-control', CATALOGUE_MAX_AGE).type('application/json; charset=utf-8').send(document)
      }
    })

    app.route({
      ...on('health', { response: { 200: HealthAnswer } }),
      handler: async () => health()
    })

    app.route({
      ...on('live', { response: { 200: LiveAnswer } }),
      handler: async () => ({ status: 'ok' as const })
    })

    app.route({
      ...on('ready', { response: { 200: ReadyAnswer, 503: ReadyAnswer } }),
      handler: async (_request, reply) => {
        const checks = await readiness.check()
        const ok = Object.values(checks).every(Boolean)
        return reply.code(ok ? 200 : 503).send({ status: ok ? 'ok' : 'unavailable', checks })
      }
    })
  }
