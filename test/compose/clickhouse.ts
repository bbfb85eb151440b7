/**
 * Checks the ClickHouse servers against the configuration that they share and the addresses that
 * analytics is given. Returns faults as sentences, as checks.ts does.
 */
import type { Service, Stack } from './stack.ts'

/**
 * Contents of all elements with a name. No element in the file contains another of the same name.
 */
const all = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([\\s\\S]*?)</${name}>`, 'g'))].map(([, content = '']) => content.trim())
const first = (xml: string, name: string): string => all(xml, name)[0] ?? ''

const CONFIG = './clickhouse.xml:/etc/clickhouse-server/config.d/cluster.xml:ro'
const DATA = '/var/lib/clickhouse'
const HTTP_PORT = 8123

const serversOf = (stack: Stack): [string, Service][] =>
  Object.entries(stack.services).filter(([, { image = '' }]) => image.startsWith('clickhouse/'))

/** With one server there must be no cluster. */
function singleFaults(stack: Stack): string[] {
  const names = serversOf(stack).map(([name]) => name)
  return [
    ...(names.length === 1 ? [] : [`${names.length} servers of ClickHouse, and analytics is told of no cluster`]),
    ...serversOf(stack).flatMap(([name, { volumes = [] }]) =>
      volumes.includes(CONFIG) ? [`${name} reads the configuration of a cluster`] : []
    )
  ]
}

/**
 * `config`: the file that the servers share. `secrets`: contents of the files that secrets.sh
 * creates, by name.
 */
export function clickhouseFaults(stack: Stack, config: string, secrets: Record<string, string>): string[] {
  const cluster = stack.services.analytics?.environment?.SERVICE_CLICKHOUSE_CLUSTER
  if (cluster === undefined) return singleFaults(stack)
  const xml = config.replace(/<!--[\s\S]*?-->/g, '')
  const servers = serversOf(stack)
  const names = servers.map(([name]) => name)
  const named = names.join(', ')
  const keepers = all(first(xml, 'raft_configuration'), 'server').map((server) => ({
    id: first(server, 'id'),
    name: first(server, 'hostname')
  }))
  const hosts = (section: string, element: string): string =>
    all(first(xml, section), element)
      .map((entry) => first(entry, 'host'))
      .join(', ')
  const addresses = (secrets.clickhouse_urls ?? '').split(',').map((address) => (URL.canParse(address) ? new URL(address) : null))
  const asked = addresses.map((url) => url?.hostname ?? '').join(', ')
  const path = first(xml, 'include_from')
  const included = [...xml.matchAll(/ incl="(\w+)"/g)].map(([, name = '']) => name)
  const data = servers.map(([, { volumes = [] }]) => volumes.find((volume) => volume.endsWith(`:${DATA}`))?.split(':')[0] ?? '')
  const faults = [
    [servers.length >= 3 && servers.length % 2 === 1, `${servers.length} servers: a majority is left without one of three, five or more`],
    [hosts('remote_servers', 'replica') === named, `the cluster is ${hosts('remote_servers', 'replica')}, the servers are ${named}`],
    [all(first(xml, 'remote_servers'), 'shard').length === 1, 'every server has every row: one shard'],
    [
      first(first(xml, 'remote_servers'), String(cluster)) !== '',
      `analytics is told of the cluster ${cluster}, which the servers do not know`
    ],
    [hosts('zookeeper', 'node') === named, `Keeper is asked at ${hosts('zookeeper', 'node')}, the servers are ${named}`],
    [
      all(first(xml, 'zookeeper'), 'port').every((port) => port === first(xml, 'tcp_port')),
      `Keeper listens on ${first(xml, 'tcp_port')}, and is asked elsewhere`
    ],
    [
      keepers.map(({ name }) => name).join(', ') === named,
      `the Keepers are ${keepers.map(({ name }) => name).join(', ')}, the servers are ${named}`
    ],
    [new Set(keepers.map(({ id }) => id)).size === keepers.length, `two Keepers have one id: ${keepers.map(({ id }) => id).join(', ')}`],
    [new Set(data).size === servers.length && !data.includes(''), `servers share a volume: ${data.join(', ')}`],
    [
      asked === named && addresses.every((url) => url?.port === String(HTTP_PORT)),
      `analytics asks ${asked} on ${HTTP_PORT}, the servers are ${named}`
    ],
    [/<replica from_env="CLICKHOUSE_REPLICA"\/>/.test(first(xml, 'macros')), 'the macro replica is not the name of the server'],
    [/<interserver_http_host from_env="CLICKHOUSE_REPLICA"\/>/.test(xml), 'parts are not fetched under the name of the server'],
    [/<server_id from_env="CLICKHOUSE_KEEPER_ID"\/>/.test(xml), 'the number of a Keeper is not that of the server'],
    [path === '/run/secrets/clickhouse_secrets', `secrets are included from ${path}`],
    ...included.map((name) => [Boolean(first(secrets.clickhouse_secrets ?? '', name)), `secrets.sh makes no ${name}`] as const)
  ] as const
  return [
    ...faults.filter(([holds]) => !holds).map(([, words]) => words),
    ...servers.flatMap(([name, { environment = {}, volumes = [], secrets: handed = [] }]) => {
      const id = keepers.find((keeper) => keeper.name === name)?.id
      return [
        ...(environment.CLICKHOUSE_REPLICA === name ? [] : [`${name} calls itself ${environment.CLICKHOUSE_REPLICA}`]),
        ...(String(environment.CLICKHOUSE_KEEPER_ID) === id
          ? []
          : [`${name} is Keeper ${environment.CLICKHOUSE_KEEPER_ID}, the others know it as ${id}`]),
        ...(volumes.includes(CONFIG) ? [] : [`${name} does not read the configuration of the cluster`]),
        ...(handed.includes('clickhouse_secrets') ? [] : [`${name} is not handed clickhouse_secrets`])
      ]
    })
  ]
}
