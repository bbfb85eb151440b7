/**
 * The commands that the page of a heartbeat shows are run against a receiver, which writes down how
 * they ping.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import type { ways } from '../../../services/web/pages/heartbeats/search.ts'
import { type Snippet, snippetsOf } from '../../../services/web/pages/heartbeats/snippets.ts'

type WayName = (typeof ways)[number]
const METHODS = ['GET', 'HEAD', 'POST']
const subsets = Array.from({ length: 7 }, (_, nth) => METHODS.filter((_method, bit) => ((nth + 1) >> bit) & 1))

interface Ping {
  method: string
  /** Behind the address of the heartbeat. */
  path: string
  body: string
}

async function stand(t: Test) {
  const pings: Ping[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const path = (request.url ?? '').replace('/ping/x', '').replace(/\?rid=.*/, '')
    pings.push({ method: request.method ?? '', path, body: Buffer.concat(parts).toString() })
    response.end('OK')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const folder = mkdtempSync(join(tmpdir(), 'snippets-'))
  t.teardown(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })
  const ping_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ping/x`
  return {
    snippets: (way: WayName, allowed_methods: readonly string[]): Snippet[] =>
      snippetsOf(way, {
        name: 'Copy',
        slug: 'copy',
        ping_url,
        schedule: { kind: 'period', period_seconds: 3600 },
        allowed_methods
      }),
    /** Runs a program from a file, and returns its exit code and the pings that it made. */
    async run(program: string, text: string, ...args: string[]): Promise<{ code: number | null; pings: Ping[] }> {
      pings.length = 0
      const file = join(folder, 'snippet')
      writeFileSync(file, text)
      const child = spawn(program, [file, ...args], { stdio: 'ignore', env: { ...process.env, PING_URL: ping_url, no_proxy: '*' } })
      const [code] = (await once(child, 'close')) as [number | null]
      return { code, pings: [...pings] }
    }
  }
}

const textOf = (snippets: readonly Snippet[], nth = 0): string => snippets[nth]?.text ?? ''

t.test('a heartbeat gets only pings by the methods that it accepts', async (t) => {
  const { snippets, run } = await stand(t)
  for (const allowed of subsets) {
    const name = allowed.join(' and ')
    const job = parse(textOf(snippets('kubernetes', allowed))) as {
      spec: { jobTemplate: { spec: { template: { spec: { containers: { command: string[] }[] } } } } }
    }
    const command = job.spec.jobTemplate.spec.template.spec.containers[0]?.command[2] ?? ''
    const python = textOf(snippets('python', allowed))
    const curl = snippets('curl', allowed)
    const runs: [what: string, program: string, text: string, args: string[], paths: string[]][] = [
      ['curl', 'sh', textOf(curl), [], ['']],
      ['other curls', 'sh', textOf(curl, 1), [], ['/start', '/fail', '/3', ...(allowed.includes('POST') ? [''] : []), '/log']],
      ['script', 'sh', textOf(snippets('script', allowed)), ['sh', '-c', 'echo done; exit 3'], ['/start', '/3']],
      ['kubernetes', 'sh', command.replace('/usr/local/bin/your-job', '(exit 3)'), [], ['/start', '/3']],
      ['python', 'python3', python, [], ['/start', '']],
      ['failing python', 'python3', python.replace('print("Your job")', 'raise ValueError("disk full")'), [], ['/start', '/fail']]
    ]
    for (const [what, program, text, args, paths] of runs) {
      const { pings } = await run(program, text, ...args)
      t.same(
        pings.map(({ path }) => path),
        paths,
        `${name}: ${what} pings`
      )
      t.same(
        pings.filter(({ method }) => !allowed.includes(method)),
        [],
        `${name}: ${what} uses no other method`
      )
    }
  }
})

t.test('a wrapped command ends as it did, and the end of its output is sent', async (t) => {
  const { snippets, run } = await stand(t)
  const { code, pings } = await run('sh', textOf(snippets('script', METHODS)), 'sh', '-c', 'echo done; exit 3')
  t.equal(code, 3)
  t.match(pings, [
    { method: 'GET', path: '/start' },
    { method: 'POST', path: '/3', body: 'done\n' }
  ])
})

t.test('the exit of a Python job tells how it ended', async (t) => {
  const { snippets, run } = await stand(t)
  const text = textOf(snippets('python', METHODS))
  for (const [job, code, path] of [
    ['sys.exit()', 0, '/0'],
    ['sys.exit(0)', 0, '/0'],
    ['sys.exit(3)', 3, '/3'],
    ['sys.exit("disk full")', 1, '/1'],
    ['raise ValueError("disk full")', 1, '/fail'],
    ['pass', 0, '']
  ] as const) {
    const ran = await run('python3', text.replace('print("Your job")', job))
    t.same([ran.code, ran.pings.map((ping) => ping.path)], [code, ['/start', path]], job)
  }
})

t.test('a service that does not answer delays a job by one attempt, and its end by less than systemd waits', async (t) => {
  const { snippets } = await stand(t)
  const service = textOf(snippets('systemd', METHODS))
  for (const text of [service, textOf(snippets('script', METHODS)), textOf(snippets('kubernetes', METHODS))]) {
    const curls = text.split('\n').filter((line) => line.includes('curl -fsS'))
    t.equal(curls.length, 2)
    t.match(curls[0], /-m 10 -o/)
    t.match(curls[1], /-m 10 --retry 5 --retry-max-time 30 /)
  }
})
