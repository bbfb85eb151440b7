/**
 * Tests of which budget a refused request takes from, and of who is throttled for wrong
 * credentials: only the sender, never the workspace, the owner of the account, or another client
 * behind the same address.
 */
import t from 'tap'
import { rates } from '../../../schemas/plans.ts'
import { mintApiToken, mintPassword } from '../../../services/credentials/credentials.ts'
import { anAddress, invite } from './people.ts'
import { makeProber, makeRegions } from './probing.ts'
import { login, ORIGIN, PASSWORD, type Stand, stand, type Workspace } from './stand.ts'

const TOKENS = '/api/v1/workspace/tokens'

/** The clock stands still, so that no bucket fills up again during a test. */
const frozen = () => stand(t, { now: () => 0 })

const logIn = (s: Stand, email: string, password: string, remoteAddress: string) =>
  s.call(null, 'POST', '/api/v1/auth/login', { email, password }, { remoteAddress })

const codeOf = (answer: { statusCode: number; json(): { code?: string } }): string | number => answer.json().code ?? answer.statusCode

t.test('a sender whose requests get 403 uses up only its own rate limit', async (t) => {
  const s = await frozen()
  const free = await s.workspace('free', 'free')
  const { key } = await s.incident(free)
  const scoped = async (wanted: object): Promise<string> => (await s.call(free, 'POST', TOKENS, { name: 'test', ...wanted })).json().token
  const reader = await scoped({ scopes: ['read'] })
  const elsewhere = await scoped({ scopes: ['admin'], allowed_cidrs: ['192.0.2.0/24'] })
  const { cookie } = await login(s, free.email)
  const json = { 'content-type': 'application/json' }
  const senders: [string, string, (path: string, remoteAddress?: string) => ReturnType<Stand['call']>][] = [
    ['a token that may only read', 'READ_ONLY_TOKEN', (path) => s.call(reader, 'POST', path, {})],
    ['a token from another network', 'IP_NOT_ALLOWED', (path) => s.call(elsewhere, 'POST', path, {})],
    [
      'a page of others',
      'ORIGIN_REJECTED',
      (path) => s.call(null, 'POST', path, {}, { headers: { ...json, cookie, origin: 'https://evil.example' } })
    ]
  ]
  for (const [name, code, send] of senders) {
    for (const path of [TOKENS, `/api/v1/incidents/${key}/acknowledge`]) {
      const codes = new Set<string | number>()
      for (let i = 0; i < 70; i++) codes.add(codeOf(await send(path)))
      t.same([...codes].sort(), [...codes].includes(code) ? [code, 'RATE_LIMITED'].sort() : ['RATE_LIMITED'], `${name}: ${path}`)
    }
    const last = await send(TOKENS)
    t.match(last.headers, { 'x-ratelimit-name': 'refused', 'retry-after': /^\d+$/ }, `${name}: bounded in a bucket of its own`)
  }
  t.equal((await s.call(free, 'POST', TOKENS, {})).statusCode, 422, 'the workspace may still write')
  t.equal((await s.call(free, 'POST', `/api/v1/incidents/${key}/acknowledge`)).statusCode, 200, 'and acknowledge')
  t.equal((await s.call(reader, 'GET', '/api/v1/workspace')).statusCode, 200, 'what the token may do, it still may')
  const here = await s.call(elsewhere, 'GET', '/api/v1/workspace', undefined, { remoteAddress: '192.0.2.7' })
  t.equal(here.statusCode, 200, 'and from its own network')
})

