/**
 * Consistency checks between compose/ and the code. Each returns its faults as sentences;
 * compose.test.ts runs it on the files and on planted faults.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'
import { endpoints } from '../../schemas/http/endpoints.ts'
import { topicNames } from '../../schemas/topics.ts'
import { doors } from '../../services/intake/doors/doors.ts'
import { segments } from '../../services/intake/doors/native.ts'
import { registryUrl } from '../../services/local/registry.ts'
import { readProberSettings } from '../../services/prober/settings.ts'
import { ConfigError, type Need, readConfig } from '../../services/process/config.ts'
import {
  connectionsOf,
  domainPath,
  exportedMetrics,
  type Front,
  filled,
  internalPaths,
  knownVariables,
  roleNeeds,
  type Service,
  type Stack,
  takerOf,
  variableOf
} from './stack.ts'

type Faults = string[]

const OURS = /^monitoring-incident-service:/
const SECRET_FILE = /\/run\/secrets\/([a-z_]+)/g
const entries = (stack: Stack): [string, Service][] => Object.entries(stack.services)
export const ours = (stack: Stack): [string, Service][] => entries(stack).filter(([, { image = '' }]) => OURS.test(image))
/** Services that run roles; the others have an entrypoint of their own. */
const withRoles = (stack: Stack): [string, Service][] => ours(stack).filter(([, { entrypoint }]) => entrypoint === undefined)
const environmentOf = ({ environment = {} }: Service): [string, string][] =>
  Object.entries(environment).map(([name, value]) => [name, String(value)])

export function variableFaults(stack: Stack, more: readonly string[] = []): Faults {
  const known = knownVariables()
  const set = [
    ...ours(stack).flatMap(([service, spec]) => environmentOf(spec).map(([name]) => [service, name])),
    ...more.map((name) => ['Dockerfile', name])
  ]
  return set
    .filter(([, name = '']) => !known.has(name) && name !== 'NODE_ENV')
    .map(([service, name]) => `${service} sets ${name}, which nobody reads`)
}

const credentials: readonly Need[] = ['tenant', 'system', 'owner']

export function roleFaults(stack: Stack): Faults {
  const needs = roleNeeds()
  const faults: Faults = []
  for (const [service, { command = [], ...spec }] of withRoles(stack)) {
    const set = environmentOf(spec).map(([name]) => name.replace(/_FILE$/, ''))
    if (command.length === 0) faults.push(`${service} names no role`)
    faults.push(
      ...command.filter((role) => !needs.has(role)).map((role) => `${service} runs ${role}, which services/process/run.ts does not know`)
    )
    const wanted = command.flatMap((role) => needs.get(role) ?? [])
    faults.push(...wanted.filter((need) => !set.includes(variableOf(need))).map((need) => `${service} lacks ${variableOf(need)}`))
    const spare = credentials.filter((need) => !wanted.includes(need) && set.includes(variableOf(need)))
    faults.push(...spare.map((need) => `${service} is handed ${variableOf(need)} and needs none`))
  }
  const run = withRoles(stack).flatMap(([, { command = [] }]) => command)
  faults.push(...[...needs.keys()].filter((role) => !run.includes(role)).map((role) => `nobody runs ${role}`))
  for (const [service, { entrypoint }] of ours(stack)) {
    const file = entrypoint?.find((word) => word.startsWith('dist/'))
    if (entrypoint && (!file || !existsSync(join(projectRoot, file.replace(/^dist\/(.*)\.js$/, '$1.ts')))))
      faults.push(`${service} starts ${file}, which is not built`)
  }
  return faults
}

/**
 * Reads the configuration of every role as its process would: secrets from `folder`, and `values`
 * for the variables that compose.yaml leaves to the environment.
 */
export function configurationFaults(stack: Stack, folder: string, values: Record<string, string>): Faults {
  const needs = roleNeeds()
  const fill = (text: string): string => filled(text, values).replace(SECRET_FILE, (_, name: string) => join(folder, name))
  return withRoles(stack).flatMap(([service, { command = [], ...spec }]) => {
    const environment = Object.fromEntries(environmentOf(spec).map(([name, value]) => [name, fill(value)]))
    try {
      readConfig(
        environment,
        command.flatMap((role) => needs.get(role) ?? [])
      )
      if (command.includes('prober')) readProberSettings(environment, service)
      return []
    } catch (error) {
      if (error instanceof ConfigError) return [`${service}: ${error.message}`]
      throw error
    }
  })
}

