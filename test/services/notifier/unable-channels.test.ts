/** Tests of steps of an escalation policy whose only channel cannot send. */
import t from 'tap'
import { planOf } from '../../../schemas/plans.ts'
import { type Stand, stand, type Workspace } from '../api/stand.ts'
import { channel } from './channels.ts'
import { asDefault, intents, method, policy, step, stepped, worker } from './escalating.ts'

interface Case {
  what: string
  kind: string
  config: Record<string, unknown>
  unable(s: Stand, home: Workspace, channel_id: string): Promise<unknown>
  /** Null: it can send. */
  why: string | null
}

const change = (s: Stand, channel_id: string, set: string): Promise<unknown> =>
  s.systemPool.query(`UPDATE notification_channels SET ${set} WHERE channel_id = $1`, [channel_id])

const usedUp = (s: Stand, { tenant_id }: Workspace): Promise<unknown> =>
  s.systemPool.query(
    "INSERT INTO phone_usage (tenant_id, month, messages) VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC'), $2)",
    [tenant_id, planOf('pro').limits.sms_voice_per_month]
  )

const mail = { kind: 'email', config: { recipient: 'ops@example.test' } }
const webhook = { kind: 'webhook', config: { url: 'https://hooks.example.test/a' } }
const cases: Case[] = [
  {
    what: 'an address that is not confirmed',
    ...mail,
    unable: (s, _home, id) => change(s, id, 'verified_at = NULL'),
    why: 'unverified'
  },
  { what: 'a used up plan', kind: 'sms', config: { number: '+15005550006' }, unable: usedUp, why: 'quota' },
  {
    what: 'a used up month of the vendor',
    ...webhook,
    unable: (s, _home, id) => change(s, id, "quota_exhausted_until = now() + interval '25 hours'"),
    why: 'quota'
  },
  {
    what: 'a quota that ends in time',
    ...webhook,
    unable: (s, _home, id) => change(s, id, "verified_at = NULL, quota_exhausted_until = now() + interval '23 hours'"),
    why: null
  }
]

t.test('a step whose only channel cannot send asks owners and admins at once', async (t) => {
  const s = await stand(t)
  worker(t, s)
  for (const { what, kind, config, unable, why } of cases)
    await t.test(what, async (t) => {
      const home = await s.workspace(what.replaceAll(' ', '-'), 'pro')
      await method(s, home, home.user_id)
      const id = await channel(s, home, { kind, config, is_default: false })
      await unable(s, home, id)
      const target = { type: 'channel', id, urgency: 'default' } as const
      const policy_id = await policy(s, home, { steps: [step([target], { on_empty: 'fallback' })] })
      await asDefault(s, home, policy_id)
      const shown = (await s.call(home, 'GET', `/api/v1/on-call/escalation-policies/${policy_id}`)).json()
      t.same(
        shown.warnings.map(({ code }: { code: string }) => code),
        why === null ? [] : ['reaches_nobody']
      )
      const { incident_id } = await s.incident(home)
      t.same(
        (await stepped(s, incident_id, 1)).map(({ outcome, asked }) => ({ outcome, asked })),
        [{ outcome: 'fired', asked: why === null ? [] : [home.user_id] }]
      )
      t.same(
        (await intents(s, incident_id)).filter(({ user_id }) => user_id === null).map(({ suppressed_by }) => suppressed_by),
        [why]
      )
    })
})
