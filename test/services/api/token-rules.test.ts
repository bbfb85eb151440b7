/** Tables of the rules alone: who may create, change, rotate and revoke whose token. */
import t from 'tap'
import { type MemberRole, roles, type Scope, scopes } from '../../../schemas/http/endpoints.ts'
import { rightsOf, scopesOfRole } from '../../../schemas/http/rights.ts'
import {
  type Asker,
  type Bounds,
  type OwnedToken,
  refusedRevocation,
  refusedRotation,
  refusedToken,
  refusedTokenChange
} from '../../../services/api/tokens/rules.ts'
import { areWithin } from '../../../services/http/networks.ts'

const managers = ['owner', 'admin'] as const
const free: Bounds = { scopes: ['admin'], expires_at: null, allowed_cidrs: [] }
const bound: Bounds = { scopes: ['admin'], expires_at: 1000, allowed_cidrs: ['192.0.2.0/24', '2001:db8::/32'] }

const asker = (role: MemberRole, bounds: Bounds | null = null): Asker => ({ user_id: 'asker', role, bounds })
const tokenOf = (who: 'asker' | 'other', role: MemberRole, settings: Partial<OwnedToken['settings']> = {}): OwnedToken => ({
  owner: { user_id: who, role },
  settings: { name: 'script', scopes: ['read', 'write'], expires_at: 500, allowed_cidrs: ['192.0.2.0/25'], ...settings }
})

t.test('which roles may change, revoke or rotate whose token', async (t) => {
  for (const by of roles) {
    const may = by === 'owner' || by === 'admin'
    for (const bounds of [null, free]) {
      for (const owner of roles) {
        const high = owner === 'owner' ? by === 'owner' : may
        const token = tokenOf('other', owner)
        const narrowed = { ...token.settings, scopes: ['read'] }
        const name = `${by} and a token of ${owner}`
        t.equal(refusedRevocation(asker(by, bounds), token.owner) === null, high, `${name}: revoke`)
        t.equal(refusedTokenChange(asker(by, bounds), token, narrowed) === null, high, `${name}: narrow`)
        t.match(refusedRotation(asker(by, bounds), token), { message: /Only the owner/ }, `${name}: rotate`)
      }
      const own = tokenOf('asker', by)
      t.equal(refusedRevocation(asker(by, bounds), own.owner) === null, may, `${by}: revoke their own`)
      t.equal(refusedRotation(asker(by, bounds), own) === null, may, `${by}: rotate their own`)
      t.equal(refusedToken(asker(by, bounds), { ...free, scopes: scopesOfRole[by].slice(0, 1) }) === null, may, `${by}: make one`)
    }
  }
})

//  another person's token is given            so that it has                                               refused for
const changes: [string, Partial<OwnedToken['settings']>, string | null][] = [
  ['nothing new', {}, null],
  ['less to do', { scopes: ['read'] }, null],
  ['more to do', { scopes: ['read', 'write', 'incidents:act'] }, 'scopes'],
  ['something else to do', { scopes: ['data:read'] }, 'scopes'],
  ['everything to do', { scopes: ['admin'] }, 'scopes'],
  ['an earlier end', { expires_at: 499 }, null],
  ['a later end', { expires_at: 501 }, 'expires_at'],
  ['no end', { expires_at: null }, 'expires_at'],
  ['a smaller network', { allowed_cidrs: ['192.0.2.0/26'] }, null],
  ['two smaller networks', { allowed_cidrs: ['192.0.2.0/26', '192.0.2.77'] }, null],
  ['a larger network', { allowed_cidrs: ['192.0.2.0/24'] }, 'allowed_cidrs'],
  ['one network more', { allowed_cidrs: ['192.0.2.0/25', '198.51.100.1'] }, 'allowed_cidrs'],
  ['no network any more', { allowed_cidrs: [] }, 'allowed_cidrs'],
  ['another name', { name: 'mine' }, 'name']
]
for (const [name, after, path] of changes) {
  t.test(`a change of another person's token: ${name}`, async (t) => {
    for (const by of managers) {
      const token = tokenOf('other', 'editor')
      t.equal(refusedTokenChange(asker(by), token, { ...token.settings, ...after })?.path ?? null, path, by)
    }
  })
}

t.test('a token with the scope admin can be narrowed only to scopes that its owner has', async (t) => {
  for (const owner of ['admin', 'editor', 'viewer'] as const) {
    const token = tokenOf('other', owner, { scopes: ['admin'] })
    const narrowed = scopes.filter((scope) => scope !== 'admin')
    t.same(
      narrowed.filter((scope) => refusedTokenChange(asker('admin'), token, { ...token.settings, scopes: [scope] }) === null),
      narrowed.filter((scope) => rightsOf(owner, null).has(scope)),
      owner
    )
  }
})

