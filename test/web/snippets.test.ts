/** The commands that a heartbeat's page shows: those that can run here do, against a server that writes down what came; the others are read by their own parsers. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { parse } from 'yaml'
import { snippets, type Watched } from '../../services/web/pages/heartbeats/snippets.ts'
import { program } from '../harness/debian.ts'

const run = promisify(execFile)

interface Ended {
  code: number
  stdout: string
}

/** Exit code and output, whatever the code. */
const ended = (file: string, words: string[], environment: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  run(file, words, { env: { ...process.env, ...environment } }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: Error & { code: number; stdout: string }) => ({ code: error.code, stdout: error.stdout })
  )

t.test('snippets', async (t) => {
  await program('curl', 'curl')
  const came: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    came.push(`${request.method} ${request.url?.replace(/rid=[0-9a-f-]{36}$/, 'rid=…')}${body === '' ? '' : ` ${body.trim()}`}`)
    response.end('OK')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const folder = mkdtempSync(join(tmpdir(), 'service-snippets-test-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const watched: Watched = {
    name: '100 % of the backup',
    slug: 'nightly_backup',
    ping_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ping`,
    schedule: { kind: 'cron', expression: '0 3 * * mon-fri', time_zone: 'Europe/Berlin' }
  }
  const textOf = (way: keyof typeof snippets, nth = 0): string => snippets[way].of(watched)[nth]?.text ?? ''
  const taken = (): string[] => came.splice(0)

  await t.test('curl', async (t) => {
    for (const nth of [0, 1]) await run('sh', ['-e', '-c', textOf('curl', nth)])
    t.same(taken(), [
      'GET /ping',
      'GET /ping/start',
      'GET /ping/fail',
      'GET /ping/3',
      'POST /ping 1204 files copied',
      'POST /ping/log still copying'
    ])
  })

  await t.test('a script around a command ends as the command did', async (t) => {
    const file = join(folder, 'watched')
    writeFileSync(file, textOf('script'), { mode: 0o755 })
    t.same(await ended(file, ['sh', '-c', 'echo copying; exit 3']), { code: 3, stdout: 'copying\n' })
    t.same(taken(), ['GET /ping/start?rid=…', 'POST /ping/3?rid=… copying'])
  })

  await t.test('crontab', async (t) => {
    const [comment = '', line = ''] = textOf('crontab').split('\n')
    t.match(comment, /^# .*Europe\/Berlin/)
    t.ok(line.startsWith('0 3 * * mon-fri /usr/local/bin/your-job && '))
    await run('sh', ['-e', '-c', line.slice('0 3 * * mon-fri '.length).replace('/usr/local/bin/your-job', 'true')])
    t.same(taken(), ['GET /ping'])
  })

  await t.test('systemd tells how the job ended', async (t) => {
    const unit = textOf('systemd')
    t.match(unit, 'Description=100 %% of the backup')
    const [, after = ''] = /^ExecStopPost=-\/bin\/sh -c '(.*)'$/ms.exec(unit) ?? []
    // As systemd reads it: a line that goes on, and a dollar written twice.
    const command = after.replace(/\\\n/g, ' ').replaceAll('$$', '$')
    await run('sh', ['-c', command], { env: { ...process.env, EXIT_CODE: 'exited', EXIT_STATUS: '4' } })
    await run('sh', ['-c', command], { env: { ...process.env, EXIT_CODE: 'killed', EXIT_STATUS: 'TERM' } })
    t.same(taken(), ['GET /ping/4', 'GET /ping/fail'])
    t.match(textOf('systemd', 1), 'OnCalendar=Mon,Tue,Wed,Thu,Fri *-*-* 03:00:00 Europe/Berlin')
  })

  await t.test('a CronJob of Kubernetes', async (t) => {
    const job = parse(textOf('kubernetes'))
    t.match(job, {
      kind: 'CronJob',
      metadata: { name: 'nightly-backup' },
      spec: { schedule: '0 3 * * mon-fri', timeZone: 'Europe/Berlin' }
    })
    const [{ command, env }] = job.spec.jobTemplate.spec.template.spec.containers
    t.same(env, [{ name: 'PING_URL', value: watched.ping_url }])
    const [shell, ...words] = command.map((word: string) => word.replace('/usr/local/bin/your-job', 'sh -c "exit 5"'))
    t.equal((await ended(shell, words, { PING_URL: watched.ping_url })).code, 5)
    t.same(taken(), ['GET /ping/start', 'GET /ping/5'])
  })

  await t.test('Python', async (t) => {
    const python = await program('python3', 'python3')
    t.match(await ended(python, ['-c', textOf('python')]), { code: 0, stdout: 'Your job\n' })
    t.same(taken(), ['GET /ping/start', 'GET /ping'])
    const failing = textOf('python').replace('print("Your job")', 'raise ValueError("no space left")')
    t.equal((await ended(python, ['-c', failing])).code, 1)
    t.match(taken(), ['GET /ping/start', /^POST \/ping\/fail ValueError\('no space left'\)$/])
  })

  t.test('every one has the address in it', async (t) => {
    for (const { label, of } of Object.values(snippets))
      t.ok(
        of(watched).some(({ text }) => text.includes(watched.ping_url)),
        label
      )
  })
})
