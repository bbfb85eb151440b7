/**
 * The environment of the supervisor and of its processes: every fault is reported at once, and each
 * process gets only the variables it needs.
 */
import { join } from 'node:path'
import t from 'tap'
import { readLocalOptions } from '../../../services/local/options.ts'
import { environmentOf, processNames, type RoleAddresses } from '../../../services/local/roles.ts'
import { proberVariables } from '../../../services/prober/settings.ts'
import { ConfigError, configVariables, readConfig } from '../../../services/process/config.ts'
import { readVariables } from '../../../services/process/environment.ts'

t.test('without settings every engine is started locally', async (t) => {
  const none = { kafkaBrokers: null, registryUrl: null, postgresUrl: null, publicUrl: null, ports: {}, host: '127.0.0.1' }
  t.match(readLocalOptions({}), none)
  t.match(readLocalOptions({ SERVICE_KAFKA_BROKERS: '', SERVICE_POSTGRES_URL: '', SERVICE_API_PORT: '' }), none)
})

t.test('a configured address replaces an engine', async (t) => {
  const options = readLocalOptions({
    SERVICE_KAFKA_BROKERS: 'a:9092, b:9092',
    SERVICE_SCHEMA_REGISTRY_URL: 'http://r/apis/ccompat/v7',
    SERVICE_POSTGRES_URL: 'postgres://owner@db/service',
    SERVICE_API_PORT: '9000',
    SERVICE_TOPIC_PREFIX: 'eu-',
    SERVICE_KAFKA_JAVA_OPTIONS: ' -Xmx1g  -XX:TieredStopAtLevel=4 ',
    SERVICE_PUBLIC_URL: 'https://alerts.example.com/'
  })
  t.match(options, {
    kafkaBrokers: ['a:9092', 'b:9092'],
    registryUrl: 'http://r/apis/ccompat/v7',
    postgresUrl: 'postgres://owner@db/service'
  })
  t.same(options.ports, { api: { port: 9000, variable: 'SERVICE_API_PORT' } })
  t.equal(options.publicUrl, 'https://alerts.example.com')
  t.equal(options.topicPrefix, 'eu-')
  t.same(options.kafkaJavaOptions, ['-Xmx1g', '-XX:TieredStopAtLevel=4'])
})

t.test('all configuration faults are reported at once, without secrets', async (t) => {
  const environment = {
    SERVICE_API_PORT: '70000',
    SERVICE_GATEWAY_PORT: 'web',
    SERVICE_KAFKA_BROKERS: 'localhost',
    SERVICE_SCHEMA_REGISTRY_URL: 'registry:8081',
    SERVICE_POSTGRES_URL: 'mysql://root:hunter2@db/service',
    SERVICE_POSTGRES_TENANT_URL_FILE: '/nowhere/at/all'
  }
  try {
    readLocalOptions(environment)
    t.fail('it throws')
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    t.match(error.message, /6 fault/)
    for (const name of Object.keys(environment)) t.match(error.message, name)
    t.notMatch(error.message, 'hunter2')
  }
})

t.test('a process requires only the variables of its roles', async (t) => {
  t.throws(() => readConfig({}), { message: /SERVICE_KAFKA_BROKERS[\s\S]*SERVICE_SCHEMA_REGISTRY_URL[\s\S]*TENANT_URL[\s\S]*SYSTEM_URL/ })
  t.throws(() => readConfig({}, ['tenant']), { message: 'The configuration has 1 fault(s):\n  SERVICE_POSTGRES_TENANT_URL: required' })
  t.match(readConfig({}, []), { kafkaBrokers: [], postgresSystemUrl: '' })
})

t.test('further domains must be host names', async (t) => {
  t.same(readConfig({}, []).domains, [])
  t.same(readConfig({ SERVICE_DOMAINS: 'Status.Example.com, xn--bcher-kva.example' }, []).domains, [
    'status.example.com',
    'xn--bcher-kva.example'
  ])
  const wrong = [
    '*.example.com',
    'https://example.com',
    'example.com:443',
    'example',
    '192.0.2.1',
    'a..example',
    `${'a'.repeat(64)}.example`,
    'bücher.example'
  ]
  for (const domain of wrong) {
    const expected = `SERVICE_DOMAINS: expected host names such as status.example.com, got "${domain}"`
    t.throws(() => readConfig({ SERVICE_DOMAINS: `good.example,${domain}` }, []), { message: expected })
  }
})

const addresses: RoleAddresses = {
  kafkaBrokers: ['127.0.0.1:1'],
  registryUrl: 'http://127.0.0.1:2/apis/ccompat/v7',
  tenantUrl: 'postgres://service_tenant:t@127.0.0.1:3/service',
  systemUrl: 'postgres://service_system:s@127.0.0.1:3/service',
  publicUrl: 'http://127.0.0.1:4',
  host: '127.0.0.1',
  dataDir: '/data',
  apiPort: 4,
  intakePort: 5,
  gatewayPort: 6,
  metricsPorts: Object.fromEntries(processNames.map((name, index) => [name, 7 + index])) as RoleAddresses['metricsPorts'],
  secretsKey: 'k'.repeat(64),
  analyticsUrl: 'unix:/data/analytics.sock',
  proberTokens: { 'eu-central': 'prober_eu', 'us-east': 'prober_us', 'ap-south': 'prober_ap' },
  ownListeners: ['127.0.0.1:1', '127.0.0.1:4']
}

