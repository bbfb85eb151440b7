/**
 * Tests of the cached credential check on a real Postgres: what is cached, what a change removes,
 * and what still works while Postgres is down. A proxy in front of Postgres counts and cuts. Time
 * limits are shortened where time matters, and a control shows that the test would notice a
 * shortened limit.
 */

import { createHash, randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { mintApiToken, mintIntegrationToken, mintSession } from '../../../services/credentials/credentials.ts'
import { sealForTenant } from '../../../services/credentials/sealing.ts'
import { type CredentialLimits, type Credentials, createCredentials } from '../../../services/credentials/tokens.ts'
import { createLog } from '../../../services/process/log.ts'
import { createPool, type Pool, tenantTransaction } from '../../../services/store/pool.ts'
import { database } from '../../harness/engines.ts'
import { makeWorkspace, type TestWorkspace } from '../../harness/product.ts'
import { type Link, startProxy, type TcpProxy } from '../../harness/tcp-proxy.ts'
import { until } from '../../harness/until.ts'

t.setTimeout(90_000)

interface Stand {
  credentials: Credentials
  workspace: TestWorkspace
  /** A pool as service_system, straight to Postgres. */
  system: Pool
  proxy: TcpProxy
  /** The statements that the look-ups have sent so far. */
  asked(): number
  news: (string | null)[]
  logged: string[]
  /**
   * From now on, holds back Postgres's answers to look-ups. The listening connection is not
   * affected.
   */
  hold(): { held(): number; now(): void }
}

const SECRETS_KEY = '0123456789abcdef'.repeat(4)

async function stand(t: Test, limits: Partial<CredentialLimits> = {}, secretsKey = SECRETS_KEY): Promise<Stand> {
  const { systemUrl, tenantUrl } = await database(t)
  const system = createPool(systemUrl, { application_name: 'test', max: 2 })
  t.teardown(() => system.end())
  const workspace = await makeWorkspace(system, `w-${randomBytes(4).toString('hex')}`, 'generic')
  const url = new URL(tenantUrl)
  let holding = false
  const held: (() => void)[] = []
  const fromServer = (bytes: Buffer, link: Link): void => {
    // The first connection listens. An answer to a query ends with ReadyForQuery. A connection that
    // is being opened passes.
    if (holding && link.number > 0 && bytes.includes('tenant_id')) held.push(() => link.toClient(bytes))
    else link.toClient(bytes)
  }
  const proxy = await startProxy({ host: url.hostname, port: Number(url.port) }, { fromServer })
  t.teardown(() => proxy.close())
  url.port = String(proxy.port)
  const logged: string[] = []
  let asked = 0
  const pool = createPool(url.href, { application_name: 'test', max: 4 })
  const counting: Pool = new Proxy(pool, {
    get(target, name) {
      if (name === 'query') asked += 1
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    }
  })
  const log = createLog('test', 'debug')
  t.teardown(() => log.flush())
  log.warn = (...args: unknown[]) => void logged.push(JSON.stringify(args))
  log.info = log.warn
  const credentials = createCredentials({ pool: counting, log, secretsKey, limits })
  t.teardown(async () => {
    credentials.close()
    await pool.end()
  })
  const news: (string | null)[] = []
  credentials.onRevoked((sha256) => news.push(sha256))
  await until('somebody to listen', () => credentials.listening())
  const hold = (): ReturnType<Stand['hold']> => {
    holding = true
    return {
      held: () => held.length,
      now() {
        holding = false
        for (const pass of held.splice(0)) pass()
      }
    }
  }
  return { credentials, workspace, system, proxy, asked: () => asked, news, logged, hold }
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

t.test('an integration is found by its token, and cached', async (t) => {
  const { credentials, workspace, asked } = await stand(t)
  const found = await credentials.integration(workspace.door)
  t.match(found, {
    tenant_id: workspace.tenant_id,
    integration_id: workspace.integration_id,
    source_type: 'generic',
    enabled: true,
    plan: 'enterprise',
    sha256: hashOf(workspace.door)
  })
  const before = asked()
  t.equal(credentials.integration(workspace.door), found, 'at once, without a promise')
  t.equal(asked(), before)
})

/** Sets the proof of senders: a secret and a name. */
async function setVerify({ system, workspace }: Stand, secret: string): Promise<string> {
  const { tenant_id, integration_id } = workspace
  const place = { tenant_id, resource: `integration:${integration_id}`, field: 'verify.secret' }
  const sealed = sealForTenant(SECRETS_KEY, place, secret)
  await tenantTransaction(system, wholeWorkspace(tenant_id), (tx) =>
    tx.query(
      `UPDATE integrations SET verify = $2, allowed_cidrs = '{192.0.2.0/24}', dedup_template = '{title}', options = '{"a":true}' WHERE tenant_id = $1`,
      [tenant_id, JSON.stringify({ secret: sealed, signature_header: 'x-signature' })]
    )
  )
  return sealed
}

t.test('settings of an integration reach the door after a change, with secrets decrypted', async (t) => {
  const s = await stand(t)
  t.match(await s.credentials.integration(s.workspace.door), { verify: {}, options: {}, allowed_cidrs: [], dedup_template: null })
  const sealed = await setVerify(s, 'correct horse')
  await until('the change to be heard', () => s.news.includes(hashOf(s.workspace.door)))
  const found = await s.credentials.integration(s.workspace.door)
  t.same({ ...found?.verify }, { secret: 'correct horse', signature_header: 'x-signature' })
  t.match(found, { options: { a: true }, allowed_cidrs: ['192.0.2.0/24'], dedup_template: '{title}' })
  t.notMatch(s.logged.join('\n'), 'correct horse')
  t.notMatch(s.logged.join('\n'), sealed)
})

t.test('a secret that cannot be decrypted leaves no verification settings', async (t) => {
  const s = await stand(t, {}, 'f'.repeat(64))
  const sealed = await setVerify(s, 'correct horse')
  const keyless = createCredentials({ pool: s.system, log: { warn: () => undefined, info: () => undefined } })
  t.teardown(() => keyless.close())
  t.match(await s.credentials.integration(s.workspace.door), { verify: null, enabled: true }, 'another key')
  t.match(await keyless.integration(s.workspace.door), { verify: null, enabled: true }, 'no key')
  const logged = s.logged.join('\n')
  t.match(logged, /a secret of this integration does not open/)
  t.match(logged, s.workspace.integration_id)
  t.notMatch(logged, sealed)
})

t.test('an unknown token gives null and is looked up once', async (t) => {
  const { credentials, asked } = await stand(t)
  const unknown = mintIntegrationToken().value
  t.equal(await credentials.integration(unknown), null)
  const before = asked()
  t.equal(credentials.integration(unknown), null, 'at once')
  t.equal(asked(), before)
  t.equal(credentials.integration(''), null)
  t.equal(credentials.integration('x'.repeat(257)), null, 'too long to be one of ours: nobody is asked')
  t.equal(asked(), before)
})

t.test('a token of one kind is not accepted as another kind', async (t) => {
  const { credentials, workspace } = await stand(t)
  t.ok(await credentials.apiToken(workspace.apiToken))
  t.equal(await credentials.apiToken(workspace.door), null)
  t.equal(await credentials.session(workspace.apiToken), null)
  t.equal(await credentials.integration(workspace.apiToken), null)
})

t.test('concurrent look-ups of a token ask Postgres once', async (t) => {
  const { credentials, workspace, asked } = await stand(t)
  const before = asked()
  const found = await Promise.all(Array.from({ length: 50 }, () => credentials.apiToken(workspace.apiToken)))
  t.equal(new Set(found).size, 1)
  t.match(found[0], { tenant_id: workspace.tenant_id, role: 'owner' })
  t.equal(asked(), before + 1)
})

t.test('a change of a credential takes effect within 5 s', async (t) => {
  const { credentials, workspace, system, news } = await stand(t)
  const within = <T>(what: string, find: () => T | Promise<T>): Promise<NonNullable<Awaited<T>>> => until(what, find, 5000) as never
  const change = (sql: string): Promise<unknown> =>
    tenantTransaction(system, wholeWorkspace(workspace.tenant_id), (tx) => tx.query(sql, [workspace.tenant_id]))

  t.test('a disabled integration is found as disabled', async (t) => {
    t.match(await credentials.integration(workspace.door), { enabled: true })
    await change('UPDATE integrations SET enabled = false WHERE tenant_id = $1')
    await within('the integration to be disabled', async () => (await credentials.integration(workspace.door))?.enabled === false)
    t.ok(news.includes(hashOf(workspace.door)))
  })
  t.test('a deleted integration is no longer found', async () => {
    await change('DELETE FROM integrations WHERE tenant_id = $1')
    await within('the integration to be gone', async () => (await credentials.integration(workspace.door)) === null)
  })
  t.test('a revoked API token is no longer found', async (t) => {
    t.ok(await credentials.apiToken(workspace.apiToken))
    await change('UPDATE api_tokens SET revoked_at = now() WHERE tenant_id = $1')
    await within('the token to be gone', async () => (await credentials.apiToken(workspace.apiToken)) === null)
    t.ok(news.includes(hashOf(workspace.apiToken)))
  })
  t.test('a session after logout is no longer found', async (t) => {
    const { value, sha256 } = mintSession()
    await tenantTransaction(system, wholeWorkspace(workspace.tenant_id), (tx) =>
      tx.query(
        `INSERT INTO sessions (session_sha256, tenant_id, user_id, idle_seconds, expires_at)
         SELECT $2, tenant_id, user_id, 3600, now() + interval '1 day' FROM members WHERE tenant_id = $1`,
        [workspace.tenant_id, sha256]
      )
    )
    t.match(await credentials.session(value), { tenant_id: workspace.tenant_id, role: 'owner' })
    await change('DELETE FROM sessions WHERE tenant_id = $1')
    await within('the session to be gone', async () => (await credentials.session(value)) === null)
    t.ok(news.includes(sha256.toString('hex')))
  })
  t.end()
})

t.test('a rotated token stays valid until its grace period ends', async (t) => {
  const { credentials, workspace, system } = await stand(t)
  const next = mintIntegrationToken()
  await tenantTransaction(system, wholeWorkspace(workspace.tenant_id), (tx) =>
    tx.query(
      `UPDATE integrations SET previous_token_sha256 = token_sha256, previous_token_expires_at = now() + interval '1 second', token_sha256 = $2 WHERE tenant_id = $1`,
      [workspace.tenant_id, next.sha256]
    )
  )
  t.ok(await until('the new token', () => credentials.integration(next.value)))
  await until('the old token to end, though it is kept', async () => (await credentials.integration(workspace.door)) === null)
})

t.test('an expired API token is not accepted', async (t) => {
  const { credentials, workspace, system } = await stand(t)
  await tenantTransaction(system, wholeWorkspace(workspace.tenant_id), (tx) =>
    tx.query("UPDATE api_tokens SET expires_at = now() - interval '1 second' WHERE tenant_id = $1", [workspace.tenant_id])
  )
  t.equal(await credentials.apiToken(workspace.apiToken), null)
})

t.test('a listener that reconnects rechecks everything and announces it', async (t) => {
  const { credentials, workspace, system, proxy, news } = await stand(t, { pulseMs: 50 })
  t.ok(await credentials.integration(workspace.door))
  // The change is not heard, because no connection is open when it commits.
  proxy.refuse(true)
  proxy.cutAll()
  await until('nobody to listen', () => !credentials.listening())
  news.length = 0
  await tenantTransaction(system, wholeWorkspace(workspace.tenant_id), (tx) =>
    tx.query('DELETE FROM integrations WHERE tenant_id = $1', [workspace.tenant_id])
  )
  t.ok(await credentials.integration(workspace.door), 'kept: Postgres cannot be asked')
  t.same(news, [], 'and nobody could tell')
  proxy.refuse(false)
  await until('somebody to listen again', () => credentials.listening())
  t.ok(news.includes(null), 'whoever holds something open checks it again')
  await until('the integration to be gone', async () => (await credentials.integration(workspace.door)) === null, 5000)
})

t.test('without Postgres a cached credential is used until it is too old', async (t) => {
  const { credentials, workspace, proxy, logged } = await stand(t, {
    freshMs: 1,
    freshUnheardMs: 1,
    staleMs: 3000,
    pauseMs: 10,
    pulseMs: 50
  })
  t.ok(await credentials.integration(workspace.door))
  proxy.refuse(true)
  proxy.cutAll()
  t.ok(await credentials.integration(workspace.door), 'kept')
  await t.rejects(async () => credentials.integration(mintIntegrationToken().value), { name: 'Unavailable' }, 'not kept: nobody can say')
  await until('the kept one to be too old', async () => {
    try {
      await credentials.integration(workspace.door)
      return false
    } catch (error) {
      return (error as Error).name === 'Unavailable'
    }
  })
  proxy.refuse(false)
  await until('Postgres to be asked again', async () => {
    try {
      return await credentials.integration(workspace.door)
    } catch {
      return null
    }
  })
  t.notMatch(logged.join('\n'), workspace.door)
  t.notMatch(logged.join('\n'), hashOf(workspace.door))
})

t.test('a look-up overtaken by a change is repeated', async (t) => {
  // Longer than the test holds the answer.
  const { credentials, workspace, system, news, hold } = await stand(t, { lookupMs: 30_000 })
  // Postgres answers at once, but the answer reaches the process only after the news of the change.
  const release = hold()
  const asking = credentials.integration(workspace.door)
  await until('the answer to be on its way', () => release.held() > 0)
  await tenantTransaction(system, wholeWorkspace(workspace.tenant_id), (tx) =>
    tx.query('UPDATE integrations SET enabled = false WHERE tenant_id = $1', [workspace.tenant_id])
  )
  await until('the change to be heard', () => news.includes(hashOf(workspace.door)))
  release.now()
  t.match(await asking, { enabled: false })
  t.match(await credentials.integration(workspace.door), { enabled: false }, 'nor is the old answer kept')
})

t.test('guessed tokens are limited and do not evict a valid credential', async (t) => {
  const { credentials, workspace, asked } = await stand(t, { entries: 10, negativeEntries: 10, lookups: 8 })
  t.ok(await credentials.apiToken(workspace.apiToken))
  const guesses = await Promise.allSettled(Array.from({ length: 100 }, async () => credentials.apiToken(mintApiToken().value)))
  const refused = guesses.filter((guess) => guess.status === 'rejected')
  t.equal(refused.length, 92, 'only so many look-ups at once')
  t.ok(refused.every(({ reason }) => reason instanceof Error && reason.name === 'Unavailable'))
  const before = asked()
  t.ok(credentials.apiToken(workspace.apiToken) && asked() === before, 'still kept')
})

t.test('the least recently used credential is evicted first', async (t) => {
  const { credentials, workspace, system, asked } = await stand(t, { entries: 2 })
  const other = await makeWorkspace(system, `w-${randomBytes(4).toString('hex')}`, 'generic')
  const third = await makeWorkspace(system, `w-${randomBytes(4).toString('hex')}`, 'generic')
  await credentials.integration(workspace.door)
  await credentials.integration(other.door)
  await credentials.integration(workspace.door) // Used.
  await credentials.integration(third.door)
  const before = asked()
  await credentials.integration(workspace.door)
  await credentials.integration(third.door)
  t.equal(asked(), before)
  await credentials.integration(other.door)
  t.equal(asked(), before + 1)
})
