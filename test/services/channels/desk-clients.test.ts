/**
 * Uses clients of other projects for Jira, Zendesk and ServiceNow as oracles. The contract servers
 * must accept what they send. A server that refused it would be stricter than the vendor.
 */
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { pythonWith } from '../../harness/python.ts'
import { contracts, httpContractServer } from './contract.ts'

t.setTimeout(300_000)

/** The requests of each client, in the words of the contract server. */
const expected: Readonly<Record<string, string[]>> = {
  jira: ['issue', 'comment', 'transitions', 'to done'],
  zendesk: ['ticket', 'look', 'solved'],
  servicenow: ['record', 'look', 'resolve']
}

t.test('contract servers accept what clients of Jira, Zendesk and ServiceNow send', async (t) => {
  const written = await contracts()
  const python = await pythonWith(['jira==3.10.5', 'zenpy==2.0.57', 'pysnow==0.7.17'])
  const kinds = Object.keys(expected)
  const servers = new Map(await Promise.all(kinds.map(async (kind) => [kind, await httpContractServer(t)] as const)))
  for (const [kind, server] of servers) {
    const contract = written.get(kind)
    if (!contract) throw new Error(`${kind}: has no contract`)
    server.play(contract.vendor(contract.config(server.url), server.url), null)
  }
  const printed = await python.script(join(projectRoot, 'test/services/channels/desk-clients.py'), {
    SERVERS: JSON.stringify(Object.fromEntries([...servers].map(([kind, { url }]) => [kind, url]))),
    HOME: '/nonexistent'
  })
  const made = new Map(
    printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; made: string })
      .map((one) => [one.kind, one.made])
  )
  for (const [kind, { heard }] of servers) {
    t.same(
      heard.map(({ said }) => said),
      expected[kind],
      kind
    )
    t.ok(made.get(kind), `${kind}: its client read what was made`)
  }
})
