/**
 * Tests that every type of feed item has a writer, and that an event told twice makes one item. The
 * test uses the door or sweep that causes the item, or else the module that the cause will call.
 */
import t from 'tap'
import { type FeedType, feedTypes } from '../../../schemas/http/feed.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { tellCertificates } from '../../../services/notifier/certificates.ts'
import { announce, announcementOf } from '../../../services/operator/announce.ts'
import { createLog } from '../../../services/process/log.ts'
import { writeEffects } from '../../../services/store/effects.ts'
import { countPhones } from '../../../services/store/phones.ts'
import { tenantTransaction, transaction } from '../../../services/store/pool.ts'
import type { FeedNotice } from '../../../streams/define.ts'
import { billingNotice, massOutageNotice, planNotice } from '../../../streams/reach/feed-notices.ts'
import { localCodec } from '../../harness/codec.ts'
import { until } from '../../harness/until.ts'
import { as, person } from '../api/people.ts'
import { makeProber, makeRegions } from '../api/probing.ts'
import { stand, type Workspace } from '../api/stand.ts'
import { worker } from './escalating.ts'

const codec = localCodec()
const log = createLog('test', 'silent')
const written = new Set<FeedType>()

t.test('writers of feed items', async (t) => {
  const s = await stand(t, { jobs: true })
  const items = async ({ user_id }: { user_id: string }, { tenant_id }: Workspace) =>
    (
      await s.systemPool.query<{ type: FeedType; title: string; severity: string; monitor_id: string | null }>(
        'SELECT type, title, severity, monitor_id FROM feed WHERE tenant_id = $1 AND user_id = $2 ORDER BY created_at, title',
        [tenant_id, user_id]
      )
    ).rows
  /** Waits for so many items of a type; one more fails. */
  const told = async (who: Workspace, type: FeedType, count = 1) => {
    const found = await until(`${count} of ${type}`, async () => {
      const some = (await items(who, who)).filter((one) => one.type === type)
      return some.length >= count && some
    })
    if (found.length === count) written.add(type)
    return found
  }
  const idle = (kind: string) =>
    until(`no ${kind}`, async () => (await s.systemPool.query('SELECT FROM jobs WHERE kind = $1', [kind])).rowCount === 0)

  await t.test('incidents and recoveries, of monitors and of other sources, write one item each', async (t) => {
    const home = await s.workspace('incidents')
    const other = await s.incident(home)
    const watched = await s.incident(home)
    await s.systemPool.query("UPDATE incidents SET source_kind = 'monitor' WHERE incident_id = $1", [watched.incident_id])
    worker(t, s)
    await told(home, 'incident')
    await told(home, 'down')
    for (const { incident_id } of [other, watched])
      await s.call(home, 'POST', `/api/v1/incidents/${incident_id}/resolve`, { note: 'Done.' })
    await told(home, 'recovered')
    await told(home, 'up')
    await idle('incident_notify')
    t.equal((await items(home, home)).length, 4)
  })
  worker(t, s)

  await t.test('limit: a reached plan limit is reported once, and not to a viewer', async (t) => {
    const home = await s.workspace('limit', 'free')
    const viewer = await person(s, home, 'viewer-limit', 'viewer')
    const team = (n: number) => s.call(home, 'POST', '/api/v1/teams', { name: `Team ${n}` })
    let refused = 0
    for (let n = 0; n < 20 && refused < 3; n++) if ((await team(n)).json().code === 'TIER_LIMIT_EXCEEDED') refused += 1
    t.equal(refused, 3)
    t.match(await told(home, 'limit'), [{ title: 'The limit of teams is reached', severity: 'warning' }])
    await idle('feed_notice')
    t.equal((await items(home, home)).length, 1)
    t.same(await items(viewer, home), [])
  })

  await t.test('usage: text messages and calls are reported at 80 % and at 100 %, once each', async (t) => {
    const home = await s.workspace('usage', 'pro')
    const count = (n: number) =>
      tenantTransaction(s.systemPool, wholeWorkspace(home.tenant_id), (tx) => countPhones(tx, Array(n).fill(home.tenant_id)))
    await count(39)
    await idle('feed_notice')
    t.same(await items(home, home), [])
    await count(1)
    t.match(await told(home, 'usage'), [{ severity: 'warning' }])
    await count(1)
    await count(9)
    t.match(await told(home, 'usage', 2), [{ severity: 'warning' }, { severity: 'critical' }])
    await count(5)
    await idle('feed_notice')
    t.equal((await items(home, home)).length, 2)
  })

  await t.test('ssl_expiry: an expiring certificate is reported once', async (t) => {
    await makeRegions(s)
    for (const region of ['eu-west', 'us-east', 'ap-south', 'sa-east']) await (await makeProber(s, region)).hello()
    const home = await s.workspace('ssl')
    const answer = await s.call(home, 'POST', '/api/v1/monitors', { name: 'shop', type: 'http', target: 'https://shop.example.com/' })
    t.equal(answer.statusCode, 201, answer.body)
    const { id } = answer.json()
    const sees = async (days: number) => {
      const state = { tenant_id: home.tenant_id, monitor_id: id, certificate_not_after: Date.now() + days * 86_400_000 }
      await s.systemPool.query(
        `INSERT INTO partition_state (processor, partition, key, state) VALUES ('status', 0, $1, $2)
         ON CONFLICT (processor, partition, key) DO UPDATE SET state = excluded.state`,
        [id, JSON.stringify(state)]
      )
    }
    await sees(40)
    t.equal(await tellCertificates(s.systemPool, codec, log), 0)
    await sees(20.5)
    t.equal(await tellCertificates(s.systemPool, codec, log), 1)
    t.equal(await tellCertificates(s.systemPool, codec, log), 0, 'it is told')
    t.match(await told(home, 'ssl_expiry'), [{ title: 'The certificate of shop expires in 20 days', monitor_id: id }])
    await s.systemPool.query('DELETE FROM certificate_tellings')
    t.equal(await tellCertificates(s.systemPool, codec, log), 1)
    t.equal((await items(home, home)).length, 1, 'what tells it again makes no second item')
  })

  await t.test('admin, broadcast, announcement: the operator reaches one workspace or all, once', async (t) => {
    const home = await s.workspace('platform')
    const viewer = await person(s, home, 'viewer-platform', 'viewer')
    const word = (type: string, ...more: string[]) => announcementOf(['--type', type, '--title', `Hear ${type}`, ...more])
    for (const type of ['admin', 'broadcast', 'announcement'] as const) {
      const wanted = word(type, ...(type === 'broadcast' ? [] : ['--workspace', home.tenant_id]))
      const count = await announce(s.systemPool, codec, wanted)
      t.ok(type === 'broadcast' ? count >= 6 : count === 1)
      await announce(s.systemPool, codec, wanted)
      t.equal((await told(home, type)).length, 1, 'the same id tells nobody twice')
    }
    t.same((await items(viewer, home)).map(({ type }) => type).sort(), ['announcement', 'broadcast'])
    t.equal((await items(s.globex, s.globex)).filter(({ type }) => type === 'broadcast').length, 1)
    t.match((await as(s, viewer, 'GET', '/api/v1/notifications/feed?category=admin')).json(), { total: 2 })
    for (const words of [
      ['--type', 'news', '--title', 'x'],
      ['--type', 'admin'],
      ['--type', 'admin', '--title', 'x', '--severity', 'bad'],
      ['--title', 'x', '--loud']
    ])
      t.throws(() => announcementOf(words), { name: 'UsageError' }, words.join(' '))
    await t.rejects(announce(s.systemPool, codec, word('admin', '--workspace', 'nowhere')), /no workspace nowhere/)
  })

  await t.test('mass_outage, plan, billing: a notice written twice makes one item', async (t) => {
    const home = await s.workspace('later')
    const { tenant_id } = home
    const at = Date.now()
    const about = { team_id: null, visibility: 'org' } as const
    const notices: FeedNotice[] = [
      massOutageNotice({ tenant_id, incident_id: tenant_id, about, title: 'Much is down', summary: null, at }),
      planNotice({ tenant_id, change_id: 'one', from: 'free', to: 'pro', at }),
      billingNotice({ tenant_id, event_id: 'one', payment: 'failed', detail: '', at })
    ]
    for (let again = 0; again < 2; again++) await transaction(s.systemPool, (tx) => writeEffects(tx, { feed: notices }, codec))
    for (const type of ['mass_outage', 'plan', 'billing'] as const) await told(home, type)
    t.equal((await items(home, home)).length, 3)
  })

  t.same(
    feedTypes.filter((type) => !written.has(type)),
    [],
    'every type has a writer'
  )
})
