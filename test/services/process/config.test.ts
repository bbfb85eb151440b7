/**
 * Reading settings from their tables: which values are read, which are refused, and that
 * docs/configuration.md lists the same settings.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { stale } from '../../../schemas/generate.ts'
import { withTables } from '../../../services/operator/configuration-page.ts'
import { everyGenerated, sections } from '../../../services/operator/generate.ts'
import { configVariables, type Need, readConfig } from '../../../services/process/config.ts'
import { ConfigError, everyRole, readVariables, type Variables } from '../../../services/process/environment.ts'
import { roleNeeds } from '../../compose/stack.ts'

const PAGE = 'docs/configuration.md'
const every = { readers: everyRole, says: 'Something.' }
const table = {
  colour: { ...every, name: 'COLOUR', kind: 'choice', of: ['red', 'green'], fallback: 'red' },
  folder: { ...every, name: 'FOLDER', kind: 'folder', fallback: '/data' },
  file: { ...every, name: 'FILE', kind: 'text', fallback: '<FOLDER>/<shape>.txt' },
  count: { ...every, name: 'COUNT', kind: 'integer', fallback: 3, min: 1, max: 5 },
  names: {
    ...every,
    name: 'NAMES',
    kind: 'list',
    lowerCase: true,
    fallback: '',
    rule: { test: (text) => /^[a-z]+$/.test(text), expected: 'letters', repeats: true }
  },
  secret: {
    ...every,
    name: 'SECRET',
    kind: 'text',
    need: 'secrets',
    rule: { test: (text) => text.length > 3, expected: 'four characters', repeats: false }
  }
} as const satisfies Variables

function faultsOf(environment: NodeJS.ProcessEnv, needs: readonly string[] = []): string {
  try {
    readVariables(environment, table, { needs }).finish()
    return ''
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message
  }
}

t.test('a setting comes from the environment, from a file, or from its default', async (t) => {
  const facts = { shape: 'round' }
  const none = { colour: 'red', folder: '/data', file: '/data/round.txt', count: 3, names: [], secret: '' }
  t.same(readVariables({}, table, { facts }).values, none)
  t.same(readVariables({ FOLDER: '', FILE: '', COUNT: '', NAMES: '', SECRET: '' }, table, { facts }).values, none)
  const path = join(t.testdir({}), 'secret')
  writeFileSync(path, 'from a file\n')
  const set = { COLOUR: 'green', FOLDER: '/a/../b', COUNT: '5', NAMES: ' Ann,, bob', SECRET: 'hidden', SECRET_FILE: path }
  t.same(readVariables(set, table, { facts }).values, {
    colour: 'green',
    folder: '/b',
    file: '/b/round.txt',
    count: 5,
    names: ['ann', 'bob'],
    secret: 'from a file'
  })
})

t.test('a setting whose file is empty is not set', async (t) => {
  const empty = join(t.testdir({}), 'empty')
  writeFileSync(empty, ' \n')
  const facts = { shape: 'round' }
  t.equal(faultsOf({ SECRET_FILE: empty }, ['secrets']), 'The configuration has 1 fault(s):\n  SECRET: required')
  t.match(readVariables({ FILE_FILE: empty, SECRET_FILE: empty }, table, { facts }).values, { file: '/data/round.txt', secret: '' })
  t.match(readVariables({ SECRET_FILE: empty, SECRET: 'hidden' }, table, { facts }).values, { secret: 'hidden' })
  const settings = { SERVICE_KAFKA_BROKERS_FILE: empty, SERVICE_SCHEMA_REGISTRY_URL_FILE: empty, SERVICE_PUBLIC_URL_FILE: empty }
  t.throws(() => readConfig(settings, ['kafka', 'registry']), {
    message: /2 fault\(s\):\n {2}SERVICE_KAFKA_BROKERS: required\n {2}SERVICE_SCHEMA_REGISTRY_URL: required$/
  })
})

t.test('every configuration fault is named once, without secrets', async (t) => {
  t.equal(faultsOf({}, ['secrets']), 'The configuration has 1 fault(s):\n  SECRET: required')
  t.equal(
    faultsOf({ COLOUR: 'blue', COUNT: '6', NAMES: 'ann,b0b,x y', SECRET: 'abc', FILE_FILE: '/nowhere' }).replace(/read .*/, 'read'),
    [
      'The configuration has 6 fault(s):',
      'COLOUR: expected one of red, green, got "blue"',
      'FILE_FILE: cannot read',
      'COUNT: expected a whole number from 1 to 5, got "6"',
      'NAMES: expected letters, got "b0b"',
      'NAMES: expected letters, got "x y"',
      'SECRET: expected four characters'
    ].join('\n  ')
  )
})

