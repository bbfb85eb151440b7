/**
 * Tests that the endpoint table, the router and the OpenAPI document agree, and that the document
 * is consistent.
 */
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import t from 'tap'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { projectRoot } from '../../../schemas/files.ts'
import { type Endpoint, endpoints } from '../../../schemas/http/endpoints.ts'
import { planIds, plans } from '../../../schemas/plans.ts'
import { clientTypes } from '../../../services/api/client/generate.ts'
import { docsAddresses, ELSEWHERE } from '../../../services/api/docs/routes.ts'
import { SEARCH } from '../../../services/api/docs/search.ts'
import { addresses } from '../../../services/api/web.ts'
import { analyticsDouble } from './analytics-double.ts'
import { ORIGIN, PASSWORD, stand } from './stand.ts'
import { heartbeat, monitor } from './watched.ts'

interface Operation {
  operationId: string
  summary?: string
  tags: string[]
  security: Record<string, string[]>[]
  parameters?: { name: string; in: string; required?: boolean; schema: object }[]
  requestBody?: { content: Record<string, { schema: object }> }
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>
}

interface Document {
  openapi: string
  info: { title: string; version: string }
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> }
  paths: Record<string, Record<string, Operation>>
}

/** Paths that the api passes on to intake, which serves them. They are documented elsewhere. */
const PASSED_ON =
  /^(\/api\/v1\/webhooks?(\/\*)?\/?|\/api\/v1\/(alertmanager|prometheus|opsgenie)\/\*|\/api\/v1\/ping\/\*|\/ping\/\*|\/api\/v1\/prober\/results)$/

/**
 * Paths of the files of the built dashboard, as browsers request them. The build's own information,
 * in a folder whose name begins with a dot, is not served.
 */
const builtFiles = (): string[] =>
  readdirSync(join(projectRoot, 'dist/web'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'index.html' && !/\.(br|gz)$/.test(entry.name))
    .filter((entry) => !entry.parentPath.endsWith('/.vite'))
    .map((entry) => `/${relative(join(projectRoot, 'dist/web'), join(entry.parentPath, entry.name))}`)

const isAsset = (url: string): boolean => url.startsWith('/assets/')

/** Returns every `$ref` of a document. */
function refsOf(value: unknown): string[] {
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, inner]) => (key === '$ref' && typeof inner === 'string' ? [inner] : refsOf(inner)))
}

/** Returns the names of all fields in a schema, at any depth. */
function fieldsOf(schema: unknown): string[] {
  if (schema === null || typeof schema !== 'object') return []
  return Object.entries(schema).flatMap(([key, inner]) => [...(key === 'properties' ? Object.keys(inner) : []), ...fieldsOf(inner)])
}

function resolves(document: object, ref: string): boolean {
  if (!ref.startsWith('#/')) return false
  let at: unknown = document
  for (const part of ref.slice(2).split('/')) at = Reflect.get(Object(at), part)
  return at !== undefined
}

