/** Versions of routing rules on a real Postgres, and what a fold keeps of them in memory. */
import t from 'tap'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { CompiledRules } from '../../../services/store/compiled-rules.ts'
import { createPool, type Pool, type Tx, tenantTransaction, transaction } from '../../../services/store/pool.ts'
import {
  countRules,
  forgetRuleSets,
  insertRuleSet,
  listRuleSets,
  loadInForce,
  lockRuleSet,
  readRuleSet,
  readRuleSetAt,
  ruleBytesSince,
  ruleSetAt,
  rulesNamingNone
} from '../../../services/store/routing.ts'
import { createWorkspace } from '../../../services/store/tenants.ts'
import { builtIn, compile } from '../../../streams/routing/rules.ts'
import { database } from '../../harness/engines.ts'
import { ruleOf } from '../../streams/routing/build.ts'

async function workspace(pool: Pool, slug: string): Promise<string> {
  const { tenant_id } = await createWorkspace(pool, {
    workspace_name: slug,
    slug,
    plan: 'enterprise',
    email: `${slug}@example.test`,
    user_name: slug,
    password_hash: 'x',
    token: { name: 'x', sha256: Buffer.from(slug.padEnd(32, '.')), prefix: 'x', scopes: [] }
  })
  return tenant_id
}

const save = (pool: Pool, tenant_id: string, ...ids: string[]): Promise<number> =>
  tenantTransaction(pool, wholeWorkspace(tenant_id), async (tx) => {
    await lockRuleSet(tx, tenant_id)
    const rules = ids.map((id) => ruleOf(id))
    return insertRuleSet(tx, tenant_id, { rules, private_team_ids: [], created_by: 'user:x', note: ids.join() })
  })

/** Returns how many statements `work` runs. */
async function statements(pool: Pool, work: (tx: Tx) => Promise<unknown>): Promise<number> {
  let count = 0
  await transaction(pool, (tx) =>
    work({
      query: (...given) => {
        count++
        return tx.query(...given)
      }
    })
  )
  return count
}

t.test('versions of routing rules', async (t) => {
  const { tenantUrl, systemUrl, ownerUrl } = await database(t)
  const system = createPool(systemUrl, { application_name: 'routing test', max: 4 })
  const tenant = createPool(tenantUrl, { application_name: 'routing test', max: 4 })
  const owner = createPool(ownerUrl, { application_name: 'routing test', max: 1 })
  t.teardown(() => Promise.all([system.end(), tenant.end(), owner.end()]))
  const acme = await workspace(system, 'acme')
  const globex = await workspace(system, 'globex')
  const stranger = uuidv7()

  await t.test('a workspace without rules uses the built-in set', async (t) => {
    const sets = await transaction(system, async (tx) => (await loadInForce(tx, [acme, stranger, acme])).rules)
    t.same([...sets.keys()], [acme, stranger])
    t.equal(sets.get(acme), builtIn)
    t.equal(await ruleSetAt(system, acme, 1), builtIn)
    t.equal(await ruleSetAt(system, acme, 2), null)
    t.match(await readRuleSet(system, acme), { version: 1, rules: [] })
    t.equal(await countRules(system, acme), 0)
  })

  await t.test('concurrent writers take turns, and each makes a version', async (t) => {
    const versions = await Promise.all([save(tenant, acme, 'a'), save(tenant, acme, 'b'), save(tenant, acme, 'c')])
    t.same(versions.sort(), [2, 3, 4])
    t.equal(await save(tenant, acme, 'd', 'e'), 5)
    t.equal(await save(tenant, globex, 'g'), 2)
    t.equal(await countRules(system, acme), 2)
    t.match(await readRuleSetAt(system, acme, 5), { version: 5, rules: [{ id: 'd' }, { id: 'e' }] })
    const { items, total } = await listRuleSets(system, acme, { page: 1, per_page: 2 })
    t.equal(total, 4)
    t.match(items, [{ version: 5, engine_version: 1, created_by: 'user:x', note: 'd,e' }, { version: 4 }])
  })

  await t.test('a fold reads an unknown rule set once, and after that only the heads', async (t) => {
    const load = async (tx: Tx) => (await loadInForce(tx, [acme, globex, stranger])).rules
    t.equal(await statements(system, load), 2)
    t.equal(await statements(system, load), 1)
    const [first, second] = [await transaction(system, load), await transaction(system, load)]
    t.equal(first.get(acme), second.get(acme), 'compiled once')
    t.same(
      first.get(acme)?.rules.map(({ rule }) => rule.id),
      ['d', 'e']
    )
    await save(tenant, acme, 'f')
    t.equal((await transaction(system, load)).get(acme)?.version, 6)
    t.equal((await transaction(system, (tx) => ruleSetAt(tx, acme, 5)))?.rules.length, 2, 'the version before is still there')
  })

  await t.test('a version cannot be changed, and a workspace sees only its own versions', async (t) => {
    const change = 'UPDATE routing_rule_sets SET rules = $1 WHERE tenant_id = $2'
    const asTenant = (work: (tx: Tx) => Promise<unknown>) => tenantTransaction(tenant, wholeWorkspace(acme), work)
    await t.rejects(
      asTenant((tx) => tx.query(change, ['[]', acme])),
      { code: '42501' }
    )
    await t.rejects(system.query(change, ['[]', acme]), { code: '42501' })
    await owner.query('ALTER TABLE routing_rule_sets NO FORCE ROW LEVEL SECURITY')
    await t.rejects(owner.query(change, ['[]', acme]), /never changes/)
    await owner.query('ALTER TABLE routing_rule_sets FORCE ROW LEVEL SECURITY')
    await t.rejects(
      asTenant((tx) => tx.query('DELETE FROM routing_rule_sets')),
      { code: '42501' }
    )
    t.equal(await asTenant((tx) => readRuleSetAt(tx, globex, 2)), null)
    const sets = await tenantTransaction(tenant, wholeWorkspace(acme), async (tx) => (await loadInForce(tx, [acme, globex])).rules)
    t.equal(sets.get(globex), builtIn)
  })

  await t.test('the database says which rules of many versions name no hidden team', async (t) => {
    const hidden = uuidv7()
    const other = uuidv7()
    const named = (group: 'all' | 'any' | 'none', value: string | string[]) => ({
      match: { all: [], any: [], none: [], [group]: [{ field: 'team_id', op: Array.isArray(value) ? 'in' : 'eq', value }] }
    })
    const rules = [
      ruleOf('plain'),
      ruleOf('target', { actions: { team_id: hidden } }),
      ruleOf('elsewhere', { actions: { team_id: other } }),
      ruleOf('all', named('all', hidden)),
      ruleOf('any', named('any', [other, hidden])),
      ruleOf('none', named('none', hidden)),
      ruleOf('open', named('any', [other])),
      ruleOf('unasked')
    ]
    const version = await tenantTransaction(tenant, wholeWorkspace(globex), async (tx) => {
      await lockRuleSet(tx, globex)
      return insertRuleSet(tx, globex, { rules, private_team_ids: [], created_by: 'user:x', note: '' })
    })
    const asked = rules.map(({ id }) => id).filter((id) => id !== 'unasked')
    const seen = await rulesNamingNone(system, globex, [2, version, 99], asked, [hidden])
    t.same([...seen.keys()].sort(), [2, version])
    t.same([...(seen.get(version) ?? [])], ['plain', 'elsewhere', 'open'])
    t.ok((await ruleBytesSince(system, globex, Date.now() - 60_000)) > 500)
    t.equal(await ruleBytesSince(system, globex, Date.now() + 60_000), 0)
  })

  await t.test('old versions are deleted if no incident names them', async (t) => {
    await system.query('UPDATE routing_heads SET version = 1004 WHERE tenant_id = $1', [acme])
    t.equal(await forgetRuleSets(system), 3)
    t.equal(await readRuleSetAt(system, acme, 4), null)
    t.equal((await readRuleSetAt(system, acme, 5))?.version, 5)
    t.equal((await readRuleSetAt(system, globex, 2))?.version, 2)
  })
})