const share = (one: Service, other: Service): boolean => (one.networks ?? []).some((network) => other.networks?.includes(network))

/**
 * Checks every address of one service that another is given: the service exists, it listens there,
 * and a network joins the two. `metricsPort`: the port of the internal listeners.
 */
export function addressFaults(stack: Stack, proxy: Front, metricsPort: string): Faults {
  const faults: Faults = []
  const { apiPort, intakePort, gatewayPort } = readConfig({}, [])
  const analytics = new URL(String(stack.services.analytics?.environment?.SERVICE_ANALYTICS_URL))
  const ports: Record<string, readonly number[]> = {
    api: [apiPort],
    intake: [intakePort],
    gateway: [gatewayPort],
    analytics: [Number(analytics.port)],
    caddy: proxy.listeners
  }
  const registryPath = new URL(registryUrl(8080)).pathname
  const check = (from: string, to: string, port: number): void => {
    const [one, other] = [stack.services[from], stack.services[to]]
    const advertised = /PLAINTEXT:\/\/[^:]+:(\d+)/.exec(String(other?.environment?.KAFKA_ADVERTISED_LISTENERS ?? ''))?.[1]
    const listens = ports[to] ?? (advertised ? [Number(advertised)] : [8080])
    if (!one || !other) faults.push(`${from} is told of ${to}, which is no service`)
    else if (!listens.includes(port)) faults.push(`${from} is told of ${to}:${port}, which listens on ${listens.join(', ')}`)
    else if (!share(one, other)) faults.push(`${from} and ${to} share no network`)
  }
  for (const { service, port } of Object.values(proxy.upstreams)) check('caddy', service, port)
  const ask = URL.canParse(proxy.ask) ? new URL(proxy.ask) : null
  // The endpoint is on the internal listener, with metrics and health.
  if (ask?.hostname !== 'api' || ask.port !== metricsPort || ask.pathname !== domainPath())
    faults.push(`caddy asks ${proxy.ask || 'nobody'} about names, not http://api:${metricsPort}${domainPath()}`)
  for (const [service, spec] of ours(stack)) {
    for (const [name, value] of environmentOf(spec)) {
      if (name === 'SERVICE_KAFKA_BROKERS')
        for (const broker of value.split(',')) check(service, broker.split(':')[0] ?? '', Number(broker.split(':')[1]))
      else if (/^SERVICE_(SCHEMA_REGISTRY|PROBER|ANALYTICS)_URL$/.test(name) && service !== 'analytics') {
        const url = new URL(value)
        check(service, url.hostname, Number(url.port))
        if (name === 'SERVICE_SCHEMA_REGISTRY_URL' && url.pathname !== registryPath)
          faults.push(`${service}: the registry answers at ${registryPath}, not ${url.pathname}`)
      }
    }
    for (const other of Object.keys(spec.depends_on ?? {}))
      if (!stack.services[other]) faults.push(`${service} waits for ${other}, which is no service`)
  }
  return faults
}

/**
 * Checks the image's variables and its health check: port and path must be those of the internal
 * listener.
 */
export function healthFaults(dockerfile: string, scrape: { port: number; path: string; names: string[] }, stack: Stack): Faults {
  const faults: Faults = []
  const port = Number(/SERVICE_METRICS_PORT=(\d+)/.exec(dockerfile)?.[1])
  const check = /fetch\('http:\/\/127\.0\.0\.1:(\d+)([^']+)'\)/.exec(dockerfile)
  if (Number(check?.[1]) !== port) faults.push(`the health check asks port ${check?.[1]}, metrics are on ${port}`)
  if (!internalPaths().includes(check?.[2] ?? '')) faults.push(`the health check asks ${check?.[2]}, which nobody answers`)
  if (scrape.port !== port) faults.push(`Prometheus asks port ${scrape.port}, metrics are on ${port}`)
  if (!internalPaths().includes(scrape.path)) faults.push(`Prometheus asks ${scrape.path}, which nobody answers`)
  const running = withRoles(stack).map(([name]) => name)
  faults.push(...running.filter((name) => !scrape.names.includes(name)).map((name) => `Prometheus does not ask ${name}`))
  faults.push(...scrape.names.filter((name) => !running.includes(name)).map((name) => `Prometheus asks ${name}, which is no service`))
  for (const [name, { image = '', healthcheck }] of entries(stack))
    if (!OURS.test(image) && !healthcheck?.test) faults.push(`${name} has no health check`)
  return faults
}

