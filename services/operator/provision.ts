/**
 * The operator's command that gives a fresh cluster what people cannot create themselves: regions
 * with the tokens of their probers, and the first workspace.
 *   node dist/services/operator/provision.js [--region code,label,country,token-file]… [--workspace
 *   slug --owner email --password-file path --api-token-file path]
 *
 * Secrets are read from files only, so that none is on a command line. The command may be run
 * again: what exists stays as it is, another token is added beside the old one, a token that was
 * revoked stays so, and a workspace is made only when there is none. It needs only Postgres
 * (SERVICE_POSTGRES_SYSTEM_URL), after the migrate step.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { scopes } from '../../schemas/http/endpoints.ts'
import { hashPassword, sha256 } from '../credentials/credentials.ts'
import { writtenEmail } from '../credentials/email.ts'
import { weakness } from '../credentials/passwords.ts'
import { expectedToken, isToken } from '../credentials/token-forms.ts'
import { localEnvironment, readConfig } from '../process/config.ts'
import { findProber } from '../store/lookups.ts'
import { createPool, type Pool } from '../store/pool.ts'
import { createProberToken, isRevoked } from '../store/probers.ts'
import { ensureRegions } from '../store/regions.ts'
import { anyWorkspace, createWorkspace } from '../store/tenants.ts'
import { runTool, UsageError } from './tool.ts'

export interface WantedRegion {
  code: string
  label: string
  /** ISO 3166-1. */
  country: string
  token: string
}

export interface WantedWorkspace {
  slug: string
  email: string
  password: string
  api_token: string
}

export interface Wanted {
  regions: readonly WantedRegion[]
  workspace: WantedWorkspace | null
}

const CODE = /^[a-z0-9]+(-[a-z0-9]+)*$/
const COUNTRY = /^[A-Z]{2}$/
const EMAIL = /^[^\s@]+@[^\s@]+$/
const LEAST_PASSWORD = 12
const SHOWN = 6

function secretFrom(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${(error as Error).message}`)
  }
}

function regionOf(text: string): WantedRegion {
  const [code = '', label = '', country = '', file = '', ...rest] = text.split(',')
  if (!CODE.test(code) || label === '' || !COUNTRY.test(country) || file === '' || rest.length > 0)
    throw new UsageError(
      `--region: expected code,label,country,token-file such as eu-central,Frankfurt,DE,/run/secrets/token, got "${text}"`
    )
  if (code.startsWith('loc-')) throw new UsageError(`--region: codes that begin with loc- are of private locations, got "${code}"`)
  const token = secretFrom(file)
  if (!isToken('prober', token)) throw new UsageError(`${file}: expected ${expectedToken('prober')}`)
  return { code, label, country, token }
}

/** Parses the arguments. Throws UsageError. */
export function wantedOf(words: readonly string[]): Wanted {
  const text = { type: 'string' } as const
  const options = {
    region: { type: 'string', multiple: true },
    workspace: text,
    owner: text,
    'password-file': text,
    'api-token-file': text
  } as const
  let values: ReturnType<typeof parseArgs<{ options: typeof options }>>['values']
  try {
    values = parseArgs({ args: [...words], options }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
  const regions = (values.region ?? []).map(regionOf)
  const { workspace: slug, owner: email, 'password-file': passwordFile, 'api-token-file': tokenFile } = values
  if (slug === undefined && email === undefined && passwordFile === undefined && tokenFile === undefined) {
    if (regions.length === 0) throw new UsageError('nothing to do: expected --region, or --workspace with its owner')
    return { regions, workspace: null }
  }
  if (!slug || !email || !passwordFile || !tokenFile)
    throw new UsageError('--workspace, --owner, --password-file and --api-token-file belong together')
  if (!CODE.test(slug)) throw new UsageError(`--workspace: expected lower-case letters, digits and hyphens, got "${slug}"`)
  if (!EMAIL.test(email)) throw new UsageError(`--owner: expected an e-mail address, got "${email}"`)
  const [password, api_token] = [secretFrom(passwordFile), secretFrom(tokenFile)]
  if (password.length < LEAST_PASSWORD) throw new UsageError(`${passwordFile}: expected at least ${LEAST_PASSWORD} characters`)
  if (!isToken('service', api_token)) throw new UsageError(`${tokenFile}: expected ${expectedToken('service')}`)
  return { regions, workspace: { slug, email: writtenEmail(email), password, api_token } }
}

/**
 * `pool` logs in as service_system. Returns a line for everything that was created, and for each
 * token that is revoked or of another region. Throws UsageError when the password is easy to guess;
 * then nothing is created.
 */
export async function provision(pool: Pool, { regions, workspace }: Wanted): Promise<string[]> {
  const made: string[] = []
  const first = workspace && !(await anyWorkspace(pool)) ? workspace : null
  const why = first && (await weakness(first.password, [first.slug, first.email]))
  if (first && why) throw new UsageError(`the password of ${first.email} ${why}`)
  await ensureRegions(pool, regions)
  for (const { code, token } of regions) {
    const hash = sha256(token)
    const found = await findProber(pool, hash)
    if (found) {
      if (found.region !== code) made.push(`region ${code}: the token is of region ${found.region}; give the region another one`)
      continue
    }
    if (await isRevoked(pool, hash)) {
      made.push(`region ${code}: the token was revoked; give the region another one`)
      continue
    }
    await createProberToken(pool, { region: code, name: 'Provisioned', sha256: hash, prefix: token.slice(0, 'prober_'.length + SHOWN) })
    made.push(`region ${code}: a token for its probers`)
  }
  if (first) {
    const { slug, email, password, api_token } = first
    await createWorkspace(pool, {
      workspace_name: slug,
      slug,
      plan: 'business',
      email,
      user_name: 'Owner',
      reaches_owner: true,
      password_hash: await hashPassword(password),
      token: { name: 'First token', sha256: sha256(api_token), prefix: api_token.slice(0, 'service_'.length + SHOWN), scopes }
    })
    made.push(`workspace ${slug}: its owner ${email} and an API token`)
  }
  return made
}

async function main(): Promise<void> {
  const wanted = wantedOf(process.argv.slice(2))
  const config = readConfig(localEnvironment(), ['system'])
  const pool = createPool(config.postgresSystemUrl, { application_name: 'provision', max: 1 })
  try {
    const made = await provision(pool, wanted)
    process.stdout.write(`${(made.length > 0 ? made : ['everything is there']).join('\n')}\n`)
  } finally {
    await pool.end()
  }
}

runTool(import.meta.url, main)
