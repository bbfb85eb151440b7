/** Deliveries a second from the durable queue: the notifier, and graphile-worker for comparison. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createPool } from '../../services/store/pool.ts'
import { localCodec } from '../harness/codec.ts'
import { until } from '../harness/until.ts'
import { figure, median } from './figures.ts'
import { cpuSeconds, treeCpuSeconds } from './processes.ts'
import { stand } from './stand.ts'
import { due, hear, notifierSettings, queueDeliveries, type Told, told } from './told.ts'

const WORKSPACES = 8
const CHANNELS = 8
const JOBS_AT_ONCE = 64
const TARGET = 1.5
const TARGET_RATE = 2000

/** Size of a webhook body that the product sends. */
const BODY_BYTES = 1200

async function graphile(url: string): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('peers/graphile-worker.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import=tsx', program, url, String(JOBS_AT_ONCE)], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return child
}

export async function rate({ rounds, count, relay }: { rounds: number; count: number; relay: boolean }): Promise<void> {
  const bench = await stand(relay ? ['notification.deliveries.v1', 'incident.events.v1', 'incident.state.v1'] : [])
  const owner = createPool(bench.ownerUrl, { application_name: 'bench owner', max: 2 })
  const hearing = await hear()
  const peer = await graphile(bench.ownerUrl)
  try {
    const workspaces: Told[] = []
    for (let nth = 0; nth < WORKSPACES; nth++) workspaces.push(await told(bench.pool, `rate-${nth}`, hearing.url, CHANNELS))
    const notifier = await bench.role(['notifier'], notifierSettings)
    if (relay) await bench.role(['relay'])

    const spent = (pid: number): number => cpuSeconds(pid) + treeCpuSeconds(bench.postgresPid)
    /**
     * Deliveries a second, and CPU seconds of the sender and of Postgres, for the deliveries that
     * `start` triggers.
     */
    async function measured(pid: number, start: () => Promise<void>): Promise<{ rate: number; cpu: number }> {
      let heard = 0
      let [first, last, cpu] = [0, 0, 0]
      hearing.onHeard((_path, _body, at) => {
        heard += 1
        if (heard === 1) {
          first = at
          cpu = spent(pid)
        }
        last = at
      })
      await start()
      await until(`${count} to be heard`, () => heard >= count, 60_000)
      return { rate: ((count - 1) * 1000) / (last - first), cpu: spent(pid) - cpu }
    }
    const ours = (): Promise<{ rate: number; cpu: number }> =>
      measured(notifier.pid, async () => {
        for (const workspace of workspaces) await queueDeliveries(bench.pool, workspace, Math.ceil(count / WORKSPACES), localCodec())
        await due(bench.pool, workspaces)
      })
    const body = 'x'.repeat(BODY_BYTES)
    const theirs = (): Promise<{ rate: number; cpu: number }> =>
      measured(peer.pid ?? 0, async () => {
        const headers = { 'content-type': 'application/json' }
        await owner.query(
          `SELECT graphile_worker.add_jobs(ARRAY(SELECT ROW('post', json_build_object('url', $1::text || '/peer/' || n, 'headers', $2::json, 'body', $3::text), NULL, now(), NULL, NULL, NULL, NULL)::graphile_worker.job_spec
             FROM generate_series(1, $4::int) n))`,
          [hearing.url, JSON.stringify(headers), body, count]
        )
      })
    const [own, others]: [number[], number[]] = [[], []]
    await ours()
    await theirs()
    for (let nth = 0; nth < rounds; nth++)
      for (const isOurs of nth % 2 === 0 ? [true, false] : [false, true]) {
        const { rate, cpu } = await (isOurs ? ours() : theirs())
        console.log(
          `  ${isOurs ? 'notifier' : 'graphile-worker'}: ${rate.toFixed(0)}/s, ${((cpu * 1e6) / count).toFixed(0)} us of CPU each`
        )
        ;(isOurs ? own : others).push(rate)
        await until('the outbox to be empty', async () => {
          if (!relay) await owner.query('TRUNCATE outbox')
          return (await owner.query('SELECT FROM outbox LIMIT 1')).rowCount === 0
        })
      }
    figure({
      id: 'B14',
      value: median(own),
      unit: 'deliveries/s',
      peer: { name: 'graphile-worker', value: median(others) },
      target: { op: '>=', value: TARGET }
    })
    figure({ id: 'B14_RATE', value: median(own), unit: 'deliveries/s', target: { op: '>=', value: TARGET_RATE } })
  } finally {
    peer.stdin?.end()
    hearing.close()
    await owner.end()
    await bench.stop()
  }
}
