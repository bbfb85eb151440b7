/**
 * Import rules: the two tables of the architecture, checked over every source file. A planted
 * violation of each rule must be found, too.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../schemas/files.ts'
import { importsOf } from '../harness/imports.ts'

/** Folders of services/ that every role may use. */
const shared = ['process', 'http', 'credentials', 'checks', 'channels', 'delivery', 'operator']
/** Composition roots among them: they import roles, and no role imports them. */
const roots = [
  'process/run',
  'operator/migrate',
  'operator/budget',
  'operator/provision',
  'operator/resume',
  'operator/jobs',
  'operator/refused',
  'operator/skip',
  'operator/redrive',
  'operator/replay',
  'operator/generate'
].map((name) => `services/${name}.ts`)
const roles = ['api', 'intake', 'processors', 'relay', 'gateway', 'clock', 'notifier', 'analytics', 'prober', 'local', 'web', 'cli']
/** The modules that a source consists of. */
const sourceContract = ['source', 'readers', 'source-text', 'proof', 'sns', 'branches', 'alerts-form'].map(
  (name) => `services/intake/${name}.ts`
)
/**
 * Pure modules of intake that the api may import: it shows the descriptions of sources, parses
 * samples and accepts alerts as the doors do, and counts them against the same budget.
 */
const readings = [
  ...sourceContract,
  'services/intake/sources/index.ts',
  'services/intake/body.ts',
  'services/intake/dedup-template.ts',
  'services/intake/normalise.ts',
  'services/intake/doors/budget.ts',
  'services/intake/doors/usage-counter.ts'
]
/** Pure packages that the rules may import. */
const purePackages = ['croner', 'ical.js', 'temporal-polyfill']

const inWeb = (file: string): boolean => file.startsWith('services/web/')
/**
 * Files that run in browsers. They use no Node modules, and of the product's code only the shapes
 * of the API, which they call like any other client.
 */
const inBrowser = (file: string): boolean => inWeb(file) && file !== 'services/web/vite.config.ts'

/** Packages that may be imported in only one place. */
const places: Record<string, (file: string) => boolean> = {
  kafkajs: (file) => file === 'streams/runtime/kafkajs.ts',
  fastify: (file) => file.startsWith('services/api/'),
  '@fastify/': (file) => file.startsWith('services/api/'),
  typebox: (file) =>
    file.startsWith('schemas/http/') ||
    file.startsWith('services/api/') ||
    file.startsWith('services/web/forms/') ||
    file.startsWith('services/channels/'),
  avsc: (file) => file.startsWith('schemas/') || file.startsWith('streams/runtime/'),
  pg: (file) =>
    file.startsWith('services/store/') || file.startsWith('streams/runtime/') || roots.includes(file) || file.startsWith('services/local/'),
  'node-pg-migrate': (file) => file === 'services/operator/migrations.ts',
  'uwebsockets-current': (file) => file === 'services/http/uws.ts' || file === 'services/http/socket-server.ts',
  'uwebsockets-node20': (file) => file === 'services/http/socket-server.ts',
  'prom-client': (file) => file === 'services/process/metrics.ts',
  'markdown-it': (file) => file === 'services/api/docs/markdown.ts' || file === 'services/web/parts/markdown.ts',
  pino: (file) => file === 'services/process/log.ts',
  '@clickhouse/': (file) => file.startsWith('services/analytics/'),
  undici: (file) => file.startsWith('services/prober/'),
  'libphonenumber-js': (file) => file === 'services/channels/telephony.ts',
  twilio: () => false,
  'discord-interactions': () => false,
  'discord-api-types': () => false,
  adaptivecards: () => false,
  nodemailer: (file) => file === 'services/delivery/mail.ts',
  chdb: (file) => file.startsWith('services/analytics/'),
  '@node-rs/argon2': (file) => file === 'services/credentials/credentials.ts',
  '@zxcvbn-ts/': (file) => file === 'services/credentials/passwords.ts',
  react: inWeb,
  'react-dom': inWeb,
  '@mantine/': inWeb,
  '@tanstack/': inWeb,
  'lucide-react': inWeb,
  'openapi-fetch': inWeb,
  cronstrue: inWeb,
  re2js: (file) => file === 'schemas/safe-regex.ts',
  uplot: (file) => file === 'services/web/parts/PlotCanvas.tsx',
  vite: (file) => file === 'services/web/vite.config.ts'
}