t.test('bad tokens from an address do not block valid credentials from it', async (t) => {
  const s = await frozen()
  await makeRegions(s)
  const remoteAddress = '10.4.1.1'
  const prober = await makeProber(s, 'eu-west')
  const { token: fresh } = (await s.call(s.acme, 'POST', TOKENS, { name: 'never used yet' })).json()
  const { cookie } = await login(s, s.acme.email)
  const ask = (token: string, path = '/api/v1/account') => s.call(token, 'GET', path, undefined, { remoteAddress })
  const codes: (string | number)[] = []
  for (let i = 0; i < 110; i++) codes.push(codeOf(await ask(mintApiToken().value)))
  t.same([...new Set(codes.slice(0, rates.public.burst))], ['UNAUTHENTICATED'])
  t.same([...new Set(codes.slice(rates.public.burst))], ['RATE_LIMITED'], 'guessing is bounded')
  t.equal((await ask(fresh)).statusCode, 200, 'a good token that nobody has used yet')
  t.equal((await ask(fresh)).statusCode, 200)
  const session = await s.call(null, 'GET', '/api/v1/auth/session', undefined, { remoteAddress, headers: { cookie } })
  t.equal(session.statusCode, 200, 'a session')
  const hello = { instance_id: 'eu-west-1', version: '1.0.0', kinds: ['http'], public_key: Buffer.alloc(32, 1).toString('base64') }
  const said = await s.call(prober.token, 'POST', '/api/v1/prober/hello', hello, { remoteAddress })
  t.equal(said.statusCode, 200, `a prober: ${said.body}`)
  t.equal(codeOf(await ask(mintApiToken().value)), 'RATE_LIMITED', 'and guessing still is')
  const crowd = await Promise.all(Array.from({ length: 300 }, () => ask(mintApiToken().value)))
  t.same([...new Set(crowd.map(codeOf))], ['RATE_LIMITED'], 'a crowd of guesses at once')
  t.equal((await ask(fresh)).statusCode, 200)
})

t.test('unknown invites are limited by address, and a valid one still works from it', async (t) => {
  const s = await frozen()
  const remoteAddress = '10.4.2.1'
  const accept = (token: string) =>
    s.call(null, 'POST', `/api/v1/invites/${token}/accept`, { name: 'Ada', password: PASSWORD }, { remoteAddress })
  const { token } = await invite(s, s.acme, 'ada@example.test', 'viewer')
  const codes: (string | number)[] = []
  for (let i = 0; i < 110; i++) codes.push(codeOf(await accept(`inv_${String(i).padStart(64, '0')}`)))
  t.same([...new Set(codes.slice(0, rates.public.burst))], ['NOT_FOUND'])
  t.same([...new Set(codes.slice(rates.public.burst))], ['RATE_LIMITED'])
  t.equal((await accept(token)).statusCode, 200)
})

