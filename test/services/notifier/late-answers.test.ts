/** Tests that an answer counts for the configuration of the channel that it was sent by. */
import t from 'tap'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { readChannel, updateChannel } from '../../../services/store/channels.ts'
import { tenantTransaction } from '../../../services/store/pool.ts'
import { until } from '../../harness/until.ts'
import { type Stand, stand } from '../api/stand.ts'
import { channel, isQuiet, notifier } from './channels.ts'
import { receiver } from './receiver.ts'

interface Health {
  health_state: string
  consecutive_failures: number
  consecutive_refusals: number
  dead_letters: number
}

const healthOf = async ({ systemPool }: Stand, channel_id: string): Promise<Health | undefined> => {
  const { rows } = await systemPool.query<Health>(
    'SELECT health_state, consecutive_failures, consecutive_refusals, dead_letters FROM notification_channels WHERE channel_id = $1',
    [channel_id]
  )
  return rows[0]
}

t.test('a late answer of the old address does not turn off a channel that was corrected', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  let refuse: (() => void) | null = null
  target.answers.set('/old', (response) => {
    refuse = () => void response.writeHead(410).end()
  })
  const corrected = await channel(s, s.acme, { config: { url: `${target.url}/old` } })
  target.answers.set('/gone', (response) => void response.writeHead(410).end())
  const other = await channel(s, s.acme, { config: { url: `${target.url}/gone` } })
  notifier(t, s)
  await s.incident(s.acme)
  await until('the request to the old address', () => refuse !== null)
  await s.systemPool.query(
    "UPDATE notification_channels SET config = jsonb_set(config, '{url}', to_jsonb($2::text)) WHERE channel_id = $1",
    [corrected, `${target.url}/new`]
  )
  ;(refuse as (() => void) | null)?.()
  await until('both to be refused', () => isQuiet(s))
  t.equal((await healthOf(s, other))?.health_state, 'disabled')
  t.match(await healthOf(s, corrected), { health_state: 'ok', consecutive_failures: 0 })
  await s.incident(s.acme, { dedup_key: 'int:x:2' })
  await until('the next message', () => target.received.some(({ path }) => path === '/new'))
})

t.test('failures and refusals of an earlier configuration do not count for the next one', async (t) => {
  const s = await stand(t)
  const id = await channel(s, s.acme, { config: { url: 'https://hooks.example.test/a' } })
  await s.systemPool.query(
    `UPDATE notification_channels SET health_state = 'failing', consecutive_failures = 5, consecutive_refusals = 2, dead_letters = 9, dead_since = now()
      WHERE channel_id = $1`,
    [id]
  )
  const { tenant_id } = s.acme
  const change = (url: string) =>
    tenantTransaction(s.tenantPool, wholeWorkspace(tenant_id), async (tx) => {
      const before = await readChannel(tx, tenant_id, id)
      if (!before) throw new Error('there is no channel')
      await updateChannel(tx, tenant_id, id, { ...before, name: 'other', config: { url } }, null)
    })
  const counted = { health_state: 'failing', consecutive_failures: 5, consecutive_refusals: 2, dead_letters: 9 }
  await change('https://hooks.example.test/a')
  t.match(await healthOf(s, id), counted, 'another name changes nothing')
  await change('https://hooks.example.test/b')
  t.match(await healthOf(s, id), { health_state: 'ok', consecutive_failures: 0, consecutive_refusals: 0, dead_letters: 0 })
})

t.test('a refusal counts after those that another notifier records at the same moment', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  target.answers.set('/hook', (response) => void response.writeHead(403).end())
  const id = await channel(s, s.acme, { config: { url: `${target.url}/hook` } })
  const holder = await s.systemPool.connect()
  await holder.query('BEGIN')
  await holder.query('UPDATE notification_channels SET consecutive_refusals = 2, consecutive_failures = 2 WHERE channel_id = $1', [id])
  notifier(t, s)
  await s.incident(s.acme)
  const waiting = 'SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE a.datname = current_database() AND NOT l.granted'
  await until('the outcome to wait', async () => (await s.systemPool.query(waiting)).rowCount === 1)
  await holder.query('COMMIT')
  holder.release()
  await until('the third refusal', async () => (await healthOf(s, id))?.consecutive_refusals === 3)
  t.match(await healthOf(s, id), { health_state: 'disabled', consecutive_refusals: 3 })
})
