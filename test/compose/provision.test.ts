/**
 * The operator's command for a fresh cluster: its arguments, what it creates on a real database,
 * and that it can be run again.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { projectRoot } from '../../schemas/files.ts'
import { sha256 } from '../../services/credentials/credentials.ts'
import { provision, wantedOf } from '../../services/operator/provision.ts'
import { UsageError } from '../../services/operator/tool.ts'
import { findProber } from '../../services/store/lookups.ts'
import { createPool } from '../../services/store/pool.ts'
import { database } from '../harness/engines.ts'

const folder = mkdtempSync(join(tmpdir(), 'provision-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const file = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}
const proberToken = `prober_${'a1'.repeat(32)}`
const apiToken = `service_${'b2'.repeat(32)}`
const token = file('prober', `${proberToken}\n`)
const password = file('password', 'a long enough password')
const api = file('api', apiToken)
const words = ['--region', `eu-central,Frankfurt,DE,${token}`]
const workspace = ['--workspace', 'acme', '--owner', 'owner@example.test', '--password-file', password, '--api-token-file', api]

t.test('arguments of the provision command', async (t) => {
  t.match(wantedOf([...words, ...workspace]), {
    regions: [{ code: 'eu-central', label: 'Frankfurt', country: 'DE', token: proberToken }],
    workspace: { slug: 'acme', email: 'owner@example.test', password: 'a long enough password', api_token: apiToken }
  })
  t.equal(wantedOf(words).workspace, null)
  const wrong: [words: string[], message: RegExp][] = [
    [[], /nothing to do/],
    [['--nonsense'], /nonsense/],
    [['--region', 'eu-central,Frankfurt,DE'], /--region: expected code,label,country,token-file/],
    [['--region', 'loc-office,Office,DE,token'], /codes that begin with loc- are of private locations/],
    [['--region', `eu-central,Frankfurt,DE,${join(folder, 'none')}`], /cannot read/],
    [['--region', `eu-central,Frankfurt,DE,${password}`], /expected prober_ and 64 hex/],
    [workspace.slice(0, 4), /belong together/],
    [workspace.with(1, 'A C'), /--workspace: expected/],
    [workspace.with(3, 'nobody'), /--owner: expected/],
    [workspace.with(5, file('short', 'short')), /at least 12 characters/],
    [workspace.with(7, password), /expected service_ and 64 hex/]
  ]
  for (const [given, message] of wrong) {
    t.throws(() => wantedOf(given), UsageError)
    t.throws(() => wantedOf(given), { message })
  }
})

t.test('the provision command creates region and workspace, and a second run finds them', async (t) => {
  const { systemUrl } = await database(t)
  const pool = createPool(systemUrl, { application_name: 'test', max: 1 })
  t.teardown(() => pool.end())
  const run = () =>
    promisify(execFile)(process.execPath, ['--import=tsx', 'services/operator/provision.ts', ...words, ...workspace], {
      cwd: projectRoot,
      env: { ...process.env, NODE_OPTIONS: '', SERVICE_POSTGRES_SYSTEM_URL: systemUrl }
    })
  file('password', 'password1234')
  t.match(await run().catch((error: unknown) => error), { stderr: /the password of owner@example\.test must not be a common password/ })
  file('password', 'a long enough password')
  t.same((await pool.query('SELECT FROM tenants')).rows, [], 'a password that is easy to guess makes no workspace')
  const first = await run()
  t.match(first.stdout, /^region eu-central: a token for its probers\nworkspace acme: /)
  t.notOk([proberToken, apiToken, 'a long enough password'].some((secret) => `${first.stdout}${first.stderr}`.includes(secret)))
  t.match(await findProber(pool, sha256(proberToken)), { region: 'eu-central' })
  const { rows } = await pool.query<{ slug: string }>('SELECT slug FROM tenants')
  t.same(rows, [{ slug: 'acme' }])
  t.equal((await run()).stdout, 'everything is there\n')
  await pool.query('UPDATE prober_tokens SET revoked_at = now()')
  t.equal((await run()).stdout, 'region eu-central: the token was revoked; give the region another one\n')
  t.equal(await findProber(pool, sha256(proberToken)), null, 'it stays revoked')
})

t.test('a token of one region is refused for another', async (t) => {
  const { systemUrl } = await database(t)
  const pool = createPool(systemUrl, { application_name: 'test', max: 1 })
  t.teardown(() => pool.end())
  const wanted = wantedOf([...words, '--region', `eu-west,Dublin,IE,${token}`])
  const refusal = 'region eu-west: the token is of region eu-central; give the region another one'
  t.same(await provision(pool, wanted), ['region eu-central: a token for its probers', refusal])
  t.same(await provision(pool, wanted), [refusal], 'a second run says it again')
  t.match(await findProber(pool, sha256(proberToken)), { region: 'eu-central' })
})
