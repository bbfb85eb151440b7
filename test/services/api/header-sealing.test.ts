/**
 * Tests of sealing header values that an older version stored in the clear. In all three tables
 * they are sealed or masked, whichever process does it and wherever it is killed. Checks go on as
 * before.
 */
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { mapSecrets } from '../../../schemas/http/check-config.ts'
import type { HttpConfig } from '../../../schemas/http/check-types/http.ts'
import type { ConfigAnswer } from '../../../schemas/http/prober.ts'
import { type SealingStep, sealSome, startHeaderSealing } from '../../../services/api/monitors/header-sealing.ts'
import { openForTenant, openSealed, sealForTenant } from '../../../services/credentials/sealing.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { readSealing } from '../../../services/store/clear-headers.ts'
import type { Pool } from '../../../services/store/pool.ts'
import { until } from '../../harness/until.ts'
import { assignment, attempt, http } from '../prober/stand.ts'
import { create, MONITORS, rowsOf } from './monitoring.ts'
import { makeProber, makeRegions } from './probing.ts'
import { SECRETS_KEY, type Stand, stand, type Workspace } from './stand.ts'

t.setTimeout(180_000)

const CANARY = /canary|63616e617279/i
const MASK = '********'
/** Small steps, so that there are many of them. The second pass follows at once. */
const limits = { monitors: 2, entries: 2, secondPassMs: 0, lookAgainMs: 20 }

const marked = (value: string) => ({ name: 'X-Marked', value, secret: true })
const clear = (n: number, value = `canary-${n}`): NonNullable<HttpConfig['headers']> => [
  { name: 'Accept', value: 'text/plain' },
  { name: 'Authorization', value },
  { name: 'x-api-key', value: `${value}-key`, secret: false },
  { name: 'X-Api-Key', value: `${value}-key-2` },
  { name: 'Idempotency-Key', value: `kept-${n}` }
]

/**
 * Stores rows as the older version did: only marked headers are sealed, and masked in the history.
 */
async function asBefore(s: Stand, who: Workspace, id: string, n: number): Promise<void> {
  const place = { tenant_id: who.tenant_id, resource: `monitor:${id}`, field: 'header:x-marked' }
  const stored = { method: 'POST', headers: [...clear(n), marked(sealForTenant(SECRETS_KEY, place, `marked-${n}`))] }
  const shown = { method: 'POST', headers: [...clear(n), marked(MASK)] }
  const [config, body, diff] = [
    stored,
    shown,
    [
      { ...shown, headers: [{ name: 'cookie', value: `canary-before-${n}` }] },
      { ...shown, headers: clear(n) }
    ]
  ].map((value) => JSON.stringify(value))
  await s.systemPool.query('UPDATE monitors SET config = $2 WHERE monitor_id = $1', [id, config])
  await s.systemPool.query("UPDATE config_versions SET body = jsonb_set(body, '{settings,config}', $2) WHERE id = $1", [id, body])
  await s.systemPool.query(
    "UPDATE audit SET diff = jsonb_build_object('name', '[\"a\", \"b\"]'::jsonb, 'config', $2::jsonb) WHERE object_id = $1 AND action = 'monitor.updated'",
    [id, diff]
  )
}

async function seeded(s: Stand, count: number): Promise<string[]> {
  await makeRegions(s)
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    const who = n % 2 === 0 ? s.acme : s.globex
    const { id } = await create(s, who, { target: 'https://shop.example/', regions: ['eu-west'] })
    await s.call(who, 'PATCH', `${MONITORS}/${id}`, { interval_seconds: 300 })
    if (n === count - 1) await s.call(who, 'DELETE', `${MONITORS}/${id}`)
    await asBefore(s, who, id, n)
    ids.push(id)
  }
  // A header that is no credential stays as it is.
  await create(s, s.acme, { config: { headers: [{ name: 'Accept', value: '*/*' }] } })
  return ids
}

