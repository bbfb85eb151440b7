/**
 * Uses Apprise, a client of another project, as an oracle. It notifies each vendor that it
 * supports, and the contract servers must accept what it posts. A server that refused it would be
 * stricter than the vendor.
 */
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { pythonWith } from '../../harness/python.ts'
import { contracts, httpContractServer } from './contract.ts'

t.setTimeout(300_000)

t.test('contract servers accept what Apprise posts', async (t) => {
  const written = await contracts()
  const python = await pythonWith(['apprise==1.9.6'])
  const played = await Promise.all(
    [...written].flatMap(([kind, contract]) => {
      const { apprise } = contract
      if (!apprise) return []
      return [
        httpContractServer(t).then((server) => {
          server.play(contract.vendor(apprise.config?.(server.url) ?? contract.config(server.url), server.url), null)
          return { kind, server, target: { kind, url: apprise.target(server.url), hosts: apprise.hosts ?? [], server: server.url } }
        })
      ]
    })
  )
  t.ok(played.length >= 9, `${played.length} kinds`)
  const printed = await python.script(join(projectRoot, 'test/services/channels/apprise-client.py'), {
    TARGETS: JSON.stringify(played.map(({ target }) => target)),
    HOME: '/nonexistent'
  })
  const told = printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { kind: string; added: boolean; sent: boolean })
  for (const { kind, server } of played) {
    const said = server.heard.map((one) => one.said)
    t.match(
      told.find((one) => one.kind === kind),
      { added: true, sent: true },
      `${kind}: ${said.join(', ')}`
    )
    t.ok(said.length > 0, `${kind} was asked`)
    t.notOk(
      said.some((one) => one.startsWith('refused')),
      `${kind}: ${said.join(', ')}`
    )
  }
})