t.test('the OpenAPI document', async (t) => {
  const double = await analyticsDouble(t)
  const s = await stand(t, { analyticsUrl: double.url })
  const answer = await s.call(null, 'GET', '/api/v1/public/openapi.json')
  const document: Document = answer.json()
  const rows: [string, Endpoint][] = Object.entries(endpoints)
  const nameOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`

  await t.test('router, endpoint table and document have the same routes', async (t) => {
    const routed = s.routes
      .filter(({ endpoint, method }) => endpoint !== null && method !== 'HEAD')
      .map(({ method, url }) => nameOf({ method, path: url.replaceAll(/:(\w+)/g, '{$1}') }))
    const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => nameOf({ method: method.toUpperCase(), path }))
    )
    const wanted = rows.map(([, row]) => nameOf(row)).sort()
    t.same(routed.sort(), wanted)
    t.same(documented.sort(), wanted)
    const others = s.routes.filter(({ endpoint, method, url }) => endpoint === null && method !== 'HEAD' && !PASSED_ON.test(url))
    t.same(
      others.map(({ method, url }) => nameOf({ method, path: url })).sort(),
      [...addresses, ...builtFiles().filter((url) => !isAsset(url)), '/assets/*', ...docsAddresses, SEARCH, ELSEWHERE]
        .map((url) => `GET ${url}`)
        .sort(),
      'whatever else the router has is passed on to the doors, the dashboard, or documentation'
    )
    for (const { url, endpoint } of s.routes) if (url.startsWith('/api/v1/') && !PASSED_ON.test(url)) t.ok(endpoint, `${url} has a row`)
  })

  await t.test('the schemas of every route compile to a validator and a serializer', async (t) => {
    const makeWriter = SerializerSelector()(s.app.getSchemas(), {})
    let made = 0
    for (const { method, url, schema } of s.routes) {
      if (!schema) continue
      const taken = [schema.body, schema.params, schema.querystring, schema.headers].filter((part) => part !== undefined)
      const written = Object.entries(Object(schema.response)).flatMap(([httpStatus, answer]) => {
        const { content, ...plain } = answer as { content?: Record<string, { schema: object }> }
        return (content ? Object.values(content) : [{ schema: plain }]).map((one) => ({ httpStatus, schema: one.schema }))
      })
      t.doesNotThrow(() => {
        for (const part of taken) Compile(part as TSchema)
        for (const one of written) makeWriter({ method, url, ...one })
      }, `${method} ${url}`)
      made += written.length
    }
    t.ok(made > 1000, `${made} answers`)
  })

  await t.test('the generated types of the dashboard client match the document', async (t) => {
    t.ok((await clientTypes()).fresh, 'else run npm run client')
  })

  await t.test('each operation documents its answers, parameters and credentials', async (t) => {
    const ids = new Set<string>()
    for (const [id, row] of rows) {
      const operation = document.paths[row.path]?.[row.method.toLowerCase()]
      if (!operation) continue
      const name = nameOf(row)
      t.equal(operation.operationId, id)
      ids.add(operation.operationId)
      t.ok(operation.summary && operation.tags.length === 1, `${name}: summary and tag`)
      t.ok(operation.responses[row.success], `${name}: its good answer`)
      for (const [status, { description }] of Object.entries(operation.responses)) t.ok(description, `${name}: ${status}`)
      t.same(
        operation.security.flatMap((one) => Object.keys(one)),
        row.auth === 'public'
          ? []
          : row.auth === 'token_or_session'
            ? ['token', 'session']
            : [row.auth === 'prober' ? 'prober' : 'session'],
        name
      )
      const inPath = (operation.parameters ?? []).filter((one) => one.in === 'path')
      t.same(
        inPath.map((one) => one.name),
        [...row.path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter),
        `${name}: parameters`
      )
      t.ok(inPath.every((one) => one.required))
      if (row.auth !== 'public')
        for (const status of row.auth === 'prober' ? ['401'] : ['401', '403'])
          t.match(operation.responses[status], { content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } })
      t.same(
        row.method === 'GET' || row.method === 'DELETE' ? undefined : operation.requestBody && Object.keys(operation.requestBody.content),
        operation.requestBody && ['application/json']
      )
    }
    t.equal(ids.size, rows.length, 'ids are unique')
  })

  await t.test('the document is OpenAPI 3.1, and every reference resolves', async (t) => {
    t.match(answer.headers, { 'content-type': 'application/json; charset=utf-8', 'access-control-allow-origin': '*' })
    t.match(document.openapi, /^3\.1\./)
    t.match(document, { info: { title: String, version: /^\d+\.\d+\.\d+/ }, servers: [{ url: ORIGIN }] })
    const refs = refsOf(document)
    t.ok(refs.length > 0)
    t.same(
      refs.filter((ref) => !resolves(document, ref)),
      [],
      'every reference resolves'
    )
    const text = JSON.stringify(document)
    t.notMatch(text, /"nullable"/, '3.1 says null by type')
    t.notMatch(text, /"\$id"/)
  })

  await t.test('no cache may keep an answer with a field that holds a credential', async (t) => {
    // Reading an integration or a monitor shows its token as null or masked.
    const shownMasked = ['listMonitors', 'readMonitor', 'listIntegrations', 'readIntegration']
    const holding = rows.filter(([id, row]) => {
      const names = fieldsOf(document.paths[row.path]?.[row.method.toLowerCase()]?.responses[row.success])
      return names.some((name) => /^(ping_|end_)?token$|^(ping|accept)_url$/.test(name)) && !shownMasked.includes(id)
    })
    t.ok(holding.length >= 20, `${holding.length} routes`)
    t.same(
      holding.filter(([, row]) => !row.no_store).map(([id]) => id),
      []
    )
  })

  await t.test('answers have exactly the documented top-level fields', async (t) => {
    const { incident_id } = await s.incident(s.acme)
    const monitor_id = await monitor(s, s.acme, 'shop')
    const heartbeat_id = await heartbeat(s, s.acme, 'nightly')
    const invite = (await s.call(s.acme, 'POST', '/api/v1/workspace/invites', { email: 'new@example.test', role: 'viewer' })).json()
    const cases: [string, string][] = [
      ['/api/v1/monitors', '/api/v1/monitors'],
      [`/api/v1/monitors/${monitor_id}`, '/api/v1/monitors/{id}'],
      ['/api/v1/regions', '/api/v1/regions'],
      [`/api/v1/monitors/${monitor_id}/checks`, '/api/v1/monitors/{id}/checks'],
      [`/api/v1/monitors/${monitor_id}/status-changes`, '/api/v1/monitors/{id}/status-changes'],
      ['/api/v1/heartbeats', '/api/v1/heartbeats'],
      [`/api/v1/heartbeats/${heartbeat_id}`, '/api/v1/heartbeats/{id}'],
      [`/api/v1/heartbeats/${heartbeat_id}/pings`, '/api/v1/heartbeats/{id}/pings'],
      [`/api/v1/heartbeats/${heartbeat_id}/runs`, '/api/v1/heartbeats/{id}/runs'],
      ['/api/v1/analytics/uptime', '/api/v1/analytics/uptime'],
      ['/api/v1/analytics/latency', '/api/v1/analytics/latency'],
      ['/api/v1/analytics/incidents', '/api/v1/analytics/incidents'],
      ['/api/v1/account', '/api/v1/account'],
      ['/api/v1/auth/session', '/api/v1/auth/session'],
      ['/api/v1/workspace', '/api/v1/workspace'],
      ['/api/v1/workspace/limits', '/api/v1/workspace/limits'],
      ['/api/v1/workspace/members', '/api/v1/workspace/members'],
      ['/api/v1/workspace/invites', '/api/v1/workspace/invites'],
      [new URL(invite.accept_url).pathname.replace('/invites/', '/api/v1/invites/'), '/api/v1/invites/{token}'],
      ['/api/v1/incidents?include=counts', '/api/v1/incidents'],
      [`/api/v1/incidents/${incident_id}?include=timeline,alerts,related`, '/api/v1/incidents/{id}'],
      [`/api/v1/incidents/${incident_id}/timeline`, '/api/v1/incidents/{id}/timeline'],
      [`/api/v1/incidents/${incident_id}/alerts`, '/api/v1/incidents/{id}/alerts'],
      [`/api/v1/incidents/${incident_id}/comments`, '/api/v1/incidents/{id}/comments'],
      [`/api/v1/integrations/inbound/${s.acme.integration_id}`, '/api/v1/integrations/inbound/{id}'],
      ['/api/v1/workspace/tokens', '/api/v1/workspace/tokens'],
      ['/api/v1/integrations/sources', '/api/v1/integrations/sources'],
      ['/api/v1/public/capability-plans', '/api/v1/public/capability-plans'],
      ['/health', '/health']
    ]
    for (const [url, path] of cases) {
      const { body } = await s.call(s.acme, 'GET', url)
      const schema = document.paths[path]?.get?.responses['200']?.content?.['application/json']?.schema as {
        properties: Record<string, unknown>
      }
      t.same(Object.keys(JSON.parse(body)).sort(), Object.keys(schema.properties).sort(), path)
      t.notMatch(body, /sha256|password_hash|argon2/, path)
    }
  })
})

t.test('routes that need no credential', async (t) => {
  const s = await stand(t)
  await t.test('the plan catalogue shows the limits that the service applies', async (t) => {
    const answer = await s.call(null, 'GET', '/api/v1/public/capability-plans')
    const body = answer.json()
    t.equal(answer.headers['access-control-allow-origin'], '*')
    t.match(body, {
      currency: String,
      updated_at: /Z$/,
      capabilities: [{ id: String, name: String, description: String }],
      limit_keys: [{ id: String, unit: String, description: String }]
    })
    t.same(
      body.plans.map(({ id }: { id: string }) => id),
      planIds
    )
    const keys = new Set(body.limit_keys.map(({ id }: { id: string }) => id))
    for (const plan of body.plans) {
      const own = plans[plan.id as 'free']
      t.match(plan, {
        name: String,
        description: String,
        support: own.support,
        capabilities: own.capabilities,
        channels: own.channels,
        limits: own.limits
      })
      t.same(
        Object.keys(plan.limits).filter((key) => !keys.has(key)),
        [],
        'every key is explained'
      )
      t.ok(plan.limits.ingest_alerts_per_minute >= 1000, 'never under the floor')
    }
    t.equal(body.plans[3].limits.members, null, 'null: unlimited')
    t.equal(body.plans[0].limits.sso, false)
  })

  await t.test('the health endpoints answer without a credential, and metrics are not public', async (t) => {
    const health = await s.call(null, 'GET', '/health')
    t.match(health.json(), { status: 'ok', version: /^\d+\.\d+\.\d+/, time: /Z$/ })
    t.match((await s.call(null, 'GET', '/health/ready')).json(), { status: 'ok', checks: { store: true, schema: true } })
    t.same((await s.call(null, 'GET', '/health/live')).json(), { status: 'ok' })
    t.equal((await s.call(null, 'HEAD', '/health')).statusCode, 200)
    t.equal((await s.call(null, 'GET', '/metrics')).statusCode, 404, 'metrics are not behind the public address')
  })

  await t.test('every dashboard page has a strict content policy and no inline script or style', async (t) => {
    const page = await s.call(null, 'GET', '/')
    t.match(page.headers, {
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer'
    })
    const policy = String(page.headers['content-security-policy'])
    t.match(policy, /default-src 'none'/)
    t.match(policy, /script-src 'self'(;|$)/)
    t.notMatch(policy, /unsafe/)
    t.match(policy, /style-src 'self' 'nonce-[A-Za-z0-9+/]{22}=='(;|$)/)
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? 'none'
    t.ok(page.body.includes(`nonce="${nonce}"`), 'styles that components add may be told from others')
    for (const url of addresses) {
      const other = await s.call(null, 'GET', url.replace('*', 'x'))
      t.equal(other.statusCode, 200, url)
      t.notMatch(other.headers['content-security-policy'], nonce, 'a nonce is used once')
    }
    t.notMatch(page.body, /<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/)
    t.match(page.body, /name="viewport"/)
    for (const [, file] of page.body.matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
      const answer = await s.call(null, 'GET', file ?? '')
      t.equal(answer.statusCode, 200, file ?? '')
      t.match(answer.headers['cache-control'], file?.startsWith('/assets/') ? /immutable/ : /max-age=300$/)
      t.equal(
        (await s.call(null, 'GET', file ?? '', undefined, { headers: { 'if-none-match': String(answer.headers.etag) } })).statusCode,
        304
      )
    }
  })

  await t.test('dashboard files are sent as brotli or gzip if the client accepts it', async (t) => {
    const page = await s.call(null, 'GET', '/')
    t.match(page.body, /<title>Plainwatch<\/title>/, 'the page has the name of the product')
    const files = [...page.body.matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g)].map(([, file = '']) => file)
    t.ok(files.length >= 2)
    for (const file of files) {
      const ask = (encodings: string) => s.call(null, 'GET', file, undefined, { headers: { 'accept-encoding': encodings } })
      const plain = await ask('identity')
      t.notOk(plain.headers['content-encoding'], file)
      // Smaller files have no compressed copy.
      if (plain.rawPayload.length < 512) continue
      for (const [asked, given, unpack] of [
        ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
        ['gzip, deflate', 'gzip', gunzipSync]
      ] as const) {
        const packed = await ask(asked)
        t.match(packed.headers, { 'content-encoding': given, vary: 'accept-encoding', 'content-type': plain.headers['content-type'] })
        t.match(packed.headers['cache-control'], /immutable/)
        t.ok(unpack(packed.rawPayload).equals(plain.rawPayload), `${file} as ${given}`)
        t.ok(packed.rawPayload.length < plain.rawPayload.length)
      }
    }
    t.match(page.headers['content-security-policy'], /font-src 'self'/)
    t.match(page.body, /<link rel="preload" href="\/assets\/[^"]+\.woff2" as="font"/, 'the font is asked for with the page')
  })

  await t.test('only the files of the assets folder are served', async (t) => {
    const files = builtFiles().filter(isAsset)
    t.ok(files.length > 100)
    for (const file of files) t.equal((await s.call(null, 'HEAD', file)).statusCode, 200, file)
    const [file = ''] = files
    for (const url of [
      '/assets',
      '/assets/',
      `${file}.br`,
      `${file}.gz`,
      `${file}/`,
      file.replace('/assets/', '/assets//'),
      '/assets/../index.html',
      '/assets/%2e%2e/index.html',
      '/assets/..%2findex.html',
      '/assets/%00',
      '/assets/%ff'
    ])
      t.match((await s.call(null, 'GET', url)).statusCode, /^40[04]$/, url)
    t.equal((await s.call(null, 'POST', file)).statusCode, 404, 'POST')
  })

  await t.test('an unknown URL gets a dashboard page with 404 in browsers, and JSON in scripts', async (t) => {
    const ask = (url: string, accept: string, method = 'GET') => s.call(null, method, url, undefined, { headers: { accept } })
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    for (const url of ['/nonsense', '/nonsense/2?x=1', '/favicon.ico']) {
      const page = await ask(url, browser)
      t.equal(page.statusCode, 404, url)
      t.match(page.headers, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
      t.match(page.headers['content-security-policy'], /style-src 'self' 'nonce-/)
      t.match(page.body, /<div id="root">/)
    }
    for (const [url, accept, method] of [
      ['/nonsense', '*/*'],
      ['/nonsense', 'application/json'],
      ['/nonsense', browser, 'POST'],
      ['/api/v1/nonsense', browser],
      ['/ping/nonsense', browser],
      ['/assets/nonsense.js', browser]
    ] as const) {
      const answer = await ask(url, accept, method)
      t.match(answer.headers['content-type'], /json/, `${method ?? 'GET'} ${url} ${accept}`)
    }
  })

  await t.test('answers to requests with credentials have cache-control no-store', async (t) => {
    const { incident_id } = await s.incident(s.acme)
    const login = await s.call(null, 'POST', '/api/v1/auth/login', { email: s.acme.email, password: PASSWORD })
    const token = await s.call(s.acme, 'POST', '/api/v1/workspace/tokens', { name: 'x' })
    const integration = await s.call(s.acme, 'POST', '/api/v1/integrations/inbound', { name: 'x', source_type: 'generic' })
    const session = await s.call(s.acme, 'GET', '/api/v1/auth/session')
    const refused = await s.call(null, 'GET', '/api/v1/auth/session')
    const heartbeats = await s.call(s.acme, 'GET', '/api/v1/heartbeats')
    for (const answer of [login, token, integration, session, heartbeats, refused]) t.equal(answer.headers['cache-control'], 'no-store')
    t.equal((await s.call(s.acme, 'GET', `/api/v1/incidents/${incident_id}`)).headers['cache-control'], 'private, no-cache')
  })
})