/** Returns the tables in which any column contains the text. */
async function tablesWith(s: Stand, sought: RegExp): Promise<string[]> {
  const tables = await rowsOf(s.systemPool, "SELECT tablename::text AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1", [])
  const found: string[] = []
  for (const { name } of tables) {
    if (name === 'schema_migrations') continue
    const rows = await rowsOf(s.systemPool, `SELECT x::text AS row FROM ${name} x`, [])
    if (rows.some(({ row }) => sought.test(String(row)))) found.push(String(name))
  }
  return found
}

/** Returns every monitor, version and audit entry. */
async function written(s: Stand): Promise<Record<'monitors' | 'config_versions' | 'audit', unknown[]>> {
  return {
    monitors: await rowsOf(s.systemPool, 'SELECT * FROM monitors ORDER BY monitor_id', []),
    config_versions: await rowsOf(s.systemPool, 'SELECT * FROM config_versions ORDER BY tenant_id, kind, id, version', []),
    audit: await rowsOf(s.systemPool, 'SELECT * FROM audit ORDER BY audit_id', [])
  }
}

const isDone = (step: SealingStep): boolean => 'done' in step

/** Checks the history afterwards: names and order are kept, and each value is the mask. */
async function isAsItShouldBe(t: Test, s: Stand, ids: readonly string[]): Promise<void> {
  t.same(await tablesWith(s, CANARY), [], 'nowhere in the database')
  t.same(await tablesWith(s, /kept-0/), ['audit', 'config_versions', 'monitors'], 'what is no credential stays')
  for (const [n, id] of ids.entries()) {
    const who = n % 2 === 0 ? s.acme : s.globex
    const [row] = await rowsOf(s.systemPool, 'SELECT config, ver FROM monitors WHERE monitor_id = $1', [id])
    const { headers = [] } = (row?.config ?? {}) as HttpConfig
    const opened = headers.map(({ name, value, secret }) => {
      const field = `header:${name.toLowerCase()}`
      return secret ? openForTenant(SECRETS_KEY, { tenant_id: who.tenant_id, resource: `monitor:${id}`, field }, value ?? '') : value
    })
    t.same(opened, ['text/plain', `canary-${n}`, `canary-${n}-key`, `canary-${n}-key-2`, `kept-${n}`, `marked-${n}`])
    const masked = clear(n, MASK).map(({ name, value }) =>
      value?.startsWith(MASK) ? { name, value: MASK, secret: true } : { name, value }
    )
    const versions = await rowsOf(s.systemPool, 'SELECT body FROM config_versions WHERE id = $1', [id])
    for (const { body } of versions)
      t.same((body as { settings: { config: unknown } }).settings.config, { method: 'POST', headers: [...masked, marked(MASK)] })
    const entries = await rowsOf(s.systemPool, "SELECT diff FROM audit WHERE object_id = $1 AND action = 'monitor.updated'", [id])
    t.equal(entries.length, 1)
    t.same(entries[0]?.diff, {
      name: ['a', 'b'],
      config: [
        { method: 'POST', headers: [{ name: 'cookie', value: MASK, secret: true }] },
        { method: 'POST', headers: masked }
      ]
    })
  }
}

t.test('before sealing ends, answers mask old header values and probers get them sealed', async (t) => {
  const s = await stand(t)
  const [id = ''] = await seeded(s, 2)
  t.same(await tablesWith(s, CANARY), ['audit', 'config_versions', 'monitors'], 'as the older version left it')
  const shown = (await s.call(s.acme, 'GET', `${MONITORS}/${id}`)).json().config
  t.same(shown.headers.slice(1, 3), [
    { name: 'Authorization', value: MASK, secret: true },
    { name: 'x-api-key', value: MASK, secret: true }
  ])
  const elsewhere = await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, { target: 'https://attacker.example/' })
  t.equal(elsewhere.statusCode, 422, 'nor led elsewhere')
  t.equal(elsewhere.json().details.length, 4)
  const prober = await makeProber(s, 'eu-west')
  await prober.hello()
  const answer = await prober.config('&wait_seconds=0')
  t.notMatch(answer.body, CANARY, 'on their way they are sealed')
  const mine = (answer.json() as ConfigAnswer).monitors.find(({ monitor_id }) => monitor_id === id)
  t.equal(openSealed(prober.privateKey, mine?.config.headers?.[1]?.value ?? ''), 'canary-0')
  const kept = await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, { config: { headers: shown.headers } })
  t.equal(kept.statusCode, 200, kept.body)
  const [row] = await rowsOf(s.systemPool, 'SELECT config FROM monitors WHERE monitor_id = $1', [id])
  t.notMatch(JSON.stringify(row), CANARY, 'sent back masked, they are sealed')
  t.notMatch(s.logged(), CANARY)
})