t.test('default settings of the service', async (t) => {
  const config = readConfig({ SERVICE_API_PORT: '9000', SERVICE_DATA_DIR: '/data', SERVICE_PROCESSORS: 'status, budget incident' }, [])
  t.match(config, {
    publicUrl: 'http://127.0.0.1:9000',
    gatewayUrl: 'http://127.0.0.1:8082',
    analyticsUrl: 'unix:/data/analytics.sock',
    metricsHost: '127.0.0.1',
    processors: ['status', 'budget', 'incident'],
    instance: new RegExp(`^.+-${process.pid}$`)
  })
  t.ok(Object.isFrozen(config))
  t.throws(() => readConfig({ SERVICE_ANALYTICS_URL: 'http://a' }, []), { message: /SERVICE_ANALYTICS_SECRET: expected at least 16/ })
})

t.test('a mail server elsewhere needs a sender', async (t) => {
  const smtp = { SERVICE_SMTP_URL: 'smtp://user:secret@mail.example' }
  t.throws(() => readConfig(smtp, []), { message: /1 fault\(s\):\n {2}SERVICE_MAIL_FROM: required beside SERVICE_SMTP_URL$/ })
  t.equal(readConfig({ ...smtp, SERVICE_MAIL_FROM: 'Alerts <alerts@example.com>' }, []).mailFrom, 'Alerts <alerts@example.com>')
  t.match(readConfig({}, []).mailFrom, /@/, 'nobody sends mails without a server')
  for (const odd of ['mail.example.com', '//user:secret@mail.example', 'smtp://user:se#cret@mail.example:25'])
    t.throws(
      () => readConfig({ SERVICE_SMTP_URL: odd }, []),
      { name: 'ConfigError', message: /1 fault\(s\):\n {2}SERVICE_SMTP_URL: expected smtp/ },
      odd
    )
  for (const host of ['localhost', '127.0.0.1', '[::1]'])
    t.match(readConfig({ SERVICE_SMTP_URL: `smtp://${host}:2525` }, []).mailFrom, /@/, host)
})

t.test('a Slack app needs its signing secret in the api, and its client secret everywhere', async (t) => {
  const app = { SERVICE_SLACK_CLIENT_ID: '1234567890.1234567890', SERVICE_SLACK_CLIENT_SECRET: 'client-secret' }
  const whole = { ...app, SERVICE_SLACK_SIGNING_SECRET: 'signing-secret' }
  const missing = { message: /1 fault.*\n {2}SERVICE_SLACK_SIGNING_SECRET: required beside SERVICE_SLACK_CLIENT_ID$/ }
  t.throws(() => readConfig(app, [], ['api']), missing)
  t.throws(() => readConfig(app, [], ['relay', 'api']), missing)
  t.equal(readConfig(app, [], ['notifier']).slackClientSecret, 'client-secret')
  t.same(readConfig(whole, [], ['api']).slackSigningSecrets, ['signing-secret'])
  const { SERVICE_SLACK_SIGNING_SECRET } = whole
  t.ok(readConfig({ SERVICE_SLACK_SIGNING_SECRET }, [], ['api']), 'commands alone need no client id')
})

