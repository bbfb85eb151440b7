/**
 * The operator's command for a person who has forgotten their password where no mail is sent:
 * `npm run password-link -- <e-mail address>` prints a link that sets a new one. The link works
 * once, and for an hour. Whoever has it can take the account over, so give it to nobody else. The
 * audit log says that it was made. It needs only Postgres (SERVICE_POSTGRES_SYSTEM_URL), and the
 * SERVICE_SECRETS_KEY and SERVICE_PUBLIC_URL of the api.
 * Source: docs/design/api/authentication.md#au-6.
 */
import { resetUrl } from '../channels/verification.ts'
import { canonicalEmail } from '../credentials/email.ts'
import { mintReset, RESET_SECONDS } from '../credentials/reset-links.ts'
import { type Config, localEnvironment, readConfig } from '../process/config.ts'
import { insertAudit } from '../store/audit.ts'
import { findLogin } from '../store/lookups.ts'
import { createPool, type Pool, transaction } from '../store/pool.ts'
import { runTool, UsageError } from './tool.ts'

/** Returns the link. `now`: epoch ms. Throws UsageError when there is no such account. */
export async function passwordLink(
  pool: Pool,
  { secretsKey, publicUrl }: Pick<Config, 'secretsKey' | 'publicUrl'>,
  email: string,
  now: number
): Promise<string> {
  if (secretsKey === '') throw new UsageError('SERVICE_SECRETS_KEY is not set: the api could not verify the link')
  const found = await findLogin(pool, canonicalEmail(email))
  if (!found) throw new UsageError(`there is no account with the address ${email} in any workspace`)
  if (found.disabled) throw new UsageError(`the account with the address ${email} is disabled`)
  const { tenant_id, user_id, password_hash } = found
  const actor = { kind: 'system', id: 'operator', via: 'cli', request_id: null } as const
  await transaction(pool, (tx) =>
    insertAudit(tx, tenant_id, actor, { action: 'account.password_link_made', object_type: 'user', object_id: user_id })
  )
  return resetUrl(publicUrl, mintReset(secretsKey, { tenant_id, user_id, until: Math.floor(now / 1000) + RESET_SECONDS }, password_hash))
}

async function main(): Promise<void> {
  const [email, ...rest] = process.argv.slice(2)
  if (!email || rest.length > 0) throw new UsageError('usage: npm run password-link -- <e-mail address>')
  const environment = localEnvironment()
  // The default is an address of this machine: a link to it would be of no use to anybody else.
  if (!environment.SERVICE_PUBLIC_URL) throw new UsageError('SERVICE_PUBLIC_URL is not set: expected the address of the service')
  const config = readConfig(environment, ['system'])
  const pool = createPool(config.postgresSystemUrl, { application_name: 'password-link', max: 1 })
  try {
    process.stdout.write(`${await passwordLink(pool, config, email, Date.now())}\n`)
  } finally {
    await pool.end()
  }
}

runTool(import.meta.url, main)