const builtin = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]))

const roomOf = (path: string): string | undefined => /^services\/([a-z-]+)\//.exec(path)?.[1]

/** For each folder of rules, the other folders of rules that it may import. */
const uses: Readonly<Record<string, readonly string[]>> = {
  incident: ['routing', 'maintenance'],
  escalation: ['routing'],
  maintenance: ['routing', 'on-call']
}

/** Why `file` may not import `target` (a path from the root, or a package), or null. */
function fault(file: string, target: string, isPackage: boolean): string | null {
  if (inBrowser(file) && (builtin.has(target) || !(isPackage || inWeb(target) || target.startsWith('schemas/http/'))))
    return 'the dashboard uses the public API alone'
  const ruleFolder = /^streams\/(?!runtime\/)([a-z-]+)\//.exec(file)?.[1]
  if (isPackage) {
    if (builtin.has(target)) return ruleFolder || file === 'streams/define.ts' ? 'rules use no Node modules' : null
    if (ruleFolder && !purePackages.includes(target)) return 'rules use only the pure packages named in the test'
    for (const [name, allowed] of Object.entries(places)) {
      if ((target === name || target.startsWith(name.endsWith('/') ? name : `${name}/`)) && !allowed(file))
        return `${target} has another importing place`
    }
    return null
  }
  if (target.startsWith('test/')) return 'nothing imports test'
  if (file.startsWith('schemas/')) return target.startsWith('schemas/') ? null : 'schemas import nothing of ours'
  if (file === 'streams/define.ts') return target.startsWith('schemas/') ? null : 'define imports schema types only'
  if (ruleFolder) {
    const fine =
      target.startsWith('schemas/') ||
      target === 'streams/define.ts' ||
      target === 'streams/partition-time.ts' ||
      target === 'streams/audience.ts' ||
      target === 'streams/zone-names.ts' ||
      target.startsWith(`streams/${ruleFolder}/`) ||
      (uses[ruleFolder] ?? []).some((folder) => target.startsWith(`streams/${folder}/`))
    return fine ? null : 'rules import schemas, their own folder, and of streams: define.ts, partition-time.ts, audience.ts, zone-names.ts'
  }
  if (file.startsWith('streams/runtime/'))
    return target.startsWith('streams/runtime/') || target.startsWith('schemas/') || target === 'streams/define.ts'
      ? null
      : 'the runtime imports schemas and streams/define.ts'
  if (file.startsWith('streams/'))
    return target.startsWith('streams/') || target.startsWith('schemas/') ? null : 'streams import streams and schemas'
  if (file.startsWith('services/intake/sources/'))
    return target.startsWith('schemas/') || sourceContract.includes(target) || dirname(target) === dirname(file)
      ? null
      : 'a source imports schemas and its contract'
  if (file.startsWith('services/channels/'))
    return target.startsWith('schemas/') || target.startsWith('services/channels/') ? null : 'channels import schemas and each other'
  if (file.startsWith('services/store/')) {
    const fine =
      target.startsWith('services/store/') ||
      target.startsWith('schemas/') ||
      target === 'streams/define.ts' ||
      target === 'streams/zone-names.ts' ||
      (/^streams\/[a-z-]+\//.test(target) && !target.startsWith('streams/runtime/'))
    return fine ? null : 'the store imports schemas and rules'
  }
  if (file.startsWith('services/')) {
    const room = roomOf(file)
    if (!room) return 'a file of services stands in a folder'
    const other = roomOf(target)
    if (!other || other === room || other === 'store') return null
    if (shared.includes(room)) return shared.includes(other) || roots.includes(file) ? null : 'what is shared imports no role'
    if (room === 'api' && readings.includes(target)) return null
    if (roots.includes(target) && room !== 'local') return 'a role imports no composition root'
    return shared.includes(other) ? null : 'a role never imports another role'
  }
  return null
}

function check(file: string, source: string): string[] {
  return importsOf(source).flatMap((name) => {
    const isPackage = !name.startsWith('.')
    const target = isPackage ? name : normalize(join(dirname(file), name))
    const reason = fault(file, target, isPackage)
    return reason ? [`${file} imports ${target}: ${reason}`] : []
  })
}

const files = ['schemas', 'streams', 'services'].flatMap((folder) =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}/${name}`)
)

t.test('every import is allowed by the tables of the architecture', async (t) => {
  t.ok(files.length > 40, 'the source is there')
  t.same(
    files.flatMap((file) => check(file, readFileSync(join(projectRoot, file), 'utf8'))),
    []
  )
})

t.test('every folder in services/ is a role, shared code, the store or the supply chain', async (t) => {
  const folders = readdirSync(join(projectRoot, 'services'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
  t.same(
    folders.filter((name) => name !== 'store' && name !== 'supply-chain' && !shared.includes(name) && !roles.includes(name)),
    []
  )
})

t.test('SQL appears only in its four places', async (t) => {
  const sql = /(?:`|')\s*(?:SELECT\s[\s\S]*?\sFROM|INSERT\s+INTO|UPDATE\s+[a-z_]+\s+SET|DELETE\s+FROM)\s/
  // SQL is allowed in the embedded server's file: it creates roles and databases before any service
  // stores data.
  const allowed = (file: string): boolean =>
    file === 'services/local/postgres.ts' ||
    file.startsWith('services/store/') ||
    file.startsWith('streams/runtime/') ||
    file.startsWith('schemas/postgres/')
  t.same(
    files.filter((file) => !allowed(file) && sql.test(readFileSync(join(projectRoot, file), 'utf8'))),
    []
  )
})