/**
 * Checks the replication settings of the brokers, because the migrate step uses their defaults for
 * all topics.
 */
export function replicationFaults(stack: Stack): Faults {
  const brokers = entries(stack).filter(([, { environment }]) => environment?.KAFKA_NODE_ID !== undefined)
  const voters = brokers.map(([name, { environment }]) => `${environment?.KAFKA_NODE_ID}@${name}:9093`)
  const pairs = [
    ['KAFKA_DEFAULT_REPLICATION_FACTOR', 'KAFKA_MIN_INSYNC_REPLICAS', topicNames.join(', ')],
    ['KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR', 'KAFKA_MIN_INSYNC_REPLICAS', 'positions of groups'],
    ['KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR', 'KAFKA_TRANSACTION_STATE_LOG_MIN_ISR', 'transactions'],
    ['KAFKA_SHARE_COORDINATOR_STATE_TOPIC_REPLICATION_FACTOR', 'KAFKA_SHARE_COORDINATOR_STATE_TOPIC_MIN_ISR', 'share groups']
  ] as const
  return brokers.flatMap(([name, { environment = {} }]) => [
    ...pairs.flatMap(([factor, least, what]) => {
      const [copies, inSync] = [Number(environment[factor]), Number(environment[least])]
      if (copies !== Math.min(brokers.length, 3)) return [`${name}: ${copies} copies of ${what} on ${brokers.length} broker(s)`]
      return inSync === Math.max(1, copies - 1)
        ? []
        : [`${name}: ${least} is ${inSync} of ${copies}: either an outage of one stops writing, or one copy acknowledges`]
    }),
    ...(String(environment.KAFKA_CONTROLLER_QUORUM_VOTERS) === voters.join(',') ? [] : [`${name}: the voters are not ${voters.join(',')}`])
  ])
}

/** `made`: names of the files that secrets.sh creates. */
export function secretFaults(stack: Stack, made: readonly string[]): Faults {
  const faults: Faults = []
  for (const [service, spec] of entries(stack)) {
    const { secrets = [], command = [] } = spec
    faults.push(
      ...secrets.filter((name) => !(name in stack.secrets)).map((name) => `${service} names the secret ${name}, which is not declared`)
    )
    for (const text of [...environmentOf(spec).map(([, value]) => value), ...command, ...(spec.healthcheck?.test ?? [])])
      for (const [, name = ''] of String(text).matchAll(SECRET_FILE))
        if (!secrets.includes(name)) faults.push(`${service} reads the secret ${name}, which it is not handed`)
    for (const [name, value] of environmentOf(spec))
      if (/(PASSWORD|SECRET|TOKEN|(?<!_PUBLIC)_KEY|POSTGRES\w*_URL|CLICKHOUSE_URL)$/.test(name))
        faults.push(`${service}: ${name} is a secret and stands in the file${value ? '' : ', empty'}`)
  }
  for (const [name, { file }] of Object.entries(stack.secrets)) {
    if (file !== `./secrets/${name}`) faults.push(`the secret ${name} is in ${file}`)
    if (!made.includes(name)) faults.push(`secrets.sh does not make ${name}`)
  }
  return faults
}