/**
 * Returns a pool whose connection dies at the nth statement, as if the process were killed there.
 * Each connect starts to count from zero.
 */
function dyingAt(pool: Pool, nth: number): Pool {
  const connect = async () => {
    const client = await pool.connect()
    let count = 0
    return new Proxy(client, {
      get(of, name) {
        if (name !== 'query') {
          const value = Reflect.get(of, name)
          return typeof value === 'function' ? value.bind(of) : value
        }
        return async (...words: Parameters<typeof client.query>) => {
          count += 1
          if (count < nth) return of.query(...words)
          // The server may have run the statement, but its answer never arrives.
          void Promise.resolve(of.query(...words)).catch(() => undefined)
          Reflect.get(of, 'connection').stream.destroy()
          throw new Error('killed')
        }
      }
    })
  }
  return { connect } as unknown as Pool
}

t.test('header sealing that is killed at any statement resumes where it stopped', async (t) => {
  const s = await stand(t)
  const ids = await seeded(s, 5)
  const before = await rowsOf(s.systemPool, 'SELECT monitor_id, ver, updated_at FROM monitors ORDER BY 1', [])
  let killed = 0
  let steps = 0
  for (let over = false; !over; steps++) {
    for (let nth = 1; nth <= 9; nth++) {
      const died = await sealSome(dyingAt(s.tenantPool, nth), SECRETS_KEY, limits).then(
        () => false,
        (error: Error) => error.message === 'killed'
      )
      if (!died) break
      killed += 1
    }
    // Until the server notices the dead connection, the position stays locked. Other workers try
    // again.
    over = isDone(
      await until('a step', async () => {
        const step = await sealSome(s.tenantPool, SECRETS_KEY, limits)
        return 'waitMs' in step ? undefined : step
      })
    )
  }
  t.ok(killed > 50 && steps > 10, `killed ${killed} times in ${steps} steps`)
  await isAsItShouldBe(t, s, ids)
  const [{ pass, monitors } = {}] = await rowsOf(s.systemPool, 'SELECT * FROM header_sealing', [])
  t.equal(pass, 2)
  t.ok(Number(monitors) <= 5, 'and counts no row twice')
  t.same(
    await rowsOf(s.systemPool, 'SELECT monitor_id, ver, updated_at FROM monitors ORDER BY 1', []),
    before,
    'a monitor means the same: no new version'
  )
})

t.test('several instances share header sealing, and the second pass finds late plain values', async (t) => {
  const s = await stand(t)
  const ids = await seeded(s, 6)
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) })
  const metrics = createMetrics()
  const start = () =>
    startHeaderSealing({ pool: s.tenantPool, log, metrics, secretsKey: SECRETS_KEY, limits: { ...limits, secondPassMs: 3_600_000 } })
  const stops = [start(), start(), start()]
  await until('the second pass to wait', async () => (await readSealing(s.systemPool)).pass === 2)
  const late = ids[0] ?? ''
  await asBefore(s, s.acme, late, 0)
  await s.systemPool.query('UPDATE header_sealing SET not_before = now()')
  await until('it is done', async () => (await readSealing(s.systemPool)).stage === 'done')
  await until('they know', async () => (await metrics.registry.metrics()).includes('service_api_header_sealing_pending 0'))
  for (const stop of stops) await stop()
  await isAsItShouldBe(t, s, ids)
  t.match(await metrics.registry.metrics(), /service_api_headers_sealed_total\{table="monitors"\} 7/)
  const told = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg.startsWith('no header that is a credential'))
  t.match(told, { monitors: 7, config_versions: 15, audit: 7 })
  t.notMatch(lines.join(''), CANARY)
  const again = start()
  await again()
  t.same(await tablesWith(s, CANARY), [])
})

