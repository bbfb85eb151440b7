/**
 * The pipelines of the deployments guide: each is valid for its system, and its shell parts, run as
 * printed, open a window and end it with the outcome.
 */
import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { parse } from 'yaml'
import { projectRoot } from '../../schemas/files.ts'
import { create } from '../services/api/monitoring.ts'
import { type Stand, stand } from '../services/api/stand.ts'

const run = promisify(execFile)

/** Returns the code of a section, by its anchor. */
function snippet(anchor: string): string {
  const guide = readFileSync(join(projectRoot, 'docs/guides/deployments.md'), 'utf8')
  const code = /\n```\w+\n([\s\S]*?)\n```/.exec(guide.slice(guide.indexOf(`<a id="${anchor}">`)))?.[1]
  if (code === undefined) throw new Error(`the guide has no code at ${anchor}`)
  return code
}

interface Pipeline {
  name: string
  /** The scripts in order; the deployment happens between the first and the last. */
  scripts: string[]
  /** The environment that the CI system sets, for a deployment that succeeds or fails. */
  environment(folder: string, ok: boolean): Record<string, string>
  /** A person's script runs in a plain shell. CI systems run theirs with `-e`. */
  plainShell?: true
  /** A file that each script sources. */
  sources?: string
}

const github = parse(snippet('github-actions'))
const gitlab = parse(snippet('gitlab-ci'))
const circle = parse(snippet('circleci'))
const jenkins = snippet('jenkins')

const SHA = 'abcdef0123456789abcdef0123456789abcdef01'
const runsOf = (steps: ({ run?: string | { command: string } } | string)[]): string[] =>
  steps.flatMap((step) =>
    typeof step === 'string' || step.run === undefined ? [] : [typeof step.run === 'string' ? step.run : step.run.command]
  )

/** A Groovy literal, as its shell receives it. */
const groovy = (text: string): string => text.replaceAll('\\\n', '').replaceAll('\\\\', '\\')

const pipelines: Pipeline[] = [
  { name: 'shell', scripts: [snippet('shell')], environment: () => ({}), plainShell: true },
  {
    name: 'GitHub Actions',
    scripts: runsOf(github.jobs.deploy.steps),
    environment: (folder, ok) => ({
      GITHUB_ENV: join(folder, 'env'),
      GITHUB_SHA: SHA,
      GITHUB_REPOSITORY: 'acme/shop',
      GITHUB_REF: 'refs/heads/main',
      GITHUB_SERVER_URL: 'https://github.example',
      GITHUB_RUN_ID: '42',
      OUTCOME: ok ? 'succeeded' : 'failed'
    }),
    sources: 'env'
  },
  {
    name: 'GitLab CI',
    scripts: [...gitlab.deploy.script, ...gitlab.deploy.after_script],
    environment: (_folder, ok) => ({
      CI_COMMIT_SHORT_SHA: SHA.slice(0, 8),
      CI_COMMIT_SHA: SHA,
      CI_PROJECT_PATH: 'acme/shop',
      CI_COMMIT_REF_NAME: 'main',
      CI_JOB_URL: 'https://gitlab.example/acme/shop/-/jobs/42',
      CI_JOB_STATUS: ok ? 'success' : 'failed'
    })
  },
  {
    name: 'CircleCI',
    scripts: runsOf(circle.jobs.deploy.steps),
    environment: (folder) => ({
      BASH_ENV: join(folder, 'env'),
      CIRCLE_SHA1: SHA,
      CIRCLE_BRANCH: 'main',
      CIRCLE_BUILD_URL: 'https://circle.example/42'
    })
  },
  {
    name: 'Jenkins',
    scripts: [...jenkins.matchAll(/sh '''([\s\S]*?)'''|sh '(\.\/[^']*)'/g)].map(([, long, short]) => groovy(long ?? short ?? '')),
    environment: (folder, ok) => {
      writeFileSync(join(folder, '.window-outcome'), ok ? 'succeeded\n' : 'failed\n')
      return { BUILD_TAG: 'jenkins-shop-42', BUILD_URL: 'https://jenkins.example/job/shop/42/' }
    }
  }
]

