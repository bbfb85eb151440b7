/**
 * What the local proxy costs: CPU of the api for a request that it passes on to a door, compared
 * with a bare pipe of Node's own modules, in ABBA order. The door is played by nginx, which answers
 * 202 to everything, so only the proxies differ. An alert is posted with a length and in chunks; a
 * ping is a GET without a body.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { program } from '../harness/debian.ts'
import { closedLoad, writeScript } from './closed-load.ts'
import { figure, median, printMachine } from './figures.ts'
import { nginx } from './peers/nginx.ts'
import type { Peer } from './peers/peer.ts'
import { pipe } from './peers/pipe.ts'
import { cpuSeconds } from './processes.ts'
import { stand } from './stand.ts'

const CONNECTIONS = 32
const ALERT_BYTES = 762
const PATH = '/api/v1/webhook/alertmanager'
/**
 * Multiple of the bare pipe's CPU: the api adds the router, the hooks of every request, its id and
 * its measurement.
 */
const TARGET = 2

const headers = { 'Content-Type': 'application/json', Authorization: `Bearer svc_${'a'.repeat(43)}`, 'User-Agent': 'Alertmanager/0.27' }
const alert = JSON.stringify({ status: 'firing', padding: 'x'.repeat(ALERT_BYTES - 32) })

/** Scripts for wrk, by figure. */
function scripts(folder: string): Map<string, string> {
  const files = new Map(['PROXY_POST', 'PROXY_CHUNKS', 'PROXY_PING'].map((id) => [id, join(folder, `${id}.lua`)]))
  const of = (id: string): string => files.get(id) ?? ''
  writeScript({ file: of('PROXY_POST'), path: PATH, headers, bodies: [alert] })
  writeScript({ file: of('PROXY_PING'), method: 'GET', path: '/ping/0198e000-0000-4000-8000-000000000000', headers: {}, bodies: [''] })
  const lines = [`POST ${PATH} HTTP/1.1`, 'Host: a', ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
  const whole = [...lines, 'Transfer-Encoding: chunked', '', alert.length.toString(16), alert, '0', '', ''].join('\r\n')
  // wrk cannot send chunks, so the request is written out in full.
  writeFileSync(
    of('PROXY_CHUNKS'),
    [
      `local whole = ${JSON.stringify(whole)}`,
      'function request() return whole end',
      'function done(summary, latency, requests) io.write(string.format("RESULT %d %d %d %d\\n", summary.requests, summary.errors.status, summary.duration, latency:percentile(99))) end'
    ].join('\n')
  )
  return files
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { pairs: { type: 'string', default: '5' }, secs: { type: 'string', default: '4' } } })
  const pairs = Number(values.pairs)
  const secs = Number(values.secs)
  await program('wrk', 'wrk')
  printMachine(
    `CPU (user + system, /proc) of the proxy alone per request; wrk closed loop, ${CONNECTIONS} connections; ${pairs} pairs of ${secs} s, order ABBA, 2 s of warm-up each; medians of per-pair ratios`
  )
  const folder = mkdtempSync(join(tmpdir(), 'service-proxy-test-'))
  const bench = await stand([])
  const peers: Peer[] = []
  try {
    const door = await nginx(folder)
    peers.push(door)
    const bare = await pipe(door.port)
    peers.push(bare)
    const role = await bench.role(['api'], {
      SERVICE_INTAKE_URL: `http://127.0.0.1:${door.port}`,
      SERVICE_SECRETS_KEY: '0123456789abcdef'.repeat(4)
    })
    const own = { name: 'api', port: role.ports[0] ?? 0, cpu: () => cpuSeconds(role.pid) }
    for (const [id, file] of scripts(folder)) {
      const round = async (one: Pick<Peer, 'name' | 'port' | 'cpu'>, seconds: number): Promise<number> => {
        const before = one.cpu()
        const { requests, refused } = await closedLoad(file, one.port, CONNECTIONS, seconds)
        if (refused > requests * 0.001) throw new Error(`${refused} of ${requests} requests to ${one.name} were refused`)
        return ((one.cpu() - before) * 1e6) / requests
      }
      const rounds: { ours: number; theirs: number }[] = []
      await round(own, 2)
      await round(bare, 2)
      for (let pair = 0; pair < pairs; pair++) {
        const first = await round(pair % 2 ? bare : own, secs)
        const second = await round(pair % 2 ? own : bare, secs)
        const one = pair % 2 ? { ours: second, theirs: first } : { ours: first, theirs: second }
        rounds.push(one)
        console.log(`  ${id}, pair ${pair + 1}: api ${one.ours.toFixed(1)} us, ${bare.name} ${one.theirs.toFixed(1)} us`)
      }
      const value = median(rounds.map(({ ours }) => ours))
      const ratio = median(rounds.map(({ ours, theirs }) => ours / theirs))
      figure({ id, value, unit: 'us/request', peer: { name: bare.name, value: value / ratio }, target: { op: '<=', value: TARGET } })
    }
  } finally {
    for (const peer of peers) await peer.stop()
    await bench.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