t.test('checks send the same header values after the sealing', async (t) => {
  const s = await stand(t)
  const [id = ''] = await seeded(s, 2)
  const asked: unknown[] = []
  const target = await http(t, (request, response) => {
    asked.push([
      request.headers.authorization,
      request.headers['x-api-key'],
      request.headers['x-marked'],
      request.headers['idempotency-key']
    ])
    response.end()
  })
  const prober = await makeProber(s, 'eu-west')
  await prober.hello()
  const since = ((await prober.config('&wait_seconds=0')).json() as ConfigAnswer).version
  for (let over = false; !over; ) over = isDone(await sealSome(s.tenantPool, SECRETS_KEY, limits))
  const changes = (await prober.config(`&since=${since}&wait_seconds=0`)).json() as ConfigAnswer
  const mine = changes.monitors.find(({ monitor_id }) => monitor_id === id)
  if (!mine) return t.fail('probers are handed it anew')
  t.notMatch(JSON.stringify(mine), CANARY)
  const config = mapSecrets(mine.config, (value) => openSealed(prober.privateKey, value))
  t.match(await attempt(assignment(`${target}/`, { config })), { outcome: 'success' })
  t.same(asked, [['canary-0', 'canary-0-key-2', 'marked-0', 'kept-0']])
})

t.test('without a secrets key, header sealing logs the missing setting once and changes nothing', async (t) => {
  const s = await stand(t)
  await seeded(s, 2)
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) })
  const before = await written(s)
  const progress = await readSealing(s.systemPool)
  await startHeaderSealing({ pool: s.tenantPool, log, metrics: createMetrics(), secretsKey: '', limits })()
  t.equal(lines.length, 1)
  t.match(lines[0], /SERVICE_SECRETS_KEY/)
  t.match(progress, { stage: 'monitors', after: null, monitors: 0 })
  t.same(await readSealing(s.systemPool), progress)
  t.same(await written(s), before)
})

/** Returns the value with each header that is not sealed masked, whatever its name. */
function allMasked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(allMasked)
  if (typeof value !== 'object' || value === null) return value
  if ('name' in value && 'value' in value && !('secret' in value && value.secret === true)) return { ...value, value: MASK, secret: true }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, allMasked(inner)]))
}

t.test('the api role can write only the mask into config versions and audit entries', async (t) => {
  const s = await stand(t)
  await seeded(s, 2)
  for (const statement of [
    "UPDATE config_versions SET body = '{}'",
    "UPDATE audit SET diff = '{}'",
    'DELETE FROM config_versions',
    'DELETE FROM audit',
    'TRUNCATE config_versions',
    'TRUNCATE audit'
  ])
    await t.rejects(s.tenantPool.query(statement), /permission denied/, statement)
  const before = await written(s)
  const nobody = '00000000-0000-0000-0000-000000000000'
  // With a pattern of its own it reaches every header, and still writes nothing else.
  await s.tenantPool.query("SELECT * FROM mask_config_versions($1, $1, 0, 1000, '', '{}')", [nobody])
  await s.tenantPool.query("SELECT * FROM mask_audit($1, $1, 1000, '', '{}')", [nobody])
  const after = await written(s)
  t.same(after, { ...before, config_versions: allMasked(before.config_versions), audit: allMasked(before.audit) })
  t.notSame(after.config_versions, before.config_versions)
  t.notSame(after.audit, before.audit)
})
