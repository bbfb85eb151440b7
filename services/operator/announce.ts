/**
 * The operator's command that shows people a notice in the app: `npm run announce -- --type
 * admin|broadcast|announcement --title <words> [--body <words>] [--severity info|warning|critical]
 * [--workspace <slug or id>] [--id <uuid>]`. `admin` is for owners, admins and those who manage
 * billing, the others are for everybody. Without a workspace it goes to all workspaces. The same id
 * notifies nobody twice, so restart an interrupted run with the id that it printed. It needs
 * Postgres (SERVICE_POSTGRES_SYSTEM_URL) and the schema registry, not Kafka.
 * Source: docs/design/specification.md#s6-4.
 */
import { parseArgs } from 'node:util'
import type { Codec } from '../../schemas/codec.ts'
import { severities } from '../../schemas/http/common.ts'
import { uuidv7 } from '../../schemas/uuid.ts'
import { type PlatformWord, platformNotice } from '../../streams/reach/feed-notices.ts'
import { connectCodec } from '../../streams/runtime/registry-codec.ts'
import { localEnvironment, readConfig } from '../process/config.ts'
import { writeEffects } from '../store/effects.ts'
import { createPool, type Pool, transaction } from '../store/pool.ts'
import { findWorkspace, workspacesAfter } from '../store/tenants.ts'
import { runTool, UsageError } from './tool.ts'

const types = ['admin', 'broadcast', 'announcement'] as const
const MAX_TITLE = 200
const MAX_BODY = 4000
/** The number of workspaces in one transaction. */
const AT_ONCE = 100
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export type Announcement = Omit<PlatformWord, 'tenant_id' | 'at'> & { workspace: string | null }

const oneOf = <T extends string>(name: string, words: readonly T[], given: string | undefined): T => {
  const found = words.find((word) => word === given)
  if (!found) throw new UsageError(`--${name}: expected ${words.join(', ')}, got ${given === undefined ? 'nothing' : `"${given}"`}`)
  return found
}

function given(words: readonly string[]) {
  const option = { type: 'string' } as const
  try {
    return parseArgs({
      args: [...words],
      options: { type: option, title: option, body: option, severity: option, workspace: option, id: option }
    }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** Parses the arguments. Throws UsageError. */
export function announcementOf(words: readonly string[]): Announcement {
  const { type, title = '', body = '', severity = 'info', workspace = null, id } = given(words)
  if (title.trim() === '' || title.length > MAX_TITLE) throw new UsageError(`--title: expected 1 to ${MAX_TITLE} characters`)
  if (body.length > MAX_BODY) throw new UsageError(`--body: expected at most ${MAX_BODY} characters`)
  if (id !== undefined && !UUID.test(id)) throw new UsageError('--id: expected the id that an earlier run printed')
  return {
    word_id: id ?? uuidv7(),
    type: oneOf('type', types, type),
    severity: oneOf('severity', severities, severity),
    title: title.trim(),
    body,
    workspace
  }
}

/**
 * Returns the number of workspaces that were notified. Throws UsageError when there is no such
 * workspace.
 */
export async function announce(pool: Pool, codec: Codec, { workspace, ...word }: Announcement): Promise<number> {
  const at = Date.now()
  const tell = (tenant_ids: readonly string[]) =>
    transaction(pool, (tx) => writeEffects(tx, { feed: tenant_ids.map((tenant_id) => platformNotice({ ...word, tenant_id, at })) }, codec))
  if (workspace !== null) {
    const found = await transaction(pool, (tx) => findWorkspace(tx, workspace))
    if (!found) throw new UsageError(`there is no workspace ${workspace}`)
    await tell([found.tenant_id])
    return 1
  }
  for (let [told, after] = [0, '00000000-0000-0000-0000-000000000000']; ; ) {
    const ids = await workspacesAfter(pool, after, AT_ONCE)
    const last = ids.at(-1)
    if (last === undefined) return told
    await tell(ids)
    told += ids.length
    after = last
  }
}

async function main(): Promise<void> {
  const wanted = announcementOf(process.argv.slice(2))
  const config = readConfig(localEnvironment(), ['registry', 'system'])
  const codec = await connectCodec(config.registryUrl)
  const pool = createPool(config.postgresSystemUrl, { application_name: 'announce', max: 1 })
  try {
    process.stdout.write(`id ${wanted.word_id}\n`)
    const count = await announce(pool, codec, wanted)
    process.stdout.write(`told in ${count} workspace${count === 1 ? '' : 's'}\n`)
  } finally {
    await pool.end()
  }
}

runTool(import.meta.url, main)