t.test('a token can get exactly the scopes that the role of its owner has', async (t) => {
  for (const role of managers) {
    for (const scope of scopes) {
      const may = scopesOfRole[role].includes(scope)
      t.equal(refusedToken(asker(role), { ...free, scopes: [scope] }) === null, may, `${role}: a new one with ${scope}`)
      const own = tokenOf('asker', role, { scopes: ['read'] })
      t.equal(refusedTokenChange(asker(role), own, { ...own.settings, scopes: [scope] }) === null, may, `${role}: one more: ${scope}`)
    }
  }
  const kept = tokenOf('asker', 'admin', { scopes: ['read', 'billing'] as Scope[] })
  t.equal(
    refusedTokenChange(asker('admin'), kept, { ...kept.settings, name: 'renamed' }),
    null,
    'what it had before a change of role may stay'
  )
})

//  a token that is bound asks for           with                                                             refused for
const grants: [string, Partial<Bounds>, string | null][] = [
  ['the same', {}, null],
  ['an earlier end', { expires_at: 999 }, null],
  ['a later end', { expires_at: 1001 }, 'expires_at'],
  ['no end', { expires_at: null }, 'expires_at'],
  ['a network within', { allowed_cidrs: ['192.0.2.9'] }, null],
  ['a network within the other', { allowed_cidrs: ['2001:db8:1::/48'] }, null],
  ['a network outside', { allowed_cidrs: ['192.0.3.0/24'] }, 'allowed_cidrs'],
  ['a network around', { allowed_cidrs: ['192.0.0.0/16'] }, 'allowed_cidrs'],
  ['any address', { allowed_cidrs: [] }, 'allowed_cidrs']
]
for (const [name, over, path] of grants) {
  t.test(`a limited token asks for a token with ${name}`, async (t) => {
    const wanted = { ...bound, ...over }
    const by = asker('admin', bound)
    t.equal(refusedToken(by, wanted)?.path ?? null, path, 'for a new token')
    const settings = { name: 'script', ...bound, scopes: ['read'] }
    const own: OwnedToken = { owner: by, settings }
    t.equal(refusedTokenChange(by, own, { ...settings, ...over })?.path ?? null, path, 'for its owner’s token')
    t.equal(
      refusedRotation(by, { owner: by, settings: { ...settings, ...over } }) !== null,
      path !== null,
      'for the value of one that has it'
    )
    t.equal(
      refusedTokenChange(by, { owner: by, settings: { ...settings, ...over } }, { ...settings, ...over, name: 'x' }),
      null,
      'it may stay'
    )
    t.equal(refusedTokenChange(asker('admin'), own, { ...settings, ...over }), null, 'a session is not bound')
  })
}

t.test('a token without the scope admin may not manage tokens', async (t) => {
  const by = asker('owner', { ...free, scopes: ['read', 'write'] })
  const own = tokenOf('asker', 'owner')
  t.match(refusedToken(by, { ...free, scopes: ['read'] }), { message: /may not do this/ })
  t.match(refusedTokenChange(by, own, own.settings), { message: /may not do this/ })
  t.match(refusedRotation(by, own), { message: /may not do this/ })
  t.match(refusedRevocation(by, own.owner), { message: /may not do this/ })
})

//  networks                                       within                                    so it is
const nested: [string[], string[], boolean][] = [
  [[], [], true],
  [['192.0.2.1'], [], true],
  [[], ['0.0.0.0/0'], false],
  [['192.0.2.1'], ['192.0.2.1'], true],
  [['192.0.2.1/32'], ['192.0.2.1'], true],
  [['192.0.2.0/24'], ['192.0.2.0/25', '192.0.2.128/25'], false],
  [['192.0.2.0/25'], ['192.0.2.0/24'], true],
  [['192.0.2.99/25'], ['192.0.2.1/24'], true],
  [['192.0.2.0/23'], ['192.0.2.0/24'], false],
  [['192.0.2.1', '203.0.113.1'], ['192.0.2.0/24', '203.0.113.0/24'], true],
  [['192.0.2.1', '198.51.100.1'], ['192.0.2.0/24'], false],
  [['192.0.2.1'], ['::/0'], false],
  [['::ffff:192.0.2.1'], ['192.0.2.0/24'], false],
  [['2001:db8::/48'], ['2001:db8::/32'], true],
  [['2001:db9::/48'], ['2001:db8::/32'], false],
  [['nonsense'], ['0.0.0.0/0'], false]
]
for (const [inner, outer, within] of nested) {
  t.test(`${inner.join() || 'any address'} within ${outer.join() || 'any address'}`, async (t) => {
    t.equal(areWithin(inner, outer), within)
  })
}
