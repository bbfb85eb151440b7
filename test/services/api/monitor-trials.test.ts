/**
 * Tests of trials: a definition is checked before it is saved. It is validated as if it were saved,
 * run in one region, and leaves nothing behind.
 */
import t from 'tap'
import type { ConfigAnswer, Result } from '../../../schemas/http/prober.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { openSealed } from '../../../services/credentials/sealing.ts'
import { forgetTrials } from '../../../services/store/check-trials.ts'
import { until } from '../../harness/until.ts'
import { type Body, create, MONITORS, rowsOf } from './monitoring.ts'
import { makeProber, makeRegions, type TestProber } from './probing.ts'
import { type Stand, stand } from './stand.ts'

t.setTimeout(120_000)

const VALIDATE = `${MONITORS}/validate`
const good = (over: Body = {}): Body => ({ type: 'http', target: 'https://shop.example/', timeout_seconds: 5, ...over })

/** Returns what the prober's region is asked to check, as soon as it is asked. */
async function asked(prober: TestProber): Promise<ConfigAnswer['once'][number]> {
  return until('a trial', async () => {
    const answer = await prober.config('&wait_seconds=0')
    return answer.statusCode === 200 && (answer.json() as ConfigAnswer).once.find(({ definition }) => definition)
  })
}

function resultOf({ check_id, definition }: ConfigAnswer['once'][number], over: Partial<Result> = {}): Result {
  const at = new Date().toISOString()
  return {
    check_id,
    monitor_id: definition?.monitor_id ?? '',
    tenant_ref: definition?.tenant_ref ?? '',
    config_version: 0,
    seq: 1,
    on_demand: true,
    count: false,
    scheduled_at: at,
    started_at: at,
    finished_at: at,
    outcome: 'success',
    attempts: [{ started_at: at, finished_at: at, outcome: 'success' }],
    timings_ms: { dns: 1, connect: 2, tls: 3, request: 0.5, ttfb: 20, download: 1, total: 27.5 },
    http: { status: 200, bytes: 512, redirects: ['https://shop.example/en'] },
    tls: { issuer: 'CN=Test CA', not_after: at, chain_ok: true },
    assertions: [{ index: 0, ok: true, actual: null, message: null }],
    ...over
  }
}

const says = (s: Stand, prober: TestProber, result: Result) =>
  s.call(prober.token, 'POST', '/api/v1/prober/trials', { instance_id: prober.instance_id, result })

