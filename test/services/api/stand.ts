/**
 * Sets up the api on a real database of the test's own, with two workspaces that have one of
 * everything. It has no Kafka and no schema registry, because the api needs neither.
 */

import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import type { InboundAlert } from '../../../schemas/generated/events.ts'
import type { StoredRule } from '../../../schemas/http/routing-words.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import type { PlanId } from '../../../schemas/plans.ts'
import { uuidv4, uuidv5, uuidv7 } from '../../../schemas/uuid.ts'
import { createAnalytics } from '../../../services/api/analytics/client.ts'
import type { Patience } from '../../../services/api/analytics/patience.ts'
import { buildApp, type Route } from '../../../services/api/app.ts'
import { Buckets } from '../../../services/api/plugins/buckets.ts'
import { IngestBudget } from '../../../services/api/plugins/ingest-budget.ts'
import type { Services } from '../../../services/api/services.ts'
import { UseLog } from '../../../services/api/workspace/usage.ts'
import { hashPassword, mintApiToken, mintIntegrationToken } from '../../../services/credentials/credentials.ts'
import { createCredentials } from '../../../services/credentials/tokens.ts'
import { originsOf } from '../../../services/http/origins.ts'
import { type Config, readConfig } from '../../../services/process/config.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { writeEffects } from '../../../services/store/effects.ts'
import { incidentStore } from '../../../services/store/incidents.ts'
import { insertIntegration, unset } from '../../../services/store/integrations.ts'
import { createPool, type Pool, tenantTransaction, transaction } from '../../../services/store/pool.ts'
import { insertRuleSet, lockRuleSet, readRuleSet } from '../../../services/store/routing.ts'
import { createWorkspace } from '../../../services/store/tenants.ts'
import type { Input, JobChange } from '../../../streams/define.ts'
import { incidentFold } from '../../../streams/incident/fold.ts'
import { localCodec } from '../../harness/codec.ts'
import { database, type Teardown } from '../../harness/engines.ts'
import { record } from '../../harness/records.ts'
import { ruleOf } from '../../streams/routing/build.ts'

export const PASSWORD = 'correct horse battery staple'
export const ORIGIN = 'http://127.0.0.1:8080'
export const SECRETS_KEY = '0123456789abcdef'.repeat(4)

export interface Workspace {
  tenant_id: string
  user_id: string
  token_id: string
  email: string
  /** The owner's token; it has every scope. */
  token: string
  integration_id: string
  /** Token of that integration. */
  door: string
}

export interface Stand {
  app: FastifyInstance
  routes: readonly Route[]
  services: Services
  /** Everything that was logged, as text. */
  logged(): string
  /** A pool as service_tenant, the role of the api. */
  tenantPool: Pool
  /** The URL, for a pool with other options. */
  tenantUrl: string
  /** A pool as service_system, which sees every workspace. */
  systemPool: Pool
  /** The URL, for a pool with other options. */
  systemUrl: string
  /** A pool as the owner of the tables. */
  ownerPool: Pool
  acme: Workspace
  globex: Workspace
  workspace(name: string, plan?: PlanId): Promise<Workspace>
  /** Sends a request with a workspace's token, or with the given token. */
  call(who: Workspace | string | null, method: string, path: string, body?: unknown, more?: InjectOptions): Promise<LightMyRequestResponse>
  /** Opens an incident as the processor does; returns its id and number. */
  incident(workspace: Workspace, over?: Partial<InboundAlert>): Promise<{ incident_id: string; key: string }>
  /** Like `incident`, but a rule keeps the alert from opening one. Returns the alert's id. */
  keptAlert(workspace: Workspace, over?: Partial<InboundAlert>): Promise<string>
  /** Sends a signal through the fold. `meanwhile` runs once the fold has read what it needs. */
  signal(workspace: Workspace, over?: Partial<InboundAlert>, meanwhile?: () => Promise<unknown>): Promise<InboundAlert>
  /** Puts rules in force; returns their version. */
  rules(workspace: Workspace, rules: readonly StoredRule[]): Promise<number>
}

const NEVER_MS = 2 ** 31 - 1
const codec = localCodec()
const fold = incidentFold(uuidv5)
const isTelling = (job: JobChange): boolean => 'start' in job && job.start === 'incident_notify'

