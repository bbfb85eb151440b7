/**
 * Tests of the matrix of channels. Every implemented kind is played in every situation, through
 * api, fold, notifier and sender, against its contract server. Each row holds the expected result;
 * docs/channels.md shows it.
 */
import t, { type Test } from 'tap'
import { stale } from '../../../schemas/generate.ts'
import { apps as appsOf } from '../../../services/channels/apps/index.ts'
import { createSmtpSender } from '../../../services/delivery/mail.ts'
import { deploymentOf } from '../../../services/delivery/senders.ts'
import { twilioSettings } from '../../harness/twilio.ts'
import { type Stand, stand } from '../api/stand.ts'
import { localSenders, notifier } from '../notifier/channels.ts'
import {
  appContracts,
  type Contract,
  type ContractServer,
  contractFaults,
  contracts,
  httpContractServer,
  NOT_APPLICABLE,
  situations
} from './contract.ts'
import { APP as DISCORD } from './discord-web.ts'
import { firstRequest, play, type Scene, spoken } from './matrix.ts'
import { matrixPage } from './matrix-page.ts'
import { smtpContractServer } from './smtp-contract.ts'

t.setTimeout(600_000)

/** The longest wait for an answer. A contract server answers at once or never. */
const LIMITS = { connectMs: 5000, totalMs: 8000 }
const FROM = 'Service <no-reply@mail.test>'

const written = await contracts()
const apps = await appContracts()
/** `KINDS=ntfy,gotify` plays only these kinds. */
const isPlayed = (kind: string): boolean => (process.env.KINDS ?? kind).split(',').includes(kind)

t.test('every implemented kind has a contract with a complete row', async (t) => {
  t.same(contractFaults(written), [])
  t.same(contractFaults(apps, [...apps.keys()]), [])
  t.same([...apps.keys()], Object.keys(appsOf), 'each app has a row')
  t.match(contractFaults(written, [...written.keys(), 'pigeon']), [/^pigeon: has no test\/services\/channels\/contracts\/pigeon\.ts$/])
  const [[kind = '', one] = []] = written
  if (!one) throw new Error('no contract')
  const planted = { ...one, wrong: {}, checked: '', row: { ...one.row, down: '', test: NOT_APPLICABLE } }
  t.same(contractFaults(new Map([[kind, planted]]), [kind]), [
    `${kind}: says nothing of down`,
    `${kind}: gives no reason why test is not applicable`,
    `${kind}: refuses nothing`,
    `${kind}: does not say by what it was checked`
  ])
  t.equal(spoken(['a', 'a', 'b', 'a']), '2× a, b, a')
  t.equal(spoken([]), 'nothing')
})

t.test('docs/channels.md shows the current rows', async (t) => {
  t.same(stale(matrixPage(written, apps)), [], 'else run npm run matrix')
})

interface Stage {
  s: Stand
  servers: ReadonlyMap<string, ContractServer>
}

const baseOf = (kind: string, { base = kind, mail }: Contract): string => (mail ? 'smtp' : base)

/** Starts the api and the notifier of one deployment, with contract servers as vendors. */
async function deployed(t: Test): Promise<Stage> {
  const servers = new Map<string, ContractServer>([['smtp', await smtpContractServer(t)]])
  for (const [kind, contract] of written) {
    const base = baseOf(kind, contract)
    if (!servers.has(base)) servers.set(base, await httpContractServer(t))
  }
  const base_urls = Object.fromEntries([...servers].filter(([base]) => base !== 'smtp').map(([base, { url }]) => [base, url]))
  const smtpUrl = servers.get('smtp')?.url ?? ''
  const config = {
    ...twilioSettings,
    discordApplicationId: DISCORD.client_id,
    discordClientSecret: DISCORD.client_secret,
    discordBotToken: DISCORD.bot_token,
    channelAllowCidrs: ['127.0.0.0/8'],
    outboundBaseUrls: JSON.stringify(base_urls),
    smtpUrl,
    mailFrom: FROM
  }
  const s = await stand(t, { jobs: true, config })
  const mail = createSmtpSender(smtpUrl, FROM)
  t.teardown(() => mail.close())
  const deployment = deploymentOf(s.services.config)
  notifier(t, s, { senders: { ...localSenders(), mail }, deployment, limits: LIMITS })
  return { s, servers }
}

async function playRow(t: Test, scene: Scene): Promise<void> {
  const { contract, server } = scene
  for (const situation of situations) {
    const expected = contract.row[situation]
    if (expected.startsWith(NOT_APPLICABLE)) continue
    t.equal(await play(scene, situation), expected, situation)
  }
  const good = await firstRequest(scene)
  for (const [what, change] of Object.entries(contract.wrong)) {
    const valid = contract.config(server.url)
    t.equal(contract.vendor(valid, server.url)(good).refused, false, 'a control')
    t.equal(contract.vendor(valid, server.url)(change(good)).refused, true, `refused: ${what}`)
  }
}

t.test('each kind gives the expected result in each situation', async (t) => {
  const { s, servers } = await deployed(t)
  // Most of the time the subtests only wait.
  t.jobs = 8
  await Promise.all(
    [...servers].map(([base, server]) =>
      t.test(base, { buffered: true }, async (t) => {
        for (const [kind, contract] of [...written, ...apps])
          if (baseOf(kind, contract) === base && isPlayed(kind))
            await t.test(contract.installed ? `${kind}, by its app` : kind, (t) => playRow(t, { s, kind, contract, server }))
      })
    )
  )
})
