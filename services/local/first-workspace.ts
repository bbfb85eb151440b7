/**
 * Makes the first workspace when there is none: one owner with a random password, and one API token
 * with every scope. The credentials are written to access.json of the data folder before the
 * workspace exists. So a start that is killed in between loses nothing: the next start makes the
 * workspace with the same credentials.
 */
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { endpoints, scopes } from '../../schemas/http/endpoints.ts'
import { hashPassword, mintApiToken, mintPassword, sha256 } from '../credentials/credentials.ts'
import { createPool } from '../store/pool.ts'
import { anyWorkspace, createWorkspace } from '../store/tenants.ts'
import { writeWhole } from './lock.ts'

/**
 * access.json: readable only by the owner, rewritten at each start with the address of that run.
 */
export interface Access {
  base_url: string
  email: string
  password: string
  api_token: string
}

export interface FirstWorkspace {
  /** Null when the workspace was made elsewhere and its credentials are not in this folder. */
  access: Access | null
  created: boolean
}

export const accessFile = (dataDir: string): string => join(dataDir, 'access.json')

function readAccess(file: string): Access | null {
  try {
    const access = JSON.parse(readFileSync(file, 'utf8')) as Partial<Access>
    const { base_url = '', email, password, api_token } = access
    return email && password && api_token ? { base_url, email, password, api_token } : null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return null
    throw error
  }
}

function writeAccess(dataDir: string, access: Access): void {
  writeWhole(accessFile(dataDir), `${JSON.stringify(access, null, 2)}\n`)
  chmodSync(accessFile(dataDir), 0o600)
}

/** `systemUrl` logs in as service_system. */
export async function ensureWorkspace(dataDir: string, systemUrl: string, baseUrl: string): Promise<FirstWorkspace> {
  const pool = createPool(systemUrl, { application_name: 'local start', max: 1 })
  try {
    const known = readAccess(accessFile(dataDir))
    const created = !(await anyWorkspace(pool))
    if (!created) {
      if (known) writeAccess(dataDir, { ...known, base_url: baseUrl })
      return { access: known && { ...known, base_url: baseUrl }, created }
    }
    const access = {
      base_url: baseUrl,
      email: known?.email ?? 'owner@example.com',
      password: known?.password ?? mintPassword(),
      api_token: known?.api_token ?? mintApiToken().value
    }
    writeAccess(dataDir, access)
    await createWorkspace(pool, {
      workspace_name: 'My workspace',
      slug: 'my-workspace',
      plan: 'business',
      email: access.email,
      user_name: 'Owner',
      reaches_owner: true,
      password_hash: await hashPassword(access.password),
      token: { name: 'First token', sha256: sha256(access.api_token), prefix: access.api_token.slice(0, 'service_'.length + 6), scopes }
    })
    return { access, created }
  } finally {
    await pool.end()
  }
}

export const makeIntegration = endpoints.createIntegration

/**
 * Makes an integration for a first alert, through the API like any other. Returns its address,
 * token included.
 */
export async function makeDoor({ base_url, api_token }: Access): Promise<string> {
  const answer = await fetch(base_url + makeIntegration.path, {
    method: makeIntegration.method,
    headers: { authorization: `Bearer ${api_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'First alerts', source_type: 'generic' }),
    signal: AbortSignal.timeout(30_000)
  })
  const { endpoint_url: url } = (await answer.json()) as { endpoint_url?: string }
  if (!answer.ok || !url) throw new Error(`${makeIntegration.method} ${makeIntegration.path} answers ${answer.status}`)
  return url
}
