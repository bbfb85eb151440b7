/**
 * Checks compose/ against the code: names of variables, roles, ports, paths, replication, secrets
 * and metrics. Every check also runs on a planted fault, which it must find. No container is
 * started; docker-compose, promtool and caddy check the files, too.
 */
import { execFile, execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { parse } from 'yaml'
import { projectRoot } from '../../schemas/files.ts'
import { channels } from '../../services/channels/kinds/index.ts'
import { configVariables } from '../../services/process/config.ts'
import { program } from '../harness/debian.ts'
import {
  addressFaults,
  configurationFaults,
  guideFaults,
  hardeningFaults,
  healthFaults,
  metricFaults,
  ours,
  pathFaults,
  replicationFaults,
  roleFaults,
  secretFaults,
  variableFaults
} from './checks.ts'
import { clickhouseFaults } from './clickhouse.ts'
import {
  composeFile,
  filled,
  joinStacks,
  knownVariables,
  localSettings,
  parseCaddyfile,
  parseStack,
  roleNeeds,
  type Stack,
  settings
} from './stack.ts'

/** Missing programs are installed first. */
t.setTimeout(880_000)

const one = composeFile('compose.yaml')
const stacks: Record<string, Stack> = {
  'one node': parseStack(one),
  cluster: joinStacks(parseStack(one), parseStack(composeFile('cluster.yaml')))
}
const proxy = parseCaddyfile(composeFile('Caddyfile'))
const dockerfile = composeFile('Dockerfile')

/** The one-node stack with a planted fault. */
const faulty = (find: string, put: string): Stack => {
  if (!one.includes(find)) throw new Error(`compose.yaml has no ${find}`)
  return parseStack(one.replaceAll(find, put))
}

/** Secrets as secrets.sh creates them, in a temporary folder. */
const folder = mkdtempSync(join(tmpdir(), 'compose-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
copyFileSync(join(projectRoot, 'compose/secrets.sh'), join(folder, 'secrets.sh'))
const makeSecrets = (): string => execFileSync('sh', [join(folder, 'secrets.sh')], { encoding: 'utf8' })
const printed = makeSecrets()
const secrets = join(folder, 'secrets')

t.test('the checks read the roles and their settings from the code', async (t) => {
  t.same(
    [...roleNeeds().keys()].sort(),
    readdirSync(join(projectRoot, 'services'), { withFileTypes: true })
      .flatMap((entry) =>
        entry.isDirectory() &&
        !['local', 'store'].includes(entry.name) &&
        readdirSync(join(projectRoot, 'services', entry.name)).includes('main.ts')
          ? [entry.name]
          : []
      )
      .sort()
  )
  t.same(roleNeeds().get('api'), ['registry', 'tenant'])
  for (const name of [
    'SERVICE_KAFKA_BROKERS',
    'SERVICE_POSTGRES_URL_FILE',
    'SERVICE_PROBER_TOKEN_FILE',
    'SERVICE_METRICS_HOST',
    'SERVICE_PROCESSORS'
  ])
    t.ok(knownVariables().has(name), name)
  t.notOk(knownVariables().has('SERVICE_API_PORT_FILE'), 'a number comes from no file')
})

t.test('every variable in compose/ is one that the code reads', async (t) => {
  const inImage = [...dockerfile.matchAll(/\b([A-Z_]+)=\S/g)].map(([, name = '']) => name)
  t.ok(inImage.includes('SERVICE_METRICS_HOST'))
  for (const [name, stack] of Object.entries(stacks)) t.same(variableFaults(stack, inImage), [], name)
  t.match(variableFaults(faulty('SERVICE_TRUSTED_PROXIES:', 'SERVICE_TRUSTED_PROXY:')), [/SERVICE_TRUSTED_PROXY, which nobody reads/])
})

t.test('docs/configuration.md explains every setting and no unknown one', async (t) => {
  const page = readFileSync(join(projectRoot, 'docs/configuration.md'), 'utf8')
  const explained = [...page.matchAll(/^\| (`[A-Z][A-Z_]+`(?:, `[A-Z][A-Z_]+`)*) \|/gm)].flatMap(
    ([, names = '']) => names.match(/[A-Z_]+/g) ?? []
  )
  const read = [...settings()].filter((name) => !name.endsWith('_FILE'))
  t.ok(read.length > 25)
  t.same(
    read.filter((name) => !explained.includes(name)),
    []
  )
  const known = new Set([...knownVariables(), ...localSettings()])
  t.same(
    explained.filter((name) => !known.has(name)),
    [],
    'and none that nobody reads'
  )
})

t.test('example.env names exactly the variables that the compose files ask for', async (t) => {
  const example = composeFile('example.env')
  const asked = (text: string): string[] => [...new Set([...text.matchAll(/\$\{([A-Z_]+)/g)].map(([, name = '']) => name))].sort()
  const given = [...example.matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name).sort()
  t.same(asked(one + composeFile('cluster.yaml')), given)
  t.ok(given.includes('SERVICE_DOMAINS'))
  t.not(asked(one.replaceAll('SERVICE_OWNER_EMAIL', 'SERVICE_OWNER')).join(), given.join(), 'another name is seen')
})

t.test('a setting that the guides for operators name reaches its role', async (t) => {
  const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8')
  const channelGuides = readdirSync(join(projectRoot, 'docs/guides/channels')).map((name) => `docs/guides/channels/${name}`)
  const named = ['docs/operations.md', ...channelGuides].flatMap((file) => read(file).match(/(?<=`)[A-Z]+_[A-Z_]+/g) ?? [])
  const known = settings()
  // The image sets the address of the metrics. Which folds an instance runs differs by instance.
  const others = ['SERVICE_METRICS_HOST', 'SERVICE_METRICS_PORT', 'SERVICE_PROCESSORS', 'SERVICE_DATA_DIR', 'SERVICE_CLICKHOUSE_CLUSTER']
  const handed = new Set(
    ours(parseStack(one)).flatMap(([, { environment = {} }]) => Object.keys(environment).map((name) => name.replace(/_FILE$/, '')))
  )
  const lost = [...new Set(named)].filter((name) => known.has(name) && !handed.has(name))
  t.same(
    lost.filter((name) => !others.includes(name)),
    []
  )
  t.ok(named.includes('OUTBOUND_BASE_URLS_JSON') && known.has('OUTBOUND_BASE_URLS_JSON'))
})

t.test('the brokers accept every session timeout that a role accepts', async (t) => {
  const brokers = Object.values(stacks.cluster?.services ?? {})
  const least = brokers.flatMap(({ environment }) =>
    environment?.KAFKA_NODE_ID === undefined ? [] : [Number(environment.KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS)]
  )
  t.same(
    least,
    [1, 2, 3].map(() => configVariables.kafkaSessionTimeoutMs.min)
  )
})

t.test('the operations guide states the figures of the compose files', async (t) => {
  const guide = readFileSync(join(projectRoot, 'docs/operations.md'), 'utf8')
  const cluster = stacks.cluster ?? parseStack(one)
  t.same(guideFaults(guide, parseStack(one), cluster), [])
  t.match(guideFaults(guide, faulty('mem_limit: 4g', 'mem_limit: 5g'), cluster), [/16\.75 GiB of memory/])
  t.match(guideFaults(guide.replace('intake 8', 'intake 6'), parseStack(one), cluster), ['the guide does not say: intake 8'])
  const crowded = joinStacks(parseStack(one), parseStack(composeFile('cluster.yaml').replace('replicas: 3', 'replicas: 30')))
  t.match(guideFaults(guide, parseStack(one), crowded).at(-1), '418 connections to Postgres, which takes 200')
})

t.test('every role runs, with the settings that it needs and no others', async (t) => {
  for (const [name, stack] of Object.entries(stacks)) {
    t.same(roleFaults(stack), [], name)
    t.ok(ours(stack).length > 10)
  }
  t.match(roleFaults(faulty('command: [clock]', 'command: [clok]')), [
    'clock runs clok, which services/process/run.ts does not know',
    /clock is handed SERVICE_POSTGRES_SYSTEM_URL/,
    'nobody runs clock'
  ])
  t.match(roleFaults(faulty('SERVICE_KAFKA_BROKERS: kafka:9092', 'SERVICE_INSTANCE: kafka')), [/lacks SERVICE_KAFKA_BROKERS/])
  t.match(roleFaults(faulty('SERVICE_ANALYTICS_URL: http://analytics:8083', 'SERVICE_POSTGRES_URL_FILE: /run/secrets/postgres_url')), [
    'api is handed SERVICE_POSTGRES_URL and needs none'
  ])
  t.match(roleFaults(faulty('dist/services/operator/provision.js', 'dist/services/provide.js')), [
    /provision starts dist\/services\/provide\.js/
  ])
})

t.test('the mail server is read from its secret, or else from .env', async (t) => {
  const readers = [/^api: [\s\S]*SERVICE_SMTP_URL: expected/, /^notifier: [\s\S]*SERVICE_SMTP_URL: expected/]
  const values = { SERVICE_PUBLIC_URL: 'https://alerts.example.com', SERVICE_MAIL_FROM: 'ops@example.com' }
  const file = join(secrets, 'smtp_url')
  t.match(configurationFaults(parseStack(one), secrets, { ...values, SERVICE_SMTP_URL: 'nowhere' }), readers, 'that of .env counts')
  writeFileSync(file, 'smtps://user:password@mail.example.com:465')
  t.same(configurationFaults(parseStack(one), secrets, { ...values, SERVICE_SMTP_URL: 'nowhere' }), [], 'the file wins')
  writeFileSync(file, '')
})

t.test('every role accepts its configuration with the secrets from secrets.sh', async (t) => {
  const values = { SERVICE_PUBLIC_URL: 'https://alerts.example.com' }
  for (const [name, stack] of Object.entries(stacks)) t.same(configurationFaults(stack, secrets, values), [], name)
  t.match(configurationFaults(faulty('172.30.10.0/24', 'front'), secrets, values), [/SERVICE_TRUSTED_PROXIES: expected networks/])
  t.match(
    configurationFaults(
      faulty('SERVICE_PROBER_TOKEN_FILE: /run/secrets/prober_token_us_east', 'SERVICE_PROBER_TOKEN_FILE: /run/secrets/first_password'),
      secrets,
      values
    ),
    [/prober-us-east: .*\n.*SERVICE_PROBER_TOKEN: expected prober_/]
  )
})

t.test('every configured address is one where a service listens', async (t) => {
  const metricsPort = /SERVICE_METRICS_PORT=(\d+)/.exec(dockerfile)?.[1] ?? ''
  for (const [name, stack] of Object.entries(stacks)) t.same(addressFaults(stack, proxy, metricsPort), [], name)
  t.match(addressFaults(faulty('http://caddy:8090', 'http://caddy:8091'), proxy, metricsPort), [
    /prober-eu-central is told of caddy:8091, which listens on 8090/
  ])
  t.match(addressFaults(faulty('SERVICE_KAFKA_BROKERS: kafka:9092', 'SERVICE_KAFKA_BROKERS: kafka:9093'), proxy, metricsPort), [
    /told of kafka:9093/
  ])
  t.match(addressFaults(faulty('ccompat/v7', 'ccompat/v6'), proxy, metricsPort), [/the registry answers at \/apis\/ccompat\/v7/])
  t.match(addressFaults(faulty('networks: [front, outside]', 'networks: [outside]'), proxy, metricsPort), [
    /caddy and intake share no network/
  ])
  for (const wrong of ['api:9465/domain', 'api:9464/metrics', 'api:9464/domains', 'intake:9464/domain']) {
    const asking = parseCaddyfile(composeFile('Caddyfile').replace('api:9464/domain', wrong))
    t.same(addressFaults(parseStack(one), asking, metricsPort), [`caddy asks http://${wrong} about names, not http://api:9464/domain`])
  }
  const wrongPort = parseCaddyfile(composeFile('Caddyfile').replace('dynamic a gateway 8082', 'dynamic a gateway 8083'))
  t.match(addressFaults(parseStack(one), wrongPort, metricsPort), ['caddy is told of gateway:8083, which listens on 8082'])
})

interface Scrape {
  scrape_configs: { metrics_path: string; dns_sd_configs: { names: string[]; port: number }[] }[]
}

t.test('health checks and Prometheus use ports and paths that are served', async (t) => {
  const { scrape_configs: jobs } = parse(composeFile('prometheus.yaml')) as Scrape
  const [{ metrics_path: path = '', dns_sd_configs: [{ names, port } = { names: [], port: 0 }] = [] } = {}] = jobs
  const scrape = { path, port, names }
  for (const [name, stack] of Object.entries(stacks)) t.same(healthFaults(dockerfile, scrape, stack), [], name)
  const stack = parseStack(one)
  t.match(healthFaults(dockerfile.replace('/health/ready', '/healthz'), scrape, stack), [/asks \/healthz, which nobody answers/])
  t.match(healthFaults(dockerfile.replace('127.0.0.1:9464', '127.0.0.1:9465'), scrape, stack), [/asks port 9465/])
  t.match(healthFaults(dockerfile, { ...scrape, names: ['api'] }, stack), [/Prometheus does not ask intake/])
  const unchecked = faulty("test: ['CMD', 'wget', '-q', '-O', '/dev/null', 'http://127.0.0.1:8123/ping']", 'disable: true')
  t.same(healthFaults(dockerfile, scrape, unchecked), ['clickhouse has no health check'])
  t.match(healthFaults(dockerfile, { ...scrape, path: '/prometheus', port: 9090 }, stack), [/asks port 9090/, /asks \/prometheus/])
})

t.test('replication fits the number of brokers', async (t) => {
  for (const [name, stack] of Object.entries(stacks)) t.same(replicationFaults(stack), [], name)
  t.match(replicationFaults(faulty('KAFKA_DEFAULT_REPLICATION_FACTOR: 1', 'KAFKA_DEFAULT_REPLICATION_FACTOR: 3')), [
    /kafka: 3 copies of checks\.results\.v1.* on 1 broker/
  ])
  const cluster = (find: string, put: string): Stack =>
    joinStacks(parseStack(one), parseStack(composeFile('cluster.yaml').replace(find, put)))
  t.equal(replicationFaults(cluster('KAFKA_MIN_INSYNC_REPLICAS: 2', 'KAFKA_MIN_INSYNC_REPLICAS: 3')).length, 6)
  t.equal(replicationFaults(cluster('KAFKA_NODE_ID: 3', 'KAFKA_NODE_ID: 4')).length, 3)
  t.match(
    readFileSync(join(projectRoot, 'streams/runtime/create-topics.ts'), 'utf8'),
    /THE_CLUSTERS = -1[\s\S]*replicationFactor: THE_CLUSTERS/,
    'the migrate step leaves it to the brokers'
  )
})

t.test('the three ClickHouse servers, their Keepers and their addresses agree', async (t) => {
  const config = composeFile('clickhouse.xml')
  const made = Object.fromEntries(readdirSync(secrets).map((name) => [name, readFileSync(join(secrets, name), 'utf8')]))
  for (const [name, stack] of Object.entries(stacks)) t.same(clickhouseFaults(stack, config, made), [], name)
  const text = composeFile('cluster.yaml')
  const cluster = (find: string, put: string): string[] => {
    if (!text.includes(find)) throw new Error(`cluster.yaml has no ${find}`)
    return clickhouseFaults(joinStacks(parseStack(one), parseStack(text.replace(find, put))), config, made)
  }
  const configured = (find: string, put: string, own = made): string[] => {
    if (!config.includes(find)) throw new Error(`clickhouse.xml has no ${find}`)
    return clickhouseFaults(stacks.cluster ?? parseStack(one), config.replace(find, put), own)
  }
  t.same(cluster('SERVICE_CLICKHOUSE_CLUSTER: service', 'SERVICE_INSTANCE: service').slice(0, 1), [
    '3 servers of ClickHouse, and analytics is told of no cluster'
  ])
  t.match(cluster('SERVICE_CLICKHOUSE_CLUSTER: service', 'SERVICE_CLICKHOUSE_CLUSTER: other'), [
    /the cluster other, which the servers do not know/
  ])
  t.match(cluster('CLICKHOUSE_KEEPER_ID: 3', 'CLICKHOUSE_KEEPER_ID: 2'), ['clickhouse-3 is Keeper 2, the others know it as 3'])
  t.match(cluster('CLICKHOUSE_REPLICA: clickhouse-3', 'CLICKHOUSE_REPLICA: clickhouse-2'), ['clickhouse-3 calls itself clickhouse-2'])
  t.match(cluster("'clickhouse-3-data:", "'clickhouse-2-data:"), [
    /servers share a volume: clickhouse-1-data, clickhouse-2-data, clickhouse-2-data/
  ])
  t.match(cluster("'clickhouse-3-data:/var/lib/clickhouse', *clickhouse-config", "'clickhouse-3-data:/var/lib/clickhouse'"), [
    'clickhouse-3 does not read the configuration of the cluster'
  ])
  const fourth = text.replace('  migrate:', '  clickhouse-4:\n    extends: { file: compose.yaml, service: clickhouse }\n  migrate:')
  t.match(clickhouseFaults(joinStacks(parseStack(one), parseStack(fourth)), config, made), [/4 servers: a majority/])
  t.match(configured('<id>3</id>', '<id>2</id>'), ['two Keepers have one id: 1, 2, 2', /the others know it as 2/])
  t.match(configured('<replica><host>clickhouse-3</host><port>9000</port></replica>', ''), [
    'the cluster is clickhouse, clickhouse-2, the servers are clickhouse, clickhouse-2, clickhouse-3'
  ])
  t.match(configured('<port>9181</port>', '<port>2181</port>'), ['Keeper listens on 9181, and is asked elsewhere'])
  t.match(configured('<replica from_env="CLICKHOUSE_REPLICA"/>', '<replica>clickhouse</replica>'), [
    'the macro replica is not the name of the server'
  ])
  t.match(configured('incl="interserver_password"', 'incl="password"'), ['secrets.sh makes no password'])
  t.match(configured('', '', { ...made, clickhouse_urls: made.clickhouse_url ?? '' }), [
    'analytics asks clickhouse on 8123, the servers are clickhouse, clickhouse-2, clickhouse-3'
  ])
})

t.test('each secret is a declared file from secrets.sh, given only to its readers', async (t) => {
  const made = readdirSync(secrets)
  for (const [name, stack] of Object.entries(stacks)) t.same(secretFaults(stack, made), [], name)
  t.match(secretFaults(faulty('secrets: [clickhouse_password]', 'secrets: [clickhouse_passwort]'), made), [
    /clickhouse_passwort, which is not declared/,
    /clickhouse_password, which it is not handed/
  ])
  t.match(secretFaults(faulty('CLICKHOUSE_PASSWORD_FILE: /run/secrets/clickhouse_password', 'CLICKHOUSE_PASSWORD: hunter2'), made), [
    'clickhouse: CLICKHOUSE_PASSWORD is a secret and stands in the file'
  ])
  t.match(
    secretFaults(
      parseStack(one),
      made.filter((name) => name !== 'secrets_key')
    ),
    ['secrets.sh does not make secrets_key']
  )
  const before = made.map((name) => readFileSync(join(secrets, name), 'utf8'))
  t.match(printed, /^KAFKA_CLUSTER_ID=[A-Za-z0-9]{22}\n$/)
  makeSecrets()
  t.same(
    made.map((name) => readFileSync(join(secrets, name), 'utf8')),
    before,
    'a second run changes none'
  )
})

t.test('every metric in the dashboard, the alert rules and the guide is exported', async (t) => {
  const { panels } = JSON.parse(composeFile('grafana/dashboard.json')) as { panels: { targets?: { expr: string }[] }[] }
  const shown = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  const { groups } = parse(composeFile('alerts.yaml')) as { groups: { rules: { alert: string; expr: string }[] }[] }
  const rules = groups.flatMap((group) => group.rules)
  t.ok(shown.length > 30 && rules.length > 10)
  t.same(metricFaults([...shown, ...rules.map(({ expr }) => expr)]), [])
  t.same(metricFaults(['rate(service_intake_alerts[1m])', 'service_outbox_rows_count', 'service_intake_append_seconds_bucket']), [
    'service_intake_alerts is exported by nobody',
    'service_outbox_rows_count is exported by nobody'
  ])
  const guide = readFileSync(join(projectRoot, 'docs/operations.md'), 'utf8')
  t.same(metricFaults([guide]), [], 'nor does the guide name another')
  for (const { alert } of rules) t.ok(guide.includes(`\`${alert}\``), `the guide says what to do about ${alert}`)
})

t.test('kinds that send to servers of customers page nobody when most of their attempts fail', async (t) => {
  const { groups } = parse(composeFile('alerts.yaml')) as {
    groups: { rules: { alert: string; expr: string; labels: { severity: string } }[] }[]
  }
  const rules = groups.flatMap((group) => group.rules).filter(({ alert }) => alert === 'ProviderFails')
  const own = Object.values(channels)
    .filter(({ fields }) => fields.some(({ origin }) => origin === true))
    .map(({ kind }) => kind)
  t.ok(own.includes('webhook'))
  t.same(
    rules.map(({ expr, labels }) => [labels.severity, /\{(kind[^,]+),/.exec(expr)?.[1]]),
    [
      ['page', `kind!~"${own.toSorted().join('|')}"`],
      ['ticket', `kind=~"${own.toSorted().join('|')}"`]
    ]
  )
})

t.test('the proxy sends each path to the role that serves it', async (t) => {
  const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8')
  const routes = {
    intake: [
      ...[...(/for \(const pattern of \[([^\]]+)\]/.exec(read('services/intake/pings/routes.ts'))?.[1] ?? '').matchAll(/'([^']+)'/g)].map(
        ([, path = '']) => path
      ),
      /const PATH = '([^']+)'/.exec(read('services/intake/results/reception.ts'))?.[1] ?? ''
    ],
    gateway: [...read('services/gateway/gateway.ts').matchAll(/app\.ws<\w+>\('([^']+)'/g)].map(([, path = '']) => path)
  }
  t.equal(routes.intake.length, 3)
  t.equal(routes.gateway.length, 1)
  t.same(pathFaults(proxy, routes), [])
  const wrong = (find: string, put: string) => pathFaults(parseCaddyfile(composeFile('Caddyfile').replace(find, put)), routes)
  t.match(wrong('/api/v1/opsgenie/* ', ''), ['/api/v1/opsgenie/* goes to api, not to intake'])
  t.match(wrong('/api/v1/prober/results', '/api/v1/prober/*'), [/\/api\/v1\/prober\/.* goes to intake, not to api/])
  t.match(wrong('path /api/v1/ws', 'path /ws'), ['/api/v1/ws goes to api, not to gateway'])
})

t.test('the guide names the limits of bodies that the roles have', async (t) => {
  const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8')
  const guide = read('docs/operations.md').replace(/\s+/g, ' ')
  const limitOf = (file: string): string => {
    const [, mebibytes] = /MAX_(?:BODY_)?BYTES = (?:(\d+) \* )?1024 \* 1024$/m.exec(read(file)) ?? []
    return `${mebibytes ?? 1} MiB`
  }
  t.ok(guide.includes(`bodies up to ${limitOf('services/intake/pings/ping.ts')} to \`/api/v1/ping/*\` and \`/ping/*\``))
  t.ok(guide.includes(`${limitOf('services/intake/results/reception.ts')} to \`/api/v1/prober/results\``))
  t.ok(guide.includes(`${limitOf('services/intake/body.ts')} to the other paths of intake`))
  t.ok(guide.includes(`${limitOf('services/api/plugins/body.ts')} to the api`))
})

t.test('the containers are hardened and have resource limits', async (t) => {
  for (const [name, stack] of Object.entries(stacks)) t.same(hardeningFaults(stack), [], name)
  t.match(hardeningFaults(faulty('read_only: true\n  tmpfs: [/tmp:size=64m]', 'tmpfs: [/tmp:size=64m]')), [/may write its own file system/])
  t.same(hardeningFaults(faulty('mem_limit: 2g\n    cpus: 2\n    shm_size', 'shm_size')), [
    'postgres may take all memory',
    'postgres may take all processors'
  ])
  t.match(hardeningFaults(faulty('stop_grace_period: 20s # A role', 'stop_grace_period: 10s # A role')), [/is killed while it closes/])
  t.match(hardeningFaults(faulty('clickhouse-data: {}', 'clickhouse: {}')), ['clickhouse: the volume clickhouse-data is not declared'])
})

/** Variables that compose.yaml leaves to the operator. */
const left = {
  SERVICE_PUBLIC_URL: 'https://alerts.example.com',
  SERVICE_OWNER_EMAIL: 'owner@example.com',
  KAFKA_CLUSTER_ID: 'x'.repeat(22)
}

/**
 * Runs a tool on the files of `folder` and returns its output. Rejects with that output when the
 * tool refuses the files.
 */
async function told(name: string, debian: string, args: readonly string[], cwd = join(projectRoot, 'compose')): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(await program(name, debian), args, { cwd, env: { ...process.env, ...left } })
  return `${stdout}${stderr}`
}

t.test('docker-compose reads the files and merges them as these checks do', async (t) => {
  const files = { 'one node': ['-f', 'compose.yaml'], cluster: ['-f', 'compose.yaml', '-f', 'cluster.yaml'] }
  for (const [name, named] of Object.entries(files)) {
    const { services } = parseStack(await told('docker-compose', 'docker-compose', [...named, 'config']))
    const expected = stacks[name]?.services ?? {}
    t.same(Object.keys(services).sort(), Object.keys(expected).sort(), name)
    for (const [service, { environment = {}, command, deploy }] of Object.entries(expected)) {
      const texts = (of: Record<string, string | number>, values: Record<string, string>) =>
        Object.fromEntries(Object.entries(of).map(([variable, value]) => [variable, filled(String(value), values)]))
      t.same(texts(services[service]?.environment ?? {}, {}), texts(environment, left), `${name}: ${service}`)
      t.same(
        services[service]?.command,
        command?.map((word) => filled(word, left))
      )
      t.equal(services[service]?.deploy?.replicas, deploy?.replicas)
    }
  }
  writeFileSync(join(folder, 'compose.yaml'), one.replace('mem_limit: 512m', 'mem_limits: 512m'))
  await t.rejects(told('docker-compose', 'docker-compose', ['-f', 'compose.yaml', 'config', '-q'], folder), { message: /mem_limits/ })
  const unset = { ...left, SERVICE_PUBLIC_URL: '' }
  const without = promisify(execFile)(await program('docker-compose', 'docker-compose'), ['-f', 'compose.yaml', 'config', '-q'], {
    cwd: join(projectRoot, 'compose'),
    env: { ...process.env, ...unset }
  })
  await t.rejects(without, { message: /the public address, https:\/\/name/ })
})

t.test('promtool and Caddy accept their configuration files', async (t) => {
  const promtool = (...args: string[]): Promise<string> => told('promtool', 'prometheus', args)
  t.match(await promtool('check', 'rules', 'alerts.yaml'), /SUCCESS: \d+ rules found/)
  t.match(await promtool('test', 'rules', '../test/compose/alerts.yaml'), 'SUCCESS')
  t.match(await promtool('check', 'config', '--syntax-only', 'prometheus.yaml'), 'SUCCESS')
  await t.rejects(promtool('check', 'rules', 'prometheus.yaml'))
  t.match(await told('caddy', 'caddy', ['validate', '--config', 'Caddyfile', '--adapter', 'caddyfile']), 'Valid configuration')
  writeFileSync(join(folder, 'Caddyfile'), composeFile('Caddyfile').replace('reverse_proxy', 'reverse-proxy'))
  await t.rejects(told('caddy', 'caddy', ['validate', '--config', 'Caddyfile', '--adapter', 'caddyfile'], folder), {
    message: /reverse-proxy/
  })
})