t.test('rate limits of log-ins', async (t) => {
  const s = await frozen()
  const wrongFrom = async (email: string, remoteAddress: string, times: number): Promise<(string | number)[]> => {
    const codes: (string | number)[] = []
    for (let i = 0; i < times; i++) codes.push(codeOf(await logIn(s, email, mintPassword(), remoteAddress)))
    return codes
  }
  const five = Array(5).fill('INVALID_CREDENTIALS')

  await t.test('five wrong passwords block the guesser but not the owner at another address', async (t) => {
    const who = await s.workspace('guessed')
    t.same(await wrongFrom(who.email, '10.20.0.1', 6), [...five, 'RATE_LIMITED'])
    t.equal(codeOf(await logIn(s, who.email, PASSWORD, '10.20.0.1')), 'RATE_LIMITED', 'also when the sixth is right')
    t.equal((await logIn(s, who.email, PASSWORD, '10.20.0.2')).statusCode, 200, 'the owner logs in from elsewhere')
    t.equal((await logIn(s, s.globex.email, PASSWORD, '10.20.0.1')).statusCode, 200, 'and others from there')
  })

  await t.test('every spelling of an e-mail counts as one account, whether or not it exists', async (t) => {
    const spellings: [string, string[]][] = [
      ['a known one', [s.acme.email, s.acme.email.toUpperCase(), `  ${s.acme.email} `, 'Acme@Example.Test', 'aCME@example.test']],
      [
        'an unknown one',
        ['zo\u00eb@example.test', 'ZO\u00cb@example.test', 'zoe\u0308@example.test', ' Zo\u00eb@example.test', 'ZOE\u0308@EXAMPLE.test']
      ]
    ]
    for (const [n, [name, all]] of spellings.entries()) {
      const remoteAddress = `10.21.0.${n}`
      const codes: (string | number)[] = []
      for (const email of [...all, all[0] ?? '']) codes.push(codeOf(await logIn(s, email, 'wrong', remoteAddress)))
      t.same(codes, [...five, 'RATE_LIMITED'], name)
    }
  })

  await t.test('many addresses guessing at one account share a limit, and a known address still logs in', async (t) => {
    const who = await s.workspace('hunted')
    const home = '10.22.0.1'
    t.equal((await logIn(s, who.email, PASSWORD, home)).statusCode, 200)
    for (const spellings of [
      [who.email, ` ${who.email.toUpperCase()}`],
      ['n\u00f6body@example.test', 'NO\u0308BODY@example.test']
    ]) {
      const codes: (string | number)[] = []
      for (let i = 0; i < 40; i++) codes.push(codeOf(await logIn(s, spellings[i % 2] ?? '', mintPassword(), `10.23.${i}.1`)))
      const admitted = codes.filter((code) => code === 'INVALID_CREDENTIALS').length
      t.equal(admitted, rates.auth_account.burst, `${spellings[0]}: ${codes.join()}`)
      t.same([...new Set(codes.slice(admitted))], ['RATE_LIMITED'])
    }
    t.equal((await logIn(s, who.email, PASSWORD, home)).statusCode, 200, 'from where they logged in before')
    t.equal(codeOf(await logIn(s, who.email, mintPassword(), home)), 'INVALID_CREDENTIALS')
  })

  await t.test('an address guessing at many accounts is limited, but a known user still logs in', async (t) => {
    const office = '10.24.0.1'
    const who = await s.workspace('colleague')
    t.equal((await logIn(s, who.email, PASSWORD, office)).statusCode, 200)
    const codes: (string | number)[] = []
    for (let i = 0; i < 40; i++) codes.push(codeOf(await logIn(s, `${i}@spray.test`, 'wrong', office)))
    const admitted = codes.filter((code) => code === 'INVALID_CREDENTIALS').length
    t.equal(admitted, rates.auth_address.burst, codes.join())
    t.equal((await logIn(s, who.email, PASSWORD, office)).statusCode, 200)
    const v6 = new Set<string | number>()
    for (let i = 0; i < 40; i++) v6.add(codeOf(await logIn(s, `${i}@spray.test`, 'wrong', `2001:db8:0:1::${i.toString(16)}`)))
    t.ok(v6.has('RATE_LIMITED'), 'the addresses of one IPv6 network count as one')
  })

  await t.test('log-ins with the right password do not count as guesses', async (t) => {
    const who = await s.workspace('busy')
    for (let i = 0; i < 40; i++) t.equal((await logIn(s, who.email, PASSWORD, '10.25.0.1')).statusCode, 200)
    t.same(await wrongFrom(who.email, '10.25.0.1', 6), [...five, 'RATE_LIMITED'])
  })

  await t.test('wrong passwords at an invite or the account count against the log-in limit', async (t) => {
    const who: Workspace = await s.workspace('sideways')
    const { cookie } = await login(s, who.email)
    const { token } = await invite(s, s.acme, who.email, 'viewer')
    const at = anAddress()
    t.same(await wrongFrom(who.email, at, 3), five.slice(0, 3))
    const accept = await s.call(null, 'POST', `/api/v1/invites/${token}/accept`, { password: 'wrong' }, { remoteAddress: at })
    t.equal(codeOf(accept), 'INVALID_CREDENTIALS')
    const change = () =>
      s.call(
        null,
        'PATCH',
        '/api/v1/account',
        { password: 'a new one for the account', current_password: 'wrong' },
        { headers: { cookie, origin: ORIGIN }, remoteAddress: at }
      )
    t.equal(codeOf(await change()), 'VALIDATION_FAILED')
    t.equal(codeOf(await change()), 'RATE_LIMITED')
    t.same(await wrongFrom(who.email, at, 1), ['RATE_LIMITED'])
  })
})
