/** Makes workspaces for the dashboard's stories directly in the store. */
import { randomBytes } from 'node:crypto'
import { scopes } from '../../../schemas/http/endpoints.ts'
import { hashPassword, mintApiToken } from '../../../services/credentials/credentials.ts'
import type { Pool } from '../../../services/store/pool.ts'
import { createWorkspace } from '../../../services/store/tenants.ts'

export interface StoryWorkspace {
  tenant_id: string
  /** The owner's address. */
  email: string
  password: string
  password_hash: string
  api_token: string
}

/**
 * Makes a workspace like the first one of a start. `named` is the name of the workspace, its slug,
 * and the basis of its owner's address.
 */
export async function makeStoryWorkspace(
  pool: Pool,
  { named, user_name, token_name, ...more }: { named: string; user_name: string; token_name: string; reaches_owner?: true }
): Promise<StoryWorkspace> {
  const slug = `${named.toLowerCase().replaceAll(' ', '-')}-${randomBytes(6).toString('hex')}`
  const email = `${slug}@example.test`
  const password_hash = await hashPassword(slug)
  const token = mintApiToken()
  const { tenant_id } = await createWorkspace(pool, {
    workspace_name: named,
    slug,
    plan: 'business',
    email,
    user_name,
    password_hash,
    token: { name: token_name, sha256: token.sha256, prefix: token.prefix, scopes },
    ...more
  })
  return { tenant_id, email, password: slug, password_hash, api_token: token.value }
}
