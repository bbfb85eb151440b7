/**
 * Makes the options of a route from a row of the endpoint table. Method, path, access and
 * documentation come from the row, shapes from the route.
 */
import type { FastifySchema } from 'fastify'
import { type Endpoint, type EndpointId, endpoints } from '../../../schemas/http/endpoints.ts'
import { scopesFor } from '../../../schemas/http/rights.ts'
import { refusalsOf } from './refusals.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent on routes that the api only passes on, or serves to browsers. */
    endpoint?: Endpoint
  }
  interface FastifySchema {
    operationId?: string
    tags?: readonly string[]
    summary?: string
    security?: readonly Record<string, readonly string[]>[]
  }
}

const security = {
  public: [],
  optional_session: [{}, { session: [] }],
  session: [{ session: [] }],
  token_or_session: [{ token: [] }, { session: [] }],
  prober: [{ prober: [] }]
} as const

/** Says in words who may call it; nothing if every credential of its kind may. */
function accessOf(endpoint: Endpoint): string | undefined {
  const needed = scopesFor(endpoint).map((scope) => `\`${scope}\``)
  if (needed.length === 0) return undefined
  const whose = endpoint.own === 'readers' ? 'everybody who may read' : 'everybody'
  if (endpoint.own) return `With a session, ${whose}; with a token, scope ${needed.join(' or ')}.`
  return `Scope ${needed.join(' or ')}, role ${endpoint.role} or above.`
}

/**
 * Options of the route named `id`. `schema` has its body, params, querystring and successful
 * answers.
 */
export function on<Schema extends FastifySchema & { response: Record<number, unknown> }>(id: EndpointId, schema: Schema) {
  const endpoint: Endpoint = endpoints[id]
  const documented = {
    ...schema,
    operationId: id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: accessOf(endpoint),
    security: security[endpoint.auth],
    response: { ...refusalsOf(id, endpoint), ...schema.response }
  }
  return { method: endpoint.method, url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'), config: { endpoint }, schema: documented as Schema }
}

/** Returns the methods that a path of the table takes; none: there is no such path. */
export function methodsOf(path: string): string[] {
  const rows: Endpoint[] = Object.values(endpoints)
  const methods = rows.filter((row) => patternOf(row.path).test(path)).map((row) => row.method)
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
}

const patterns = new Map<string, RegExp>()

function patternOf(path: string): RegExp {
  const known = patterns.get(path)
  if (known) return known
  const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  patterns.set(path, pattern)
  return pattern
}
