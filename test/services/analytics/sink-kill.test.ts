/**
 * A real process with its own engine is killed with SIGKILL at each named point. The next process
 * finishes the batches that it had announced, and every row is there once.
 */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import type { TopicName } from '../../../schemas/topics.ts'
import { crashPoints } from '../../../streams/runtime/crash-point.ts'
import { engines } from '../../harness/engines.ts'
import { loaderOf, moduleUrl } from '../../harness/modules.ts'
import type { Orders } from './fixture/sink.ts'
import { content, exactlyOnce, GROUP, type Ledger, scene } from './scene.ts'
import { ownEngine, ownFolder } from './stand.ts'

t.setTimeout(170_000)

const topics: readonly TopicName[] = ['checks.results.v1', 'incident.events.v1']

t.test('after kill -9 at each point, every row is there exactly once', async (t) => {
  const path = ownFolder(t)
  const at = await scene(t, topics)
  const orders: Orders = { brokers: engines().kafkaBrokers, topicPrefix: at.prefix, group: GROUP, topics, path }
  const ledgers: Ledger[] = []
  for (const point of crashPoints.filter((name) => name.startsWith('sink.'))) {
    const ledger = content(topics)
    ledgers.push(ledger)
    await at.append(ledger.records)
    const child = spawn(process.execPath, [...loaderOf(import.meta.url), fileURLToPath(moduleUrl('fixture/sink.ts', import.meta.url))], {
      env: { ...process.env, ORDERS: JSON.stringify(orders), FAIL_AT: point },
      stdio: ['ignore', 'ignore', 'inherit']
    })
    t.teardown(() => child.kill('SIGKILL'))
    const ended = await new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
    t.equal(ended, 'SIGKILL', point)
  }
  // Opened only now: only one process at a time can have the folder open.
  const engine = await ownEngine(t, path)
  const sink = await at.run(engine)
  await at.drained(sink)
  for (const ledger of ledgers) await exactlyOnce(t, engine, ledger)
  t.equal(await at.announced(), 0)
})