/** Checks the names of metrics in PromQL expressions. */
export function metricFaults(expressions: readonly string[]): Faults {
  const exported = exportedMetrics()
  const known = (name: string): boolean => exported.has(name) || exported.get(name.replace(/_(bucket|sum|count)$/, '')) === 'histogram'
  const used = expressions.flatMap((expression) => expression.replace(/"[^"]*"/g, '').match(/\bservice_[a-z0-9_]+/g) ?? [])
  return [...new Set(used)].filter((name) => !known(name)).map((name) => `${name} is exported by nobody`)
}

/** `routes`: the patterns of the ping, result and WebSocket doors, from their source files. */
export function pathFaults(proxy: Front, routes: { intake: readonly string[]; gateway: readonly string[] }): Faults {
  const example = (path: string): string => path.replace(/:\w+|\{\w+\}/g, 'x').replace(/\*$/, 'x/y')
  const intake = [...doors.flatMap(({ paths }) => paths), ...segments.map((segment) => `/api/v1/${segment}/*`), ...routes.intake]
  const expected: [path: string, role: string][] = [
    ...intake.map((path): [string, string] => [path, 'intake']),
    ...routes.gateway.map((path): [string, string] => [path, 'gateway']),
    ...Object.values(endpoints).map(({ path }): [string, string] => [path, intake.includes(path) ? 'intake' : 'api'])
  ]
  return expected
    .map(([path, role]) => ({ path, role, found: proxy.upstreams[takerOf(proxy, example(path))]?.service ?? 'nobody' }))
    .filter(({ role, found }) => found !== role)
    .map(({ path, role, found }) => `${path} goes to ${found}, not to ${role}`)
}

const seconds = (text = '0s'): number => Number(/^(\d+)s$/.exec(text)?.[1] ?? 0)
/** Seconds after which services/process/run.ts ends a process that is still closing. */
const CLOSING_SECONDS = 15

export function hardeningFaults(stack: Stack): Faults {
  return [
    ...entries(stack).flatMap(([name, { restart, mem_limit, cpus, logging }]) => [
      ...(restart ? [] : [`${name} is not restarted`]),
      ...(mem_limit ? [] : [`${name} may take all memory`]),
      ...(cpus ? [] : [`${name} may take all processors`]),
      ...(logging ? [] : [`the log of ${name} grows without end`])
    ]),
    ...ours(stack).flatMap(([name, { read_only, user, cap_drop, stop_grace_period }]) => [
      ...(read_only ? [] : [`${name} may write its own file system`]),
      ...(user && !/^(0|root)\b/.test(user) ? [] : [`${name} runs as root`]),
      ...(cap_drop?.includes('ALL') ? [] : [`${name} keeps capabilities`]),
      ...(seconds(stop_grace_period) > CLOSING_SECONDS ? [] : [`${name} is killed while it closes`])
    ]),
    ...entries(stack).flatMap(([name, { networks = [], volumes = [] }]) => [
      ...networks.filter((network) => !(network in stack.networks)).map((network) => `${name} is on ${network}, which is not declared`),
      ...volumes
        .map((volume) => volume.split(':')[0] ?? '')
        .filter((volume) => !volume.startsWith('.') && !(volume in stack.volumes))
        .map((volume) => `${name}: the volume ${volume} is not declared`)
    ])
  ]
}

const replicas = ({ deploy }: Service): number => deploy?.replicas ?? 1
const GIB = { m: 1 / 1024, g: 1 }
const gibibytes = (limit = ''): number => {
  const [, figure, unit] = /^(\d+)([mg])$/.exec(limit) ?? []
  return Number(figure) * GIB[unit as keyof typeof GIB]
}

/**
 * Checks the figures of docs/operations.md: memory of the services that stay up, and connections to
 * Postgres, which must be fewer than the server accepts.
 */
export function guideFaults(guide: string, one: Stack, cluster: Stack): Faults {
  const [alone, three] = [one, cluster].map((stack) =>
    entries(stack)
      .filter(([, { restart }]) => restart === 'unless-stopped')
      .reduce((sum, [, service]) => sum + gibibytes(service.mem_limit) * replicas(service), 0)
  )
  const roles = withRoles(cluster).map(([name, service]) => [name, connectionsOf(service.command?.[0] ?? ''), replicas(service)] as const)
  const registry = Number(cluster.services.registry?.environment?.APICURIO_DATASOURCE_JDBC_MAX_SIZE)
  const total = roles.reduce((sum, [, connections, instances]) => sum + connections * instances, registry)
  const most = Number(/max_connections=(\d+)/.exec(cluster.services.postgres?.command?.join(' ') ?? '')?.[1])
  const said = [
    `is ${alone} GiB of memory, \`cluster.yaml\` ${three} GiB`,
    ...roles.filter(([, connections]) => connections > 0).map(([name, connections]) => `${name} ${connections}`),
    `the registry ${registry}`,
    `comes to ${total} with`,
    `\`max_connections\` is ${most}`
  ]
  const text = guide.replace(/\s+/g, ' ')
  return [
    ...said.filter((words) => !text.includes(words)).map((words) => `the guide does not say: ${words}`),
    ...(total < most ? [] : [`${total} connections to Postgres, which takes ${most}`])
  ]
}
