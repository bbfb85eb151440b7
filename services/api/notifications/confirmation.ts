/**
 * Asks the address of an e-mail channel to confirm it. An address that is not a member's gets a
 * mail with a link, and no message before somebody has used it. Tests to it count like such mails,
 * so that nobody fills the mailbox of a stranger.
 * Source: docs/design/api/notifications.md#no-29.
 */
import { planOf } from '../../../schemas/plans.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { mintConfirmation } from '../../credentials/credentials.ts'
import { sealForTenant } from '../../credentials/sealing.ts'
import type { Config } from '../../process/config.ts'
import { insertAudit } from '../../store/audit.ts'
import { ageOfConfirmation, insertConfirmation, lockChannel, type StoredChannel } from '../../store/channels.ts'
import { type AskedWithinHour, countConfirmationMail } from '../../store/confirmation-mails.ts'
import type { TestedChannel } from '../../store/delivery-reads.ts'
import { changeJobs } from '../../store/jobs.ts'
import { type Pool, type Tx, tenantTransaction } from '../../store/pool.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError, notFound, rateLimited } from '../http/errors.ts'
import { checkKeepsSecrets } from './addresses.ts'

const CONFIRM_EVERY_SECONDS = 60
/** Mails an hour to one address, from all workspaces. */
const MAX_TO_ADDRESS = 5
/** Mails an hour of one workspace; as many as its plan has channels, if that is more. */
const MAX_OF_WORKSPACE = 20
const HOUR_SECONDS = 3600

function checkPace({ to_address, of_workspace }: AskedWithinHour, plan: string): void {
  const most = Math.max(MAX_OF_WORKSPACE, planOf(plan).limits.channels ?? Number.POSITIVE_INFINITY)
  const tooMany = (message: string): ApiError =>
    rateLimited(`${message} to confirm, or sent tests, within the hour. Retry later`, HOUR_SECONDS)
  if (to_address >= MAX_TO_ADDRESS) throw tooMany(`The recipient was asked ${MAX_TO_ADDRESS} times`)
  if (of_workspace >= most) throw tooMany(`This workspace has asked ${most} recipients`)
}

/**
 * Counts a test to an address that nobody has confirmed. Throws RATE_LIMITED as `askToConfirm`
 * does.
 */
export async function countTestMail(
  pool: Pool,
  caller: Caller,
  { kind, verified, config }: Pick<TestedChannel, 'kind' | 'verified' | 'config'>
): Promise<void> {
  if (kind !== 'email' || verified) return
  await tenantTransaction(pool, caller, async (tx) =>
    checkPace(await countConfirmationMail(tx, caller.tenant_id, String(config.recipient)), caller.plan)
  )
}

/**
 * Starts the job by which the notifier sends the mail with the link. Throws RATE_LIMITED if the
 * address, or the workspace, had its mails of the hour.
 */
export async function askToConfirm(
  tx: Tx,
  { plan }: Pick<Caller, 'plan'>,
  { secretsKey }: Pick<Config, 'secretsKey'>,
  { tenant_id, channel_id, config }: StoredChannel
): Promise<void> {
  const recipient = String(config.recipient)
  checkPace(await countConfirmationMail(tx, tenant_id, recipient), plan)
  const { value, sha256 } = mintConfirmation()
  await insertConfirmation(tx, tenant_id, channel_id, recipient, sha256)
  const verification_id = uuidv7()
  checkKeepsSecrets(secretsKey)
  const code_sealed = sealForTenant(secretsKey, { tenant_id, resource: `verification:${verification_id}`, field: 'code' }, value)
  const payload = { tenant_id, verification_id, purpose: 'channel', method_kind: 'email', address: recipient, code_sealed }
  await changeJobs(tx, [
    { start: 'verification_send', idem_key: `verification:${verification_id}`, tenant_id, run_at: Date.now(), payload }
  ])
}

/**
 * Sends the link of an e-mail channel again; the earlier link stops working. Throws CONFLICT if
 * there is nothing to confirm, and RATE_LIMITED within a minute or past the mails of the hour.
 */
export async function confirmAgain(tx: Tx, caller: Caller, id: string, rules: Pick<Config, 'secretsKey'>): Promise<void> {
  const { tenant_id, actor } = caller
  const channel = await lockChannel(tx, tenant_id, id)
  if (!channel) throw notFound()
  const { channel_id } = channel
  if (channel.kind !== 'email' || channel.verified_at !== null)
    throw new ApiError(
      'CONFLICT',
      channel.kind === 'email' ? 'The address is confirmed already' : 'Only e-mail channels are confirmed by a link'
    )
  const age = await ageOfConfirmation(tx, tenant_id, channel_id)
  const wait = age === null ? 0 : Math.ceil(CONFIRM_EVERY_SECONDS - age)
  if (wait > 0) throw rateLimited(`A link was sent a moment ago. Retry in ${wait} s`, wait)
  await askToConfirm(tx, caller, rules, channel)
  await insertAudit(tx, tenant_id, actor, { action: 'channel.confirmation_sent', object_type: 'channel', object_id: channel_id })
}