t.test('the pipeline files have the structure that each CI system reads', async (t) => {
  const steps: { name?: string; if?: string; uses?: string }[] = github.jobs.deploy.steps
  t.same(Object.keys(github), ['name', 'on', 'jobs'])
  t.equal(steps.at(-1)?.if, 'always()', 'the window ends whatever became of the deployment')
  t.ok(steps.every((step) => 'uses' in step !== 'run' in step))
  t.same(Object.keys(gitlab.deploy), ['stage', 'script', 'after_script'])
  t.equal(circle.version, 2.1)
  t.equal(circle.jobs.deploy.steps.at(-1).run.when, 'always')
  t.same(circle.workflows.deploy.jobs, ['deploy'])
  const brackets = (of: string) => jenkins.split(of).length
  t.equal(brackets('{'), brackets('}'))
  t.match(jenkins, /^pipeline \{[\s\S]*cleanup \{/)
})

/** A person cancels the window while it runs. */
const CANCEL = `authorization="authorization: Bearer $TOKEN_OF_A_PERSON"
id=$(curl -fsS "$SERVICE_API_URL/api/v1/deployments/maintenance" -H "$authorization" | sed -n 's/.*"items":\\[{"id":"\\([^"]*\\)".*/\\1/p')
curl -fsS -X POST "$SERVICE_API_URL/api/v1/deployments/maintenance/$id/cancel" -H "$authorization" -H 'content-type: application/json' -d '{}' -o /dev/null
`

interface Played {
  printed: string
  /** A script ended with an error. */
  failed: boolean
}

/** `deploys` is the shell script that deploys; `token` is the one that opens the window. */
async function play(
  s: Stand,
  { scripts, environment, sources, plainShell }: Pipeline,
  url: string,
  folder: string,
  ok: boolean,
  { deploys = '', token = s.acme.token } = {}
): Promise<Played> {
  writeFileSync(join(folder, 'deploy.sh'), `#!/bin/sh\nset -e\n${deploys}exit ${ok ? 0 : 1}\n`)
  writeFileSync(join(folder, 'env'), '')
  chmodSync(join(folder, 'deploy.sh'), 0o755)
  const env = {
    PATH: process.env.PATH ?? '',
    SERVICE_API_URL: url,
    SERVICE_API_TOKEN: token,
    TOKEN_OF_A_PERSON: s.acme.token,
    ...environment(folder, ok)
  }
  let printed = ''
  let failed = false
  for (const [at, script] of scripts.entries()) {
    const isLast = at === scripts.length - 1
    // After a failed step, only the step that always runs.
    if (failed && !isLast) continue
    // Its input is not a socket: with one, bash would take itself for a remote shell.
    const text = sources ? `set -a; . ./${sources}; set +a\n${script}` : script
    const shell = plainShell ? 'bash' : 'bash -e'
    const { stdout = '', stderr = '' } = await run('sh', ['-c', `exec ${shell} -c "$1" < /dev/null`, 'sh', text], {
      cwd: folder,
      env
    }).catch((error: Error & { stdout?: string; stderr?: string }) => {
      failed = true
      if (ok || isLast !== (scripts.length === 1)) printed += error.stderr ?? ''
      return error
    })
    printed += `${stdout}${stderr}`
  }
  return { printed, failed }
}

t.test('a window that somebody has ended turns no good deployment into a failed one', async (t) => {
  const s = await stand(t)
  await create(s, s.acme, { tags: ['shop'] })
  await s.app.listen({ host: '127.0.0.1', port: 0 })
  const address = s.app.server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  for (const pipeline of pipelines)
    await t.test(pipeline.name, async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'service-snippet-test-'))
      t.teardown(() => rmSync(folder, { recursive: true, force: true }))
      const { printed, failed } = await play(s, pipeline, url, folder, true, { deploys: CANCEL })
      const { items } = (await s.call(s.acme, 'GET', '/api/v1/deployments/maintenance')).json()
      t.match(items[0], { service: 'shop', state: 'cancelled' }, printed)
      t.notOk(failed, printed)
      t.match(printed, 'The window was not ended')
      t.same(
        readdirSync(folder).filter((name) => name.startsWith('.window-')),
        [],
        'nothing stays for the next build'
      )
      await s.systemPool.query('DELETE FROM maintenance_windows WHERE tenant_id = $1', [s.acme.tenant_id])
    })
})

t.test('nothing is deployed when the window cannot be opened', async (t) => {
  const s = await stand(t)
  await s.app.listen({ host: '127.0.0.1', port: 0 })
  const address = s.app.server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  for (const pipeline of pipelines)
    await t.test(pipeline.name, async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'service-snippet-test-'))
      t.teardown(() => rmSync(folder, { recursive: true, force: true }))
      const { printed, failed } = await play(s, pipeline, url, folder, true, { deploys: 'touch deployed\n', token: 'service_unknown' })
      t.ok(failed, printed)
      t.notOk(readdirSync(folder).includes('deployed'), printed)
    })
})

t.test('the printed shell parts of each pipeline open and end a maintenance window', async (t) => {
  const s = await stand(t)
  await create(s, s.acme, { tags: ['shop'] })
  await s.app.listen({ host: '127.0.0.1', port: 0 })
  const address = s.app.server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  for (const pipeline of pipelines)
    for (const ok of [true, false])
      await t.test(`${pipeline.name}, ${ok ? 'it succeeds' : 'it fails'}`, async (t) => {
        const folder = mkdtempSync(join(tmpdir(), 'service-snippet-test-'))
        t.teardown(() => rmSync(folder, { recursive: true, force: true }))
        const { printed } = await play(s, pipeline, url, folder, ok)
        const { items } = (await s.call(s.acme, 'GET', '/api/v1/deployments/maintenance')).json()
        t.match(
          items[0],
          { service: 'shop', environment: 'production', state: 'ended', outcome: ok ? 'succeeded' : 'failed', scope: { tags: ['shop'] } },
          printed
        )
        t.match(items[0]?.name, /^shop/)
        if (pipeline.name !== 'shell') t.match(items[0]?.run_url, /42/)
        t.notMatch(printed.replaceAll(/::add-mask::.*/g, ''), /mwe_/, 'the token is not printed')
        // The list has the newest first by its begin.
        await s.systemPool.query('DELETE FROM maintenance_windows WHERE tenant_id = $1', [s.acme.tenant_id])
      })
})
