/**
 * Reads the settings of a process once, into one frozen, validated object. All faults are reported
 * together, then the process exits with code 2. What a variable does is said in its table, from
 * which docs/configuration.md is made (`npm run generate`). Durations carry their unit in the name.
 */
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { BOT_TOKEN } from '../channels/telegram-hook.ts'
import { parseNetwork } from '../http/networks.ts'
import { ConfigError, everyRole, HTTP, POSTGRES, readVariables, type Values, type Variables } from './environment.ts'
import { isPublicKey } from './mail-keys.ts'
import { isSigningKey, serviceAccountOf } from './push-accounts.ts'
import { isThisMachine } from './this-machine.ts'

export { ConfigError } from './environment.ts'

/**
 * The settings that a process requires for its work. Settings that it does not need may be missing,
 * so that each process is given no more than it needs.
 */
export type Need = 'kafka' | 'registry' | 'tenant' | 'system' | 'owner'

/**
 * A name of DNS with a dot in it, others than ASCII as xn--…: no address, port, path or wildcard.
 * At most 253 characters, 63 a label (RFC 1035, 2.3.4).
 */
const isDomain = (text: string): boolean =>
  text.length <= 253 && /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/.test(text)
const isNetwork = (text: string): boolean => parseNetwork(text) !== null