export interface StandOptions {
  /** Also keep the fold's jobs that notify people, for a worker of the test. */
  jobs?: true
  config?: Partial<Config>
  /**
   * Clock of the rate buckets, in ms. By default each read advances it by a second, so that tests
   * are not throttled.
   */
  now?: () => number
  /** Address of analytics; by default nothing listens there. */
  analyticsUrl?: string
  /**
   * How long the api waits for analytics. By default as in the service, which omits the figures on
   * a busy machine.
   */
  patience?: Patience
}

/** Hashing a password is slow by design, so all tests share one hash. */
let password_hash: Promise<string> | undefined

export async function stand(t: Teardown, options: StandOptions = {}): Promise<Stand> {
  const { ownerUrl, tenantUrl, systemUrl } = await database(t)
  const lines: string[] = []
  let ms = 0
  const log = createLog('api', 'debug', { write: (line: string) => void lines.push(line) })
  const config: Config = {
    ...readConfig({
      SERVICE_KAFKA_BROKERS: '127.0.0.1:1',
      SERVICE_SCHEMA_REGISTRY_URL: 'http://127.0.0.1:1',
      SERVICE_POSTGRES_URL: ownerUrl,
      SERVICE_POSTGRES_TENANT_URL: tenantUrl,
      SERVICE_POSTGRES_SYSTEM_URL: systemUrl,
      SERVICE_PUBLIC_URL: ORIGIN,
      SERVICE_SECRETS_KEY: SECRETS_KEY
    }),
    ...options.config
  }
  const tenantPool = createPool(tenantUrl, { application_name: 'test api', max: 6 })
  const systemPool = createPool(systemUrl, { application_name: 'test', max: 3 })
  const ownerPool = createPool(ownerUrl, { application_name: 'test owner', max: 1 })
  const credentials = createCredentials({ pool: tenantPool, log })
  const metrics = createMetrics()
  const analytics = createAnalytics({ url: options.analyticsUrl ?? 'http://127.0.0.1:1', secret: '', log, metrics })
  const services: Services = {
    config,
    log,
    metrics,
    pool: tenantPool,
    credentials,
    codec,
    buckets: new Buckets(options.now ?? (() => (ms += 1000))),
    ingest: new IngestBudget({ pool: tenantPool, codec, log, floor: config.ingestFloorPerMinute, instance: 'api', tellMs: NEVER_MS }),
    // Written when a test asks for it, never between two of its steps.
    uses: new UseLog(tenantPool, log, NEVER_MS),
    analytics,
    ...(options.patience && { patience: options.patience }),
    origins: originsOf(config)
  }
  const { app, routes } = await buildApp(services)
  await app.ready()
  t.teardown(async () => {
    await app.close()
    credentials.close()
    analytics.close()
    await Promise.all([tenantPool.end(), systemPool.end(), ownerPool.end()])
  })

  async function workspace(name: string, plan: PlanId = 'enterprise'): Promise<Workspace> {
    const token = mintApiToken()
    password_hash ??= hashPassword(PASSWORD)
    const email = `${name}@example.test`
    const created = await createWorkspace(systemPool, {
      workspace_name: name,
      slug: name,
      plan,
      email,
      user_name: name,
      password_hash: await password_hash,
      token: { name: 'all', sha256: token.sha256, prefix: token.prefix, scopes: ['admin'] }
    })
    const door = mintIntegrationToken()
    const { integration_id } = await tenantTransaction(systemPool, wholeWorkspace(created.tenant_id), (tx) =>
      insertIntegration(tx, created.tenant_id, {
        name: 'Alertmanager',
        source_type: 'alertmanager',
        ...unset,
        integration_id: uuidv7(),
        sha256: door.sha256,
        prefix: door.prefix
      })
    )
    return { ...created, email, token: token.value, integration_id, door: door.value }
  }

  let offset = 0n
  const rules = (who: Workspace, written: readonly StoredRule[]): Promise<number> =>
    tenantTransaction(tenantPool, wholeWorkspace(who.tenant_id), async (tx) => {
      await lockRuleSet(tx, who.tenant_id)
      return insertRuleSet(tx, who.tenant_id, { rules: written, private_team_ids: [], created_by: `user:${who.user_id}`, note: 'test' })
    })

  async function signal(who: Workspace, over: Partial<InboundAlert> = {}, meanwhile?: () => Promise<unknown>): Promise<InboundAlert> {
    const at = Date.now()
    const event_id = uuidv4()
    const value = record('InboundAlert', {
      event_id,
      tenant_id: who.tenant_id,
      integration_id: who.integration_id,
      dedup_key: `int:${who.integration_id}:${event_id}`,
      source_dedup_key: event_id,
      title: 'Disk full on db-7',
      severity: 'critical',
      occurred_at: at,
      received_at: at,
      ...over
    })
    const inputs: Input[] = [
      {
        record: 'InboundAlert',
        value,
        topic: 'alerts.inbound.v1',
        partition: 0,
        offset: offset++,
        timestamp: at,
        key: `${who.tenant_id}|${value.dedup_key}`
      }
    ]
    await transaction(systemPool, async (tx) => {
      const loaded = await incidentStore.load(tx, inputs)
      await meanwhile?.()
      const outcome = fold(loaded, inputs)
      await incidentStore.save(tx, outcome.saved)
      await writeEffects(tx, { outgoing: outcome.outgoing, jobs: outcome.jobs.filter((job) => options.jobs || !isTelling(job)) }, codec)
    })
    return value
  }

  async function incident(who: Workspace, over: Partial<InboundAlert> = {}): Promise<{ incident_id: string; key: string }> {
    const { dedup_key } = await signal(who, over)
    const { rows } = await systemPool.query<{ incident_id: string; number: number }>(
      'SELECT incident_id, number FROM incidents WHERE tenant_id = $1 AND dedup_key = $2 ORDER BY number DESC LIMIT 1',
      [who.tenant_id, dedup_key]
    )
    const [row] = rows
    if (!row) throw new Error('no incident came of the alert')
    return { incident_id: row.incident_id, key: `INC-${row.number}` }
  }

  async function keptAlert(who: Workspace, over: Partial<InboundAlert> = {}): Promise<string> {
    const before = await tenantTransaction(tenantPool, wholeWorkspace(who.tenant_id), (tx) => readRuleSet(tx, who.tenant_id))
    await rules(who, [ruleOf(uuidv4(), { actions: { promote: 'never' } })])
    const { dedup_key } = await signal(who, over)
    await rules(who, before.rules)
    const { rows } = await systemPool.query<{ alert_id: string }>('SELECT alert_id FROM alerts WHERE tenant_id = $1 AND dedup_key = $2', [
      who.tenant_id,
      dedup_key
    ])
    const [row] = rows
    if (!row) throw new Error('no alert was kept')
    return row.alert_id
  }

  function call(who: Workspace | string | null, method: string, path: string, body?: unknown, more: InjectOptions = {}) {
    const token = who === null ? null : typeof who === 'string' ? who : who.token
    return app.inject({
      method: method as 'GET',
      url: path,
      ...more,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...more.headers
      },
      ...(body !== undefined && { payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body) })
    })
  }

  return {
    app,
    routes,
    services,
    logged: () => lines.join(''),
    tenantPool,
    systemPool,
    tenantUrl,
    systemUrl,
    ownerPool,
    acme: await workspace('acme'),
    globex: await workspace('globex'),
    workspace,
    call,
    incident,
    keptAlert,
    signal,
    rules
  }
}

let address = 0

/** Logs in from a new address, so that the log-ins of the tests do not add up. */
export async function login(
  s: Stand,
  email: string,
  more: object = {}
): Promise<{ cookie: string; setCookie: string; body: Record<string, unknown> }> {
  const answer = await s.call(
    null,
    'POST',
    '/api/v1/auth/login',
    { email, password: PASSWORD, ...more },
    { remoteAddress: `10.0.0.${++address}` }
  )
  if (answer.statusCode !== 200) throw new Error(answer.body)
  const setCookie = [answer.headers['set-cookie']].flat().join()
  return { cookie: setCookie.split(';')[0] ?? '', setCookie, body: answer.json() }
}
