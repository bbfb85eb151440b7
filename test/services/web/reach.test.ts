/**
 * Tests of "Your notifications": what the person sets here does not undo what was set or added
 * elsewhere since the page was read.
 */
import { QueryClient } from '@tanstack/react-query'
import t from 'tap'
import type { Preferences } from '../../../services/web/api/shapes.ts'
import { pushSettings } from '../../harness/push-vendors.ts'
import { as, person } from '../api/people.ts'
import { stand } from '../api/stand.ts'
import { answerWith } from './own-client.ts'

const PATH = '/api/v1/notifications/preferences'
const quiet_hours = { time_zone: 'Europe/Berlin', days: ['mon' as const], from: '22:00', to: '07:00' }

t.test('a change of the form takes only what the person changed, over what is newest', async (t) => {
  const { changeOf } = await import('../../../services/web/pages/reach/methods.ts')
  const rule = (method_id: string) => ({ method_id, delay_seconds: 0 })
  const method = (id: string) => ({ id, kind: 'email' as const, address: `${id}@example.test`, verified_at: null, position: 0 })
  const before = {
    rules: { default: [rule('a')], high: [] },
    quiet_hours: null,
    digest: { every: 'none' as const, at: '09:00' },
    shift_reminders_minutes: [15],
    handoff_summary: true
  }
  const now = { contact_methods: [method('a'), method('b')], rules: { default: [rule('a')], high: [rule('b')] } } as Preferences
  t.same(changeOf(before, before, now), {})
  const digest = { every: 'daily' as const, at: '08:00' }
  t.same(changeOf(before, { ...before, digest }, now), { digest }, 'rules that were set elsewhere stay')
  const values = { ...before, rules: { ...before.rules, default: [rule('b'), rule('gone'), rule('a')] } }
  t.same(changeOf(before, values, now), { rules: { default: [rule('b'), rule('a')], high: [rule('b')] } }, 'each order by itself')
  t.same(changeOf(before, values, { ...now, contact_methods: [] }), { rules: { default: [], high: [] } })
})

t.test('what was added or set elsewhere since the page was read stays', async (t) => {
  const s = await stand(t, { config: pushSettings })
  const jo = await person(s, s.acme, 'jo-page', 'responder')
  /** Done by somebody else just before the next PUT arrives. */
  let between: (() => Promise<unknown>) | null = null
  answerWith(async (request) => {
    const { pathname } = new URL(request.url)
    const text = await request.text()
    if (request.method === 'PUT') {
      const first = between
      between = null
      await first?.()
    }
    const tag = request.headers.get('if-match')
    const answer = await s.call(null, request.method, pathname, text === '' ? undefined : JSON.parse(text), {
      headers: { cookie: jo.cookie, origin: s.services.config.publicUrl, ...(tag !== null && { 'if-match': tag }) }
    })
    return new Response(answer.body, { status: answer.statusCode })
  })
  const { changePreferences, preferencesQuery } = await import('../../../services/web/api/reach.ts')
  const { kept } = await import('../../../services/web/pages/reach/methods.ts')
  const read = async (): Promise<Preferences> => (await as(s, jo, 'GET', PATH)).json()
  const kinds = async () => (await read()).contact_methods.map(({ kind }) => kind)
  const queries = new QueryClient()
  t.teardown(() => queries.clear())
  const device = { platform: 'ios', push_token: 'c0ffee'.repeat(11) }
  const add = (address: string) =>
    changePreferences(queries, ({ contact_methods }) => ({
      contact_methods: [...contact_methods.flatMap(kept), { kind: 'email', address }]
    }))

  await queries.fetchQuery(preferencesQuery)
  t.equal((await as(s, jo, 'POST', '/api/v1/notifications/devices', device)).statusCode, 201)
  await add('one@example.test')
  t.same(await kinds(), ['email', 'push', 'email'], 'a phone that registered after the page was read')

  const other = { ...device, push_token: 'decade'.repeat(11) }
  between = () => as(s, jo, 'POST', '/api/v1/notifications/devices', other)
  await add('two@example.test')
  t.same(await kinds(), ['email', 'push', 'email', 'push', 'email'], 'a phone that registered while the page was saving')

  between = () => as(s, jo, 'PUT', PATH, { quiet_hours, handoff_summary: false })
  const saved = await changePreferences(queries, () => ({ digest: { every: 'daily', at: '08:00' } }))
  t.match(await read(), { quiet_hours, handoff_summary: false, digest: { every: 'daily', at: '08:00' } })
  t.match(queries.getQueryData(preferencesQuery.queryKey), { version: saved.version }, 'the page shows what was saved')

  // Somebody who changes it each time has the last word, and the person is told.
  const again = async (): Promise<void> => {
    await as(s, jo, 'PUT', PATH, {})
    between = again
  }
  between = again
  await t.rejects(add('three@example.test'), { code: 'VERSION_MISMATCH' })
})