t.test('the cache of compiled rules is bounded by sets, by rules and by characters', async (t) => {
  const kept = new CompiledRules({ sets: 3, rules: 10, characters: 100 })
  const set = (version: number, rules: number) =>
    compile(
      version,
      Array.from({ length: rules }, (_, at) => ruleOf(String(at)))
    )
  for (const workspace of ['a', 'b', 'c']) kept.set(workspace, set(2, 1), 10)
  t.equal(kept.get('a', 2)?.version, 2)
  kept.set('d', set(2, 1), 10)
  t.equal(kept.get('b', 2), undefined, 'the longest unused one goes')
  t.equal(kept.get('a', 2)?.version, 2)
  t.equal(kept.size, 3)
  kept.set('e', set(2, 9), 10)
  t.equal(kept.size, 2, 'many rules push out many sets')
  kept.set('f', set(2, 1), 85)
  t.equal(kept.size, 2, 'a large set pushes out others')
  t.equal(kept.get('e', 2)?.version, 2)
  kept.set('f', set(2, 1), 95)
  t.same([kept.get('f', 2)?.version, kept.size], [2, 1])
  kept.set('g', set(2, 11), 10)
  t.equal(kept.size, 0, 'more than all together is not kept')
})

t.test('a workspace that changes large rules again and again fills one place of the cache', async (t) => {
  const kept = new CompiledRules({ sets: 1000, rules: 50_000, characters: 64_000_000 })
  for (let version = 2; version < 42; version++) kept.set('a', compile(version, [ruleOf('x')]), 4_000_000)
  t.equal(kept.size, 1)
  t.equal(kept.get('a', 41)?.version, 41)
  kept.set('a', compile(7, [ruleOf('x')]), 4_000_000)
  t.equal(kept.get('a', 7), undefined, 'an older version that somebody asks about is not kept')
  t.equal(kept.get('a', 41)?.version, 41)
  for (let other = 0; other < 40; other++) kept.set(String(other), compile(2, [ruleOf('x')]), 4_000_000)
  t.equal(kept.size, 16)
})