t.test('trials of monitor definitions', async (t) => {
  const s = await stand(t)
  await makeRegions(s)
  const prober = await makeProber(s, 'eu-west')
  await prober.hello()
  const validate = (body: Body, who = s.acme) => s.call(who, 'POST', VALIDATE, body)
  const trials = () => rowsOf(s.systemPool, 'SELECT check_id FROM check_trials', [])

  await t.test('a valid definition gets its regions and next rounds, and nothing is saved', async (t) => {
    const answer = await validate(good({ regions: ['eu-west', 'us-east'], interval_seconds: 60 }))
    t.equal(answer.statusCode, 200, answer.body)
    t.match(answer.json(), { valid: true, regions: ['eu-west', 'us-east'], warnings: [], result: null })
    const rounds = answer.json().next_rounds.map((at: string) => Date.parse(at))
    t.equal(rounds.length, 5)
    t.equal(rounds[4] - rounds[0], 4 * 60_000)
    t.same((await rowsOf(s.systemPool, 'SELECT name FROM monitors', [])).length, 0, 'nothing is saved')
    t.same(await rowsOf(s.systemPool, "SELECT action FROM audit WHERE object_type = 'monitor'", []), [])
  })

  await t.test('an invalid definition is refused with its path and rule', async (t) => {
    const cases: [body: Body, path: string, rule: string][] = [
      [{ target: 'https://shop.example/' }, 'type', 'required'],
      [{ type: 'http' }, 'target', 'required'],
      [good({ target: 'http://127.0.0.1/' }), 'target', 'blocked_target'],
      [good({ target: 'http://169.254.169.254/latest' }), 'target', 'blocked_target'],
      [good({ timeout_seconds: 60, interval_seconds: 60 }), 'timeout_seconds', 'max'],
      [good({ regions: ['mars'] }), 'regions[0]', 'unknown_region'],
      [good({ region: 'mars' }), 'region', 'unknown_region'],
      [good({ assertions: [{ source: 'body', op: 'matches', value: '(' }] }), 'assertions[0].value', 'unsafe_regex'],
      [good({ monitor_id: uuidv4() }), 'monitor_id', 'unknown_monitor'],
      [good({ colour: 'red' }), 'colour', 'unknown_field']
    ]
    for (const [body, path, rule] of cases) {
      const answer = await validate(body)
      t.equal(answer.statusCode, 422, `${path} ${rule}: ${answer.body}`)
      t.match(answer.json().details[0], { path, rule })
    }
  })

  await t.test('a trial returns the result of its region and leaves nothing behind', async (t) => {
    const waiting = validate(
      good({
        region: 'eu-west',
        config: { headers: [{ name: 'X-Key', value: 'hunter2', secret: true }] },
        assertions: [{ source: 'status', op: 'eq', value: 200 }]
      })
    )
    const item = await asked(prober)
    t.match(item, {
      count: false,
      definition: {
        tenant_ref: s.acme.tenant_id,
        type: 'http',
        target: 'https://shop.example/',
        timeout_seconds: 5,
        retry: { strategy: 'none', count: 0 },
        assertions: [{ source: 'status', op: 'eq', value: 200 }]
      }
    })
    t.equal(openSealed(prober.privateKey, item.definition?.config.headers?.[0]?.value ?? ''), 'hunter2', 'sealed to this prober')
    const stored = JSON.stringify(await rowsOf(s.systemPool, 'SELECT definition FROM check_trials', []))
    t.notMatch(stored, 'hunter2')
    t.same((await says(s, prober, resultOf(item))).json(), { accepted: true })
    const answer = await waiting
    t.equal(answer.statusCode, 200, answer.body)
    t.match(answer.json(), {
      valid: true,
      warnings: [],
      result: {
        region: 'eu-west',
        prober_instance: prober.instance_id,
        outcome: 'success',
        reason: null,
        attempts: 1,
        timings_ms: { dns: 1, ttfb: 20, total: 27.5 },
        http: { status: 200, bytes: 512 },
        tls: { issuer: 'CN=Test CA', chain_ok: true },
        assertions: [{ index: 0, ok: true }],
        redirects: ['https://shop.example/en']
      }
    })
    t.same(await trials(), [])
    t.same(await rowsOf(s.systemPool, 'SELECT check_id FROM on_demand_checks', []), [])
    t.same((await says(s, prober, resultOf(item))).json(), { accepted: false }, 'nobody waits any more')
    t.notMatch(s.logged(), 'hunter2')
  })

  await t.test('a trial accepts a result only from its own region', async (t) => {
    const other = await makeProber(s, 'us-east')
    await other.hello()
    const waiting = validate(good({ region: 'eu-west' }))
    const item = await asked(prober)
    t.same((await says(s, other, resultOf(item))).json(), { accepted: false })
    t.equal((await says(s, prober, { ...resultOf(item), message: 'x'.repeat(5000) })).statusCode, 422, 'a shape that no result has')
    t.same((await says(s, prober, resultOf(item, { outcome: 'failure', reason: 'timeout', message: 'No answer\u0000' }))).json(), {
      accepted: true
    })
    t.match((await waiting).json().result, { outcome: 'failure', reason: 'timeout', message: 'No answer\ufffd' })
    t.equal((await s.call(s.acme, 'POST', '/api/v1/prober/trials', {})).statusCode, 401, 'it is for probers')
  })

  await t.test('a trial is refused if the region is offline or lacks the type', async (t) => {
    const nobody = await validate(good({ region: 'ap-south' }))
    t.equal(nobody.statusCode, 503, nobody.body)
    t.equal(nobody.json().code, 'NO_PROBER_ONLINE')
    const unable = await validate({ type: 'icmp', target: 'shop.example', region: 'eu-west' })
    t.equal(unable.statusCode, 422, unable.body)
    t.match(unable.json().details[0], { path: 'region', rule: 'unsupported_type', message: /icmp/ })
    t.match((await validate({ type: 'external', region: 'eu-west' })).json().details[0], { path: 'region', rule: 'unknown_field' })
    t.match((await validate({ type: 'external' })).json(), { valid: true, regions: [], next_rounds: [] })
  })

  await t.test('a trial uses the stored secrets of the monitor, but not for another host', async (t) => {
    const { id } = await create(s, s.acme, { config: { auth: { type: 'bearer', token: 'hunter3' } }, regions: ['eu-west'] })
    const waiting = validate({ monitor_id: id, timeout_seconds: 7, region: 'eu-west' })
    const item = await asked(prober)
    t.match(item.definition, { monitor_id: id, timeout_seconds: 7, target: 'https://shop.example/health' })
    t.equal(openSealed(prober.privateKey, item.definition?.config.auth?.token ?? ''), 'hunter3')
    await says(s, prober, resultOf(item))
    t.match((await waiting).json(), { warnings: [], result: { outcome: 'success' } })
    t.match((await s.call(s.acme, 'GET', `${MONITORS}/${id}`)).json(), { timeout_seconds: 10, version: 1 })
    const elsewhere = await validate({ monitor_id: id, target: 'https://thief.example/', region: 'eu-west' })
    t.equal(elsewhere.statusCode, 422)
    t.match(elsewhere.json().details[0], { path: 'config.auth.token', rule: 'required' })
    t.match((await validate({ monitor_id: id, type: 'tcp' })).json().details[0], { path: 'type', rule: 'immutable' })
    const theirs = await validate({ monitor_id: id }, s.globex)
    t.match(theirs.json().details[0], { path: 'monitor_id', rule: 'unknown_monitor' })
  })

  await t.test('after a downgrade, a trial takes what saving takes', async (t) => {
    const shrunk = await s.workspace('shrunk', 'business')
    const { id } = await create(s, shrunk, { down_interval_seconds: 30, regions: ['eu-west'] })
    await s.systemPool.query("UPDATE tenants SET plan = 'pro' WHERE tenant_id = $1", [shrunk.tenant_id])
    t.equal((await s.call(shrunk, 'PATCH', `${MONITORS}/${id}`, { description: 'Orders' })).statusCode, 200)
    const waiting = validate({ monitor_id: id, region: 'eu-west' }, shrunk)
    await says(s, prober, resultOf(await asked(prober)))
    t.match((await waiting).json(), { valid: true, result: { outcome: 'success' } })
  })

  await t.test('a trial warns of a taken name and of a full plan', async (t) => {
    const { name } = await create(s, s.acme)
    t.match((await validate(good({ name: String(name).toUpperCase() }))).json().warnings, [{ path: 'name', code: 'name_taken' }])
    const small = await s.workspace('small', 'free')
    for (let nth = 0; nth < 10; nth++) await create(s, small, { interval_seconds: 180 })
    t.match((await validate(good(), small)).json().warnings, [{ path: null, code: 'limit_reached' }])
    t.match((await validate(good({ interval_seconds: 10, timeout_seconds: 5 }), small)).json(), { code: 'TIER_LIMIT_EXCEEDED' })
  })

  await t.test('a trial without an answer ends with a warning', async (t) => {
    const waiting = validate(good({ region: 'eu-west', timeout_seconds: 1 }))
    await until('the question', async () => (await trials()).length === 1)
    // Its deadline passes without a wait: the answer comes too late.
    const item = await asked(prober)
    await s.systemPool.query("UPDATE check_trials SET expires_at = now() - interval '1 second'")
    t.same((await says(s, prober, resultOf(item))).json(), { accepted: false })
    t.equal(await forgetTrials(s.systemPool), 1, 'as the chore does')
    const answer = await waiting
    t.match(answer.json(), { valid: true, result: null, warnings: [{ path: 'region', code: 'no_answer' }] })
  })
})

t.test('a workspace runs a limited number of trials at once', async (t) => {
  const s = await stand(t, { now: () => 0 })
  await makeRegions(s)
  await (await makeProber(s, 'eu-west')).hello()
  const ask = (region: string) => s.call(s.acme, 'POST', VALIDATE, good({ region }))
  for (let nth = 0; nth < 3; nth++) t.equal((await ask('ap-south')).statusCode, 503, 'what nobody is asked takes nothing')
  const waiting = Array.from({ length: 31 }, () => ask('eu-west'))
  const refused = await Promise.race(waiting)
  t.equal(refused.statusCode, 429, refused.body)
  t.match(refused.json(), { code: 'RATE_LIMITED', name: 'trial', limit: 60 })
  await until('all others to wait', async () => (await rowsOf(s.systemPool, 'SELECT FROM check_trials', [])).length === 30)
  await s.systemPool.query('DELETE FROM check_trials')
  const codes = (await Promise.all(waiting)).map(({ statusCode }) => statusCode)
  t.same(codes.toSorted(), [...Array.from({ length: 30 }, () => 200), 429], 'nobody waits for what is gone')
})