t.test('the generated pages are up to date, and a stale page is found by name', async (t) => {
  const page = readFileSync(join(projectRoot, PAGE), 'utf8')
  t.same(stale(everyGenerated()), [], 'else run npm run generate')
  const changed = withTables(page, [...sections, { title: 'More', variables: table }])
  t.match(changed, '| `COUNT` | 3 | 1 to 5 | no | every role | Something. |')
  t.match(changed, '| `SECRET` | required | four characters | yes | every role | Something. |')
  t.same(stale(new Map([[PAGE, changed]])), [PAGE])
  t.equal(withTables(changed, sections), page, 'prose around the tables stays')
  t.throws(() => withTables('# Configuration\n', sections), /expected the line/)
})

/** Text of every file of `folder`. */
const sourcesOf = (folder: string): string[] =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(join(projectRoot, folder, name), 'utf8'))

/**
 * Returns the text of every file of a role, and of services/delivery if the role uses its senders.
 */
function sourcesOfRole(role: string): string[] {
  const own = sourcesOf(`services/${role}`)
  return own.some((text) => text.includes('/delivery/senders.ts')) ? [...own, ...sourcesOf('services/delivery')] : own
}

/** Returns the names of the configuration values that the sources of a role use. */
function takenBy(role: string): Set<string> {
  const text = sourcesOfRole(role).join('\n')
  const parts = [...text.matchAll(/\bconfig: \{([^{}]*)\}/g)].flatMap(([, names = '']) => names.match(/\w+/g) ?? [])
  return new Set([...[...text.matchAll(/\bconfig\.(\w+)/g)].map(([, name = '']) => name), ...parts])
}

t.test('a variable names the roles that read it', async (t) => {
  const needs = roleNeeds()
  t.same([...everyRole].sort(), [...needs.keys()].sort())
  for (const [key, variable] of Object.entries(configVariables)) {
    const readers: readonly string[] = variable.readers
    if (everyRole.every((role) => readers.includes(role))) continue
    if ('need' in variable) {
      const inNeed = [...needs].filter(([, list]) => list.includes(variable.need as Need)).map(([role]) => role)
      t.same(everyRole.filter((role) => readers.includes(role)).sort(), inNeed.sort(), variable.name)
    }
    for (const role of everyRole) {
      if (takenBy(role).has(key)) t.ok(readers.includes(role), `${role} reads ${variable.name}`)
      // run.ts takes some values for a role: those with a `need`, and the topic prefix of its
      // stream.
      const taken = 'need' in variable || key === 'topicPrefix' || sourcesOfRole(role).some((text) => new RegExp(`\\b${key}\\b`).test(text))
      if (readers.includes(role)) t.ok(taken, `${role} takes ${variable.name}`)
    }
  }
})

/** Variables that the code reads from the environment but that are not settings of an operator. */
const noSettings: Record<string, string> = {
  SERVICE_SUPERVISED: 'set by the supervisor of a local run for its processes',
  FAIL_AT: 'kills a process at a named point in a test',
  FREEZE_AT: 'stops a process at a named point in a test',
  PATH: 'of the system',
  JAVA_HOME: 'of the system',
  MAVEN_HOME: 'of the system',
  M2_HOME: 'of the system'
}

t.test('the configuration page lists every variable that the code reads', async (t) => {
  const listed = new Set(sections.flatMap(({ variables }) => Object.values(variables).map(({ name }) => name)))
  const texts = ['schemas', 'streams', 'services'].flatMap(sourcesOf)
  const read = new Set(texts.flatMap((text) => [...text.matchAll(/\benv(?:ironment)?\.([A-Z][A-Z0-9_]+)/g)].map(([, name = '']) => name)))
  t.ok(read.size > 5)
  t.same(
    [...read].filter((name) => !listed.has(name) && !(name in noSettings)),
    []
  )
})