t.test('each process gets only its own credentials', async (t) => {
  const base = {
    PATH: '/bin',
    SERVICE_POSTGRES_URL: 'postgres://owner:o@db/service',
    SERVICE_POSTGRES_SYSTEM_URL_FILE: '/x',
    SERVICE_LOG_LEVEL: 'debug',
    SERVICE_PROBER_TOKEN: 'prober_other',
    SERVICE_SECRETS_KEY: 's'.repeat(64),
    PROBER_ALLOW_CIDRS: '10.0.0.0/8',
    SERVICE_TRUSTED_PROXIES: '192.0.2.1',
    SERVICE_SMTP_URL: 'smtp://user:secret@mail.example',
    SERVICE_SLACK_SIGNING_SECRET: 'signing',
    SERVICE_CLICKHOUSE_URL: 'http://service:secret@ch.example:8123',
    SERVICE_TWILIO_AUTH_TOKEN_FILE: '/run/twilio',
    npm_config_x: '1'
  }
  const readBy: Record<string, string[]> = {
    SERVICE_SMTP_URL: ['api', 'background'],
    SERVICE_SLACK_SIGNING_SECRET: ['api'],
    SERVICE_CLICKHOUSE_URL: ['analytics'],
    SERVICE_TWILIO_AUTH_TOKEN_FILE: ['api', 'background']
  }
  for (const name of processNames) {
    const environment = environmentOf(name, addresses, base)
    const told = (prefix: string): string[] =>
      Object.keys(environment)
        .filter((key) => key.startsWith(prefix))
        .sort()
    const tenant = ['api', 'intake', 'gateway'].includes(name)
    const system = ['processors', 'background'].includes(name)
    const urls = [tenant && 'SERVICE_POSTGRES_TENANT_URL', system && 'SERVICE_POSTGRES_SYSTEM_URL'].filter(Boolean)
    t.same(told('SERVICE_POSTGRES'), urls, name)
    t.match(environment, {
      PATH: '/bin',
      SERVICE_LOG_LEVEL: 'debug',
      SERVICE_SUPERVISED: '1',
      SERVICE_METRICS_PORT: String(addresses.metricsPorts[name])
    })
    t.equal(environment.npm_config_x, undefined)
    for (const [variable, names] of Object.entries(readBy)) t.equal(variable in environment, names.includes(name), `${name}: ${variable}`)
    t.equal(environment.SERVICE_SECRETS_KEY, ['api', 'intake', 'background'].includes(name) ? addresses.secretsKey : undefined)
    if (name.startsWith('prober-')) {
      const region = name.slice('prober-'.length) as keyof typeof addresses.proberTokens
      t.equal(environment.SERVICE_PROBER_TOKEN, addresses.proberTokens[region], 'each its own')
      t.equal(environment.SERVICE_PROBER_BLOCK, '127.0.0.1:1,127.0.0.1:4')
      t.equal(environment.PROBER_ALLOW_CIDRS, '10.0.0.0/8')
      t.equal(environment.SERVICE_KAFKA_BROKERS, undefined)
    } else {
      t.equal(environment.SERVICE_PROBER_TOKEN, undefined)
      t.equal(environment.SERVICE_KAFKA_BROKERS, name === 'api' ? '' : '127.0.0.1:1')
    }
    // The api is the proxy of the two others. In front of the api, only addresses that the operator
    // named are trusted.
    const proxies = { api: '192.0.2.1', intake: '127.0.0.1,::1,192.0.2.1', gateway: '127.0.0.1,::1,192.0.2.1' }
    if (name in proxies) t.equal(environment.SERVICE_TRUSTED_PROXIES, proxies[name as keyof typeof proxies])
    t.equal(environment.SERVICE_PROBER_ALLOW_CIDRS, name === 'api' ? '10.0.0.0/8' : undefined)
  }
})

t.test('proxies that a file names are trusted by the api and by the roles after it', async (t) => {
  const dir = t.testdir({ proxies: '192.0.2.1, 192.0.2.2\n' })
  const base = { SERVICE_TRUSTED_PROXIES_FILE: join(dir, 'proxies') }
  const trusted = (name: 'api' | 'intake') =>
    readVariables(environmentOf(name, addresses, base), { trusted: configVariables.trustedProxies }).values.trusted
  t.same(trusted('api'), ['192.0.2.1', '192.0.2.2'])
  t.same(trusted('intake'), ['127.0.0.1', '::1', '192.0.2.1', '192.0.2.2'])
})

t.test('networks in a file are open to the probers and the api', async (t) => {
  const dir = t.testdir({ networks: '10.0.0.0/8\n' })
  const base = { PROBER_ALLOW_CIDRS_FILE: join(dir, 'networks') }
  const api = environmentOf('api', addresses, base)
  t.same(readVariables(api, { open: configVariables.proberAllowCidrs }).values.open, ['10.0.0.0/8'])
  const prober = environmentOf('prober-us-east', addresses, base)
  t.same(readVariables(prober, { open: proberVariables.open }).values.open, ['10.0.0.0/8'])
})