t.test('each import rule finds its planted violation', async (t) => {
  const planted: [file: string, source: string][] = [
    ['schemas/x.ts', "import { a } from '../../streams/define.ts'"],
    ['streams/incident/x.ts', "import { createHash } from 'node:crypto'"],
    ['streams/incident/x.ts', "import fc from 'fast-check'"],
    ['streams/incident/x.ts', "import { a } from '../runtime/run.ts'"],
    ['streams/status/x.ts', "import { a } from '../incident/rules.ts'"],
    ['streams/runtime/x.ts', "import { a } from '../incident/rules.ts'"],
    ['streams/runtime/x.ts', "import { a } from '../../services/store/pool.ts'"],
    ['streams/runtime/run.ts', "import kafkajs from 'kafkajs'"],
    ['services/intake/sources/x.ts', "import { a } from '../doors/budget.ts'"],
    ['services/channels/kinds/x.ts', "import { a } from '../../store/pool.ts'"],
    ['services/channels/text.ts', "import { a } from '../notifier/worker.ts'"],
    ['services/store/x.ts', "import { a } from '../../streams/runtime/run.ts'"],
    ['services/api/x.ts', "import { a } from '../intake/main.ts'"],
    ['services/api/x.ts', "import { a } from '../process/run.ts'"],
    ['services/api/x.ts', "import { a } from '../operator/migrate.ts'"],
    ['services/api/x.ts', "const k = await import('kafkajs')"],
    ['services/intake/x.ts', "import fastify from 'fastify'"],
    ['services/gateway/x.ts', "import uws from 'uwebsockets-current'"],
    ['services/helpers.ts', "import { a } from './process/config.ts'"],
    ['services/process/config.ts', "import { a } from '../api/main.ts'"],
    ['services/api/x.ts', "import { a } from '../../test/harness/engines.ts'"],
    ['services/web/pages/X.tsx', "import { a } from '../../api/app.ts'"],
    ['services/web/pages/X.tsx', "import { a } from '../../store/pool.ts'"],
    ['services/web/pages/X.tsx', "import { readFileSync } from 'node:fs'"],
    ['services/api/x.ts', "import { useState } from 'react'"]
  ]
  for (const [file, source] of planted) t.equal(check(file, source).length, 1, `${file}: ${source}`)
})