/** A JSON object of addresses. */
function isAddresses(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return false
    return Object.values(value).every((one) => typeof one === 'string' && /^https?:\/\//.test(one) && URL.canParse(one))
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

const MIN_ANALYTICS_SECRET = 16

const processes = {
  dataDir: {
    name: 'SERVICE_DATA_DIR',
    kind: 'folder',
    fallback: '.data',
    readers: ['analytics', 'migrate', 'provision', 'budget'],
    says: 'Folder for the files of a process: the data of an `analytics` without a ClickHouse server, and its socket. The commands read the addresses of a local run from it.'
  },
  instance: {
    name: 'SERVICE_INSTANCE',
    kind: 'text',
    fallback: '<host name>-<process id>',
    readers: ['api', 'intake', 'processors', 'relay', 'notifier', 'analytics', 'prober'],
    says: 'Name of this instance in its Kafka client names, records and counters.'
  },
  logLevel: {
    name: 'SERVICE_LOG_LEVEL',
    kind: 'choice',
    of: ['fatal', 'error', 'warn', 'info', 'debug'],
    fallback: 'info',
    readers: everyRole,
    says: 'Lowest level that is logged. Lines of lower levels are not written.'
  },
  processors: {
    name: 'SERVICE_PROCESSORS',
    kind: 'list',
    separator: /[\s,]+/,
    fallback: '',
    readers: ['processors'],
    says: 'Names of the processors that this instance runs, with commas or spaces between them. When empty, it runs all of them.'
  },
  jobLeaseMs: {
    name: 'SERVICE_JOB_LEASE_MS',
    kind: 'integer',
    fallback: 20_000,
    min: 1000,
    max: 300_000,
    unit: 'ms',
    readers: ['notifier'],
    says: 'When a worker has not finished a job after this time, another worker takes the job. An escalation step can be this late when its worker dies.'
  }
} as const satisfies Variables

const engines = {
  kafkaBrokers: {
    name: 'SERVICE_KAFKA_BROKERS',
    kind: 'brokers',
    need: 'kafka',
    readers: ['intake', 'gateway', 'processors', 'relay', 'clock', 'notifier', 'analytics', 'migrate'],
    says: 'Kafka brokers, with commas between them.'
  },
  topicPrefix: {
    name: 'SERVICE_TOPIC_PREFIX',
    kind: 'text',
    fallback: '',
    readers: ['intake', 'gateway', 'processors', 'relay', 'clock', 'notifier', 'analytics', 'migrate'],
    says: 'Prefix of every topic and consumer group, for installations that share brokers. It must not change after the first `npm run migrate`.'
  },
  kafkaSessionTimeoutMs: {
    name: 'SERVICE_KAFKA_SESSION_TIMEOUT_MS',
    kind: 'integer',
    fallback: 8000,
    min: 1500,
    max: 60_000,
    unit: 'ms',
    readers: ['processors', 'analytics'],
    says: 'A Kafka consumer that is silent for this time loses its partitions. Brokers of your own refuse less than their `group.min.session.timeout.ms`, by default 6,000.'
  },
  registryUrl: {
    name: 'SERVICE_SCHEMA_REGISTRY_URL',
    kind: 'url',
    protocols: HTTP,
    need: 'registry',
    readers: ['api', 'intake', 'processors', 'relay', 'clock', 'notifier', 'analytics', 'migrate', 'budget'],
    says: 'Address of a schema registry with Confluent’s API.'
  },
  postgresUrl: {
    name: 'SERVICE_POSTGRES_URL',
    kind: 'url',
    protocols: POSTGRES,
    need: 'owner',
    readers: ['migrate'],
    says: 'Address of the database for its owner. It is never passed to a role such as `api`.'
  },
  postgresTenantUrl: {
    name: 'SERVICE_POSTGRES_TENANT_URL',
    kind: 'url',
    protocols: POSTGRES,
    need: 'tenant',
    readers: ['api', 'intake', 'gateway', 'migrate'],
    says: 'Address of the database for the Postgres role `service_tenant`. Row-level security applies to this role.'
  },
  postgresSystemUrl: {
    name: 'SERVICE_POSTGRES_SYSTEM_URL',
    kind: 'url',
    protocols: POSTGRES,
    need: 'system',
    readers: ['processors', 'relay', 'clock', 'notifier', 'migrate', 'provision', 'budget'],
    says: 'Address of the database for the Postgres role `service_system`. This role works for all workspaces.'
  },
  clickhouseUrls: {
    name: 'SERVICE_CLICKHOUSE_URL',
    kind: 'urls',
    protocols: HTTP,
    fallback: '',
    readers: ['analytics'],
    says: 'Address of a ClickHouse server, or of all servers of a cluster with commas between them. Without it the engine runs in the process and keeps its data in the data folder.'
  },
  clickhouseCluster: {
    name: 'SERVICE_CLICKHOUSE_CLUSTER',
    kind: 'text',
    fallback: '',
    // It stands in statements, where no parameter can.
    rule: { test: (text) => /^[A-Za-z0-9_-]*$/.test(text), expected: 'letters, digits, underscores and hyphens', repeats: false },
    readers: ['analytics'],
    says: 'Name of the cluster in the configuration of its ClickHouse servers. With it tables are replicated. Without it there is one server.'
  }
} as const satisfies Variables

const addresses = {
  host: {
    name: 'SERVICE_HOST',
    kind: 'text',
    fallback: '127.0.0.1',
    readers: ['api', 'intake', 'gateway'],
    says: 'Address that `api`, `intake` and `gateway` listen on.'
  },
  apiPort: {
    name: 'SERVICE_API_PORT',
    kind: 'integer',
    fallback: 8080,
    min: 0,
    max: 65_535,
    readers: ['api'],
    says: 'Port of `api`. With 0 it takes a free port.'
  },
  intakePort: {
    name: 'SERVICE_INTAKE_PORT',
    kind: 'integer',
    fallback: 8081,
    min: 0,
    max: 65_535,
    readers: ['intake'],
    says: 'Port of `intake`. With 0 it takes a free port.'
  },
  gatewayPort: {
    name: 'SERVICE_GATEWAY_PORT',
    kind: 'integer',
    fallback: 8082,
    min: 0,
    max: 65_535,
    readers: ['gateway'],
    says: 'Port of `gateway`. With 0 it takes a free port.'
  },
  metricsHost: {
    name: 'SERVICE_METRICS_HOST',
    kind: 'text',
    fallback: '127.0.0.1',
    readers: everyRole,
    says: 'Address that the internal listener for `/metrics` and `/health` listens on. It must not be reachable through the public address.'
  },
  metricsPort: {
    name: 'SERVICE_METRICS_PORT',
    kind: 'integer',
    fallback: 0,
    min: 0,
    max: 65_535,
    readers: everyRole,
    says: 'Port of the internal listener. With 0 it takes a free port.'
  },
  publicUrl: {
    name: 'SERVICE_PUBLIC_URL',
    kind: 'url',
    protocols: HTTP,
    withoutLastSlash: true,
    fallback: 'http://127.0.0.1:<SERVICE_API_PORT>',
    readers: ['api', 'gateway', 'notifier'],
    says: 'Address that people and senders use. Links and the instructions for senders are built from it.'
  },
  proberImage: {
    name: 'SERVICE_PROBER_IMAGE',
    kind: 'text',
    fallback: '',
    rule: {
      test: (text) => /^[A-Za-z0-9][A-Za-z0-9._/:@-]{0,254}$/.test(text),
      expected: 'an image such as registry.example.com/monitoring-incident-service:0.1.0',
      repeats: false
    },
    readers: ['api'],
    says: 'Image of the service that customers pull. The command that starts a prober of a private location names it. When empty, the command names `monitoring-incident-service` of this version.'
  },
  productName: {
    name: 'SERVICE_PRODUCT_NAME',
    kind: 'text',
    fallback: 'Plainwatch',
    rule: { test: (text) => /^[^\p{C}]{1,40}$/u.test(text), expected: 'a name of at most 40 characters', repeats: false },
    readers: ['api'],
    says: 'Name of the product in the dashboard, next to the logo and in page titles.'
  },
  domains: {
    name: 'SERVICE_DOMAINS',
    kind: 'list',
    lowerCase: true,
    fallback: '',
    rule: { test: isDomain, expected: 'host names such as status.example.com', repeats: true },
    readers: ['api', 'gateway'],
    says: 'Further host names of this service, with commas between them. `api` tells the proxy that it may get certificates for them. `api` and `gateway` accept log-ins, writes and sockets from their pages.'
  },
  intakeUrl: {
    name: 'SERVICE_INTAKE_URL',
    kind: 'url',
    protocols: HTTP,
    fallback: 'http://127.0.0.1:<SERVICE_INTAKE_PORT>',
    readers: ['api'],
    says: 'Address of `intake`, to which `api` forwards the requests of senders in a local run. In a cluster the proxy routes them itself.'
  },
  gatewayUrl: {
    name: 'SERVICE_GATEWAY_URL',
    kind: 'url',
    protocols: HTTP,
    fallback: 'http://127.0.0.1:<SERVICE_GATEWAY_PORT>',
    readers: ['api'],
    says: 'Address of `gateway`, to which `api` forwards WebSockets in a local run.'
  },
  analyticsUrl: {
    name: 'SERVICE_ANALYTICS_URL',
    kind: 'url',
    protocols: [...HTTP, 'unix:'],
    fallback: 'unix:<SERVICE_DATA_DIR>/analytics.sock',
    readers: ['api', 'analytics'],
    says: 'Address at which `analytics` answers `api`: a socket file, or TCP with a shared secret.'
  }
} as const satisfies Variables

const secretsAndLimits = {
  secretsKey: {
    name: 'SERVICE_SECRETS_KEY',
    kind: 'text',
    fallback: '',
    rule: { test: (text) => /^[0-9a-f]{64}$/i.test(text), expected: '64 hex characters', repeats: false },
    readers: ['api', 'intake', 'notifier'],
    says: 'Key for the secrets of workspaces. `api` encrypts them, `intake` decrypts those that authenticate senders, and `notifier` decrypts those of channels.'
  },
  analyticsSecret: {
    name: 'SERVICE_ANALYTICS_SECRET',
    kind: 'text',
    fallback: '',
    readers: ['api', 'analytics'],
    says: `Secret that \`api\` and \`analytics\` share. It is required, with at least ${MIN_ANALYTICS_SECRET} characters, when \`SERVICE_ANALYTICS_URL\` is not a socket file.`
  },
  trustedProxies: {
    name: 'SERVICE_TRUSTED_PROXIES',
    kind: 'list',
    fallback: '',
    rule: { test: isNetwork, expected: 'networks such as 172.30.0.0/24', repeats: false },
    readers: ['api', 'intake', 'gateway'],
    says: 'Networks of the proxies in front of the service, with commas between them. The address of a sender is read from the `X-Forwarded-For` of these proxies only.'
  },
  proberAllowCidrs: {
    name: 'SERVICE_PROBER_ALLOW_CIDRS',
    kind: 'list',
    fallback: '',
    rule: { test: isNetwork, expected: 'networks such as 10.0.0.0/8', repeats: false },
    readers: ['api'],
    says: 'Networks that the operator opens to probers, with commas between them. Monitors may use addresses in them. Each prober still applies its own `PROBER_ALLOW_CIDRS`.'
  },
  channelAllowCidrs: {
    name: 'SERVICE_CHANNEL_ALLOW_CIDRS',
    kind: 'list',
    fallback: '',
    rule: { test: isNetwork, expected: 'networks such as 10.0.0.0/8', repeats: false },
    readers: ['api', 'notifier'],
    says: 'Networks that the operator opens to notification channels, with commas between them. When it is set, http is accepted too. Without it the service sends only to public https addresses.'
  },
  smtpUrl: {
    name: 'SERVICE_SMTP_URL',
    kind: 'text',
    fallback: '',
    rule: {
      test: (text) => text === '' || (/^smtps?:\/\/[^\s/]+$/.test(text) && URL.canParse(text)),
      expected: 'smtp:// or smtps:// and user:password@host:port',
      repeats: false
    },
    readers: ['api', 'notifier'],
    says: 'Mail server that sends the mails of the service. With `smtp` the connection must switch to TLS by STARTTLS, unless the server is on this machine. Without a mail server no mail is sent.'
  },
  mailFrom: {
    name: 'SERVICE_MAIL_FROM',
    kind: 'text',
    fallback: 'no-reply@service.invalid',
    rule: {
      test: (text) => /^(?:[^<>@\r\n]+ )?<?[^<>@\s]+@[^<>@\s]+>?$/.test(text),
      expected: 'an address, or a name and <address>',
      repeats: false
    },
    readers: ['api', 'notifier'],
    says: 'Sender of all mails. Its domain is used in their Message-ID. It is required beside `SERVICE_SMTP_URL`, unless the server is on this machine: mail servers refuse the default, whose domain does not exist.'
  },
  mailgunSigningKeys: {
    name: 'SERVICE_MAILGUN_SIGNING_KEY',
    kind: 'list',
    fallback: '',
    rule: { test: (text) => /^[\x21-\x7e]{8,100}$/.test(text), expected: 'a key of 8 to 100 characters without blanks', repeats: false },
    readers: ['api'],
    says: 'HTTP webhook signing key of the Mailgun account that sends the mails. It lets webhooks for permanent failures and complaints call `/api/v1/callbacks/email/mailgun`. To replace the key, set both with a comma between them.'
  },
  sendgridPublicKeys: {
    name: 'SERVICE_SENDGRID_PUBLIC_KEY',
    kind: 'list',
    fallback: '',
    rule: { test: isPublicKey, expected: 'a public key of an elliptic curve in Base64', repeats: false },
    readers: ['api'],
    says: 'Verification key of the signed event webhook of the SendGrid account that sends the mails. It lets this webhook call `/api/v1/callbacks/email/sendgrid`. To replace the key, set both with a comma between them.'
  },
  mailbox: {
    name: 'SERVICE_MAILBOX',
    kind: 'choice',
    of: ['off', 'on'],
    fallback: 'off',
    readers: ['api', 'notifier'],
    says: 'With `on` and no mail server, mails are not sent but kept for the owner to read in the dashboard. It is for a local run: `npm start` sets it.'
  },
  twilioAccountSid: {
    name: 'SERVICE_TWILIO_ACCOUNT_SID',
    kind: 'text',
    fallback: '',
    rule: { test: (text) => /^AC[0-9a-f]{32}$/i.test(text), expected: 'AC and 32 hex characters', repeats: false },
    readers: ['api', 'notifier'],
    says: 'Twilio account that sends text messages and makes calls. Without it the service sends neither, and channels for them cannot be saved. `SERVICE_TWILIO_AUTH_TOKEN` and `SERVICE_TWILIO_FROM` must be set with it.'
  },
  twilioAuthTokens: {
    name: 'SERVICE_TWILIO_AUTH_TOKEN',
    kind: 'list',
    fallback: '',
    rule: { test: (text) => /^\S+$/.test(text), expected: 'a token without blanks', repeats: false },
    readers: ['api', 'notifier'],
    says: 'Auth Token of the Twilio account. It authenticates our requests to Twilio and verifies Twilio’s requests to us. To replace the token, set both with a comma between them. Our requests use the first.'
  },
  twilioApiKey: {
    name: 'SERVICE_TWILIO_API_KEY',
    kind: 'text',
    fallback: '',
    rule: {
      test: (text) => /^SK[0-9a-f]{32}:\S+$/i.test(text),
      expected: 'SK and 32 hex characters, a colon, and the secret of the key',
      repeats: false
    },
    readers: ['api', 'notifier'],
    says: 'API key of the Twilio account. Our requests use it instead of the Auth Token. It cannot verify Twilio’s requests to us.'
  },
  twilioFrom: {
    name: 'SERVICE_TWILIO_FROM',
    kind: 'text',
    fallback: '',
    rule: { test: (text) => /^\+[1-9]\d{6,14}$/.test(text), expected: 'a number such as +15551234567', repeats: true },
    readers: ['api', 'notifier'],
    says: 'Number of the Twilio account that calls and text messages come from. Replies by SMS go to it.'
  },
  twilioMessagingService: {
    name: 'SERVICE_TWILIO_MESSAGING_SERVICE_SID',
    kind: 'text',
    fallback: '',
    rule: { test: (text) => /^MG[0-9a-f]{32}$/i.test(text), expected: 'MG and 32 hex characters', repeats: false },
    readers: ['api', 'notifier'],
    says: 'Twilio messaging service whose numbers send text messages instead of `SERVICE_TWILIO_FROM`. Calls still come from `SERVICE_TWILIO_FROM`.'
  },
  fcmServiceAccount: {
    name: 'SERVICE_FCM_SERVICE_ACCOUNT',
    kind: 'text',
    fallback: '',
    rule: {
      test: (text) => serviceAccountOf(text) !== null,
      expected: 'the JSON of a service account of Google, with project_id, client_email and an RSA private_key',
      repeats: false
    },
    readers: ['api', 'notifier'],
    says: 'Service account of the Firebase project of the Android app: the content of the file from Google. It sends push notifications to Android phones. Without it they cannot be registered.'
  },
  apnsKey: {
    name: 'SERVICE_APNS_KEY',
    kind: 'text',
    fallback: '',
    rule: { test: (text) => isSigningKey(text, 'ec'), expected: 'a key of APNs: a PEM of P-256', repeats: false },
    readers: ['api', 'notifier'],
    says: 'Signing key for APNs: the text of the .p8 file. It sends push notifications to iPhones and iPads. Without it they cannot be registered. `SERVICE_APNS_KEY_ID`, `SERVICE_APNS_TEAM_ID` and `SERVICE_APNS_TOPIC` must be set with it.'
  },
  apnsKeyId: {
    name: 'SERVICE_APNS_KEY_ID',
    kind: 'text',
    fallback: '',
    rule: { test: (text) => /^[A-Z0-9]{10}$/.test(text), expected: '10 capital letters and digits', repeats: true },
    readers: ['api', 'notifier'],
    says: 'Id of the key in `SERVICE_APNS_KEY`.'
  },
  apnsTeamId: {
    name: 'SERVICE_APNS_TEAM_ID',
    kind: 'text',
    fallback: '',
    rule: { test: (text) => /^[A-Z0-9]{10}$/.test(text), expected: '10 capital letters and digits', repeats: true },
    readers: ['api', 'notifier'],
    says: 'Apple team that the key in `SERVICE_APNS_KEY` belongs to.'
  },
  apnsTopic: {
    name: 'SERVICE_APNS_TOPIC',
    kind: 'text',
    fallback: '',
    rule: { test: (text) => /^[A-Za-z0-9.-]{1,155}$/.test(text), expected: 'a bundle id such as com.example.alerts', repeats: true },
    readers: ['api', 'notifier'],
    says: 'Bundle id of the app for iPhones and iPads.'
  },
  apnsEnvironment: {
    name: 'SERVICE_APNS_ENVIRONMENT',
    kind: 'choice',
    of: ['production', 'sandbox'],
    fallback: 'production',
    readers: ['api', 'notifier'],
    says: '`sandbox` is for builds of the app that are signed for development.'
  },
  slackClientId: {
    name: 'SERVICE_SLACK_CLIENT_ID',
    kind: 'text',
    fallback: '',
    rule: { test: (text) => /^\d{1,30}\.\d{1,30}$/.test(text), expected: 'a client id such as 1234567890.1234567890', repeats: true },
    readers: ['api', 'notifier'],
    says: 'Client id of the Slack app that people add to their Slack workspace. Without it Slack channels can only be webhooks. `SERVICE_SLACK_CLIENT_SECRET` must be set with it, and for `api` also `SERVICE_SLACK_SIGNING_SECRET`.'
  },
  slackClientSecret: {
    name: 'SERVICE_SLACK_CLIENT_SECRET',
    kind: 'text',
    fallback: '',
    rule: { test: (text) => /^[\x21-\x7e]{8,100}$/.test(text), expected: 'a secret of 8 to 100 characters without blanks', repeats: false },
    readers: ['api', 'notifier'],
    says: 'Client secret of the Slack app. It authenticates an install of the app to Slack.'
  },
  slackSigningSecrets: {
    name: 'SERVICE_SLACK_SIGNING_SECRET',
    kind: 'list',
    fallback: '',
    rule: { test: (text) => /^[\x21-\x7e]{8,100}$/.test(text), expected: 'a secret of 8 to 100 characters without blanks', repeats: false },
    readers: ['api'],
    says: 'Signing secret of the Slack app whose commands and buttons call the service. Without it every call is refused. To replace the secret, set both with a comma between them.'
  },
  discordPublicKey: {
    name: 'SERVICE_DISCORD_PUBLIC_KEY',
    kind: 'text',
    fallback: '',
    rule: { test: (text) => /^[0-9a-f]{64}$/i.test(text), expected: '64 hex characters', repeats: false },
    readers: ['api'],
    says: 'Public key of the Discord application whose commands and buttons call the service. Without it every call is refused.'
  },
  discordApplicationId: {
    name: 'SERVICE_DISCORD_APPLICATION_ID',
    kind: 'text',
    fallback: '',
    rule: { test: (text) => /^\d{15,21}$/.test(text), expected: '15 to 21 digits', repeats: true },
    readers: ['api', 'notifier'],
    says: 'Id of the Discord application. With this id and the bot token, `api` registers the command at Discord whenever it starts.'
  },
  discordBotToken: {
    name: 'SERVICE_DISCORD_BOT_TOKEN',
    kind: 'text',
    fallback: '',
    rule: { test: (text) => /^[\w.-]{50,100}$/.test(text), expected: 'the token of a bot: 50 to 100 characters', repeats: false },
    readers: ['api', 'notifier'],
    says: 'Token of the bot of the Discord application. It sends the messages to the channels of the application.'
  },
  discordClientSecret: {
    name: 'SERVICE_DISCORD_CLIENT_SECRET',
    kind: 'text',
    fallback: '',
    rule: { test: (text) => /^[\x21-\x7e]{8,100}$/.test(text), expected: 'a secret of 8 to 100 characters without blanks', repeats: false },
    readers: ['api', 'notifier'],
    says: 'Client secret of the Discord application. It authenticates an install of the application to Discord. Without it Discord channels can only be webhooks.'
  },
  discordCommand: {
    name: 'SERVICE_DISCORD_COMMAND',
    kind: 'text',
    fallback: 'watch',
    rule: { test: (text) => /^[a-z0-9_-]{1,32}$/.test(text), expected: '1 to 32 of a-z, 0-9, _ and -', repeats: true },
    readers: ['api'],
    says: 'Name of the Discord command, without the slash.'
  },
  telegramBotToken: {
    name: 'SERVICE_TELEGRAM_BOT_TOKEN',
    kind: 'text',
    fallback: '',
    rule: { test: (text) => BOT_TOKEN.test(text), expected: 'a token as @BotFather gives it: 123456789:…', repeats: false },
    readers: ['api', 'notifier'],
    says: 'Token of the Telegram bot of the service. It notifies people in private messages, in which they can act. Without it there are no private messages. Channels of workspaces use their own bots.'
  },
  telegramBotName: {
    name: 'SERVICE_TELEGRAM_BOT_NAME',
    kind: 'text',
    fallback: '',
    rule: { test: (text) => /^\w{5,32}$/.test(text), expected: 'the user name of a bot, without @', repeats: true },
    readers: ['api', 'notifier'],
    says: 'User name of the bot of `SERVICE_TELEGRAM_BOT_TOKEN`.'
  },
  outboundBaseUrls: {
    name: 'OUTBOUND_BASE_URLS_JSON',
    kind: 'text',
    fallback: '{}',
    rule: { test: isAddresses, expected: 'a JSON object of http(s) addresses', repeats: false },
    readers: ['api', 'notifier'],
    says: 'Addresses that replace those of vendors, by kind of channel, for all workspaces. It is for tests, and for accounts that a vendor has in another region.'
  },
  ingestFloorPerMinute: {
    name: 'SERVICE_INGEST_FLOOR_PER_MINUTE',
    kind: 'integer',
    fallback: 1000,
    min: 1000,
    max: 10_000_000,
    unit: 'alerts a minute',
    readers: ['api', 'intake'],
    says: 'Lowest limit of alerts for a workspace. Every workspace may send at least this many, whatever its plan.'
  }
} as const satisfies Variables

/** Sections of docs/configuration.md, in the order in which the variables are read. */
export const configSections = {
  Processes: processes,
  Engines: engines,
  Addresses: addresses,
  'Secrets and limits': secretsAndLimits
}

/** Variables by the name of their value in Config. */
export const configVariables = { ...processes, ...engines, ...addresses, ...secretsAndLimits } as const satisfies Variables

export interface Config extends Values<typeof configVariables> {}

/**
 * Reads `environment`. Throws ConfigError, which names all faults. Addresses that are not in
 * `needs` may be missing; they are then empty. `roles`: the roles of this process, if it has any.
 */
export function readConfig(
  environment: NodeJS.ProcessEnv = process.env,
  needs: readonly Need[] = ['kafka', 'registry', 'tenant', 'system'],
  roles: readonly string[] = []
): Readonly<Config> {
  const facts = { 'host name': hostname(), 'process id': String(process.pid) }
  const { values: config, fault, finish } = readVariables(environment, configVariables, { needs, facts })
  if (config.clickhouseCluster !== '' && config.clickhouseUrls.length === 0)
    fault('SERVICE_CLICKHOUSE_CLUSTER: expected SERVICE_CLICKHOUSE_URL beside it')
  if (config.clickhouseCluster === '' && config.clickhouseUrls.length > 1)
    fault('SERVICE_CLICKHOUSE_URL: expected one address, or SERVICE_CLICKHOUSE_CLUSTER beside several')
  if (!config.analyticsUrl.startsWith('unix:') && config.analyticsSecret.length < MIN_ANALYTICS_SECRET)
    fault(`SERVICE_ANALYTICS_SECRET: expected at least ${MIN_ANALYTICS_SECRET} characters, since SERVICE_ANALYTICS_URL is no socket file`)
  const hasOwnSender = config.mailFrom !== configVariables.mailFrom.fallback
  if (URL.canParse(config.smtpUrl) && !hasOwnSender && !isThisMachine(new URL(config.smtpUrl).hostname))
    fault('SERVICE_MAIL_FROM: required beside SERVICE_SMTP_URL')
  if (config.twilioAccountSid !== '')
    for (const [name, { length }] of [
      ['SERVICE_TWILIO_AUTH_TOKEN', config.twilioAuthTokens],
      ['SERVICE_TWILIO_FROM', config.twilioFrom]
    ] as const)
      if (length === 0) fault(`${name}: required beside SERVICE_TWILIO_ACCOUNT_SID`)
  if (config.apnsKey !== '')
    for (const [name, value] of [
      ['SERVICE_APNS_KEY_ID', config.apnsKeyId],
      ['SERVICE_APNS_TEAM_ID', config.apnsTeamId],
      ['SERVICE_APNS_TOPIC', config.apnsTopic]
    ] as const)
      if (value === '') fault(`${name}: required beside SERVICE_APNS_KEY`)
  if (config.telegramBotToken !== '' && config.telegramBotName === '')
    fault('SERVICE_TELEGRAM_BOT_NAME: required beside SERVICE_TELEGRAM_BOT_TOKEN')
  if (config.discordApplicationId !== '' && config.discordBotToken === '')
    fault('SERVICE_DISCORD_BOT_TOKEN: required beside SERVICE_DISCORD_APPLICATION_ID')
  if (config.discordClientSecret !== '' && config.discordApplicationId === '')
    fault('SERVICE_DISCORD_APPLICATION_ID: required beside SERVICE_DISCORD_CLIENT_SECRET')
  if (config.slackClientId !== '' && config.slackClientSecret === '')
    fault('SERVICE_SLACK_CLIENT_SECRET: required beside SERVICE_SLACK_CLIENT_ID')
  // Slack calls the api alone: the notifier has the client id, too, and needs no signing secret.
  if (roles.includes('api') && config.slackClientId !== '' && config.slackSigningSecrets.length === 0)
    fault('SERVICE_SLACK_SIGNING_SECRET: required beside SERVICE_SLACK_CLIENT_ID')
  finish()
  return Object.freeze(config)
}

/** Like readConfig, for the main script of a process: prints the faults and exits with code 2. */
export function configOrExit(needs?: readonly Need[], roles?: readonly string[]): Readonly<Config> {
  try {
    return readConfig(process.env, needs, roles)
  } catch (error) {
    if (error instanceof ConfigError) exitOverConfig(error)
    throw error
  }
}

/** Writes the faults of the settings and ends the process. */
export function exitOverConfig({ message }: ConfigError): never {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

/**
 * The file in which a running local stack writes its addresses, for this and other tools. The
 * environment takes precedence over it.
 */
export const ENGINES_FILE = 'engines.env'

/**
 * Returns the environment for a tool that a person runs beside the service. Variables that are not
 * set come from the file of the local stack, if there is one.
 */
export function localEnvironment(): NodeJS.ProcessEnv {
  const folder = process.env.SERVICE_DATA_DIR ?? '.data'
  try {
    return { ...parseEnv(readFileSync(join(folder, ENGINES_FILE), 'utf8')), ...process.env }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return process.env
    throw error
  }
}
