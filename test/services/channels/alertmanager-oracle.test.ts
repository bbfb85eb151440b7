/**
 * Uses Debian's Alertmanager as an oracle. An alert fires and is resolved, and our contract servers
 * must accept what Alertmanager sends for each vendor that it supports, under one key from start to
 * end.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { program } from '../../harness/debian.ts'
import { freePort } from '../../harness/free-ports.ts'
import { until } from '../../harness/until.ts'
import { type Asked, contracts, httpContractServer } from './contract.ts'

t.setTimeout(240_000)

interface Vendor {
  /**
   * Settings of a receiver in Alertmanager. `config`: the settings that the contract server
   * accepts.
   */
  settings(url: string, config: Record<string, unknown>): object
  fires: string
  ends: string
  /** The key that joins the two messages; absent if nothing joins them. */
  key?(asked: Asked): string
}

const pathIn = (address: unknown): string => new URL(String(address)).pathname

const bodyOf = ({ body }: Asked): Record<string, unknown> => JSON.parse(body) as Record<string, unknown>

const vendors: Readonly<Record<string, Vendor>> = {
  opsgenie: {
    settings: (url, config) => ({
      opsgenie_configs: [{ api_url: `${url}/`, api_key: config.api_key, source: 'Alertmanager' }]
    }),
    fires: 'alert',
    ends: 'close',
    key: (asked) => /^\/v2\/alerts\/([^/]+)\/close\?identifierType=alias$/.exec(asked.path)?.[1] ?? String(bodyOf(asked).alias)
  },
  victorops: {
    settings: (url, config) => ({
      victorops_configs: [
        { api_url: `${url}/integrations/generic/20131114/alert/`, api_key: config.api_key, routing_key: config.routing_key }
      ]
    }),
    fires: 'CRITICAL',
    ends: 'RECOVERY',
    key: (asked) => String(bodyOf(asked).entity_id)
  },
  pagerduty: {
    settings: (url, config) => ({
      pagerduty_configs: [{ url: `${url}/v2/enqueue`, routing_key: config.integration_key, severity: 'critical' }]
    }),
    fires: 'trigger',
    ends: 'resolve',
    key: (asked) => String(bodyOf(asked).dedup_key)
  },
  slack: {
    settings: (url, config) => ({
      slack_configs: [{ api_url: `${url}${pathIn(config.webhook_url)}`, channel: '#alerts', send_resolved: true }]
    }),
    fires: 'message as an attachment',
    ends: 'message as an attachment'
  },
  discord: {
    settings: (url, config) => ({ discord_configs: [{ webhook_url: `${url}${pathIn(config.webhook_url)}` }] }),
    fires: 'message that nobody waits for',
    ends: 'message that nobody waits for'
  },
  telegram: {
    settings: (url, config) => ({
      telegram_configs: [{ api_url: url, bot_token: config.bot_token, chat_id: Number(config.chat_id), parse_mode: 'HTML' }]
    }),
    fires: 'message',
    ends: 'message'
  }
}

/** An Alertmanager with these settings; its address. */
async function alertmanager(t: Test, settings: object): Promise<string> {
  const file = await program('prometheus-alertmanager', 'prometheus-alertmanager')
  const folder = mkdtempSync(join(tmpdir(), 'service-alertmanager-test-'))
  // JSON is YAML.
  writeFileSync(join(folder, 'am.yml'), JSON.stringify(settings))
  const port = await freePort()
  const flags = [
    `--config.file=${join(folder, 'am.yml')}`,
    `--storage.path=${join(folder, 'am')}`,
    `--web.listen-address=127.0.0.1:${port}`
  ]
  const child = spawn(file, [...flags, '--cluster.listen-address=', '--log.level=error'], { stdio: ['ignore', 'ignore', 'inherit'] })
  t.teardown(async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  })
  const url = `http://127.0.0.1:${port}`
  await until('Alertmanager to answer', async () => (await fetch(`${url}/-/ready`).catch(() => null))?.ok ?? null)
  return url
}

t.test('contract servers accept what Alertmanager sends, and join the end to its alert', async (t) => {
  const written = await contracts()
  const played = await Promise.all(
    Object.entries(vendors).map(async ([kind, vendor]) => {
      const contract = written.get(kind)
      if (!contract) throw new Error(`${kind}: has no contract`)
      const server = await httpContractServer(t)
      const config = contract.config(server.url)
      server.play(contract.vendor(config, server.url), null)
      return { kind, vendor, server, settings: vendor.settings(server.url, config) }
    })
  )
  const url = await alertmanager(t, {
    route: {
      receiver: 'none',
      group_by: ['alertname'],
      group_wait: '0s',
      group_interval: '1s',
      routes: played.map(({ kind }) => ({ receiver: kind, continue: true }))
    },
    receivers: [{ name: 'none' }, ...played.map(({ kind, settings }) => ({ name: kind, ...settings }))]
  })
  const tell = async (endsAt: Date): Promise<void> => {
    const alert = {
      labels: { alertname: 'ApiDown', instance: 'api.example.com', severity: 'critical' },
      annotations: { summary: 'api.example.com is down', description: 'HTTP 503 from 3 regions' },
      startsAt: new Date(Date.now() - 60_000).toISOString(),
      endsAt: endsAt.toISOString()
    }
    const answer = await fetch(`${url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([alert])
    })
    t.equal(answer.status, 200)
  }
  await tell(new Date(Date.now() + 3_600_000))
  for (const { kind, server } of played) await until(`${kind} to be told of the failure`, () => (server.heard.length > 0 ? true : null))
  await tell(new Date(Date.now() - 1000))
  for (const { kind, server, vendor } of played) {
    await until(`${kind} to be told of the end`, () => (server.heard.length > 1 ? true : null))
    const [first, last] = [server.heard[0], server.heard.at(-1)]
    t.same([first?.said, last?.said], [vendor.fires, vendor.ends], kind)
    if (vendor.key) t.equal(last && vendor.key(last.asked), first && vendor.key(first.asked), `${kind}: one key`)
  }
})
