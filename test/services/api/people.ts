/** Adds more people to a workspace: they are invited and accept through the API. */
import type { MemberRole } from '../../../schemas/http/endpoints.ts'
import { PASSWORD, type Stand, type Workspace } from './stand.ts'

export interface Person {
  user_id: string
  email: string
  cookie: string
}

let address = 0
/** Returns a new address for each caller, so that limits per address do not add up. */
export const anAddress = (): string => `10.9.${++address >> 8}.${address & 255}`

/** Creates an invite; returns its id and token. */
export async function invite(s: Stand, who: Workspace | string, email: string, role: MemberRole): Promise<{ id: string; token: string }> {
  const answer = await s.call(who, 'POST', '/api/v1/workspace/invites', { email, role })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  const { id, accept_url } = answer.json()
  return { id, token: String(accept_url).split('/').at(-1) ?? '' }
}

export const accept = (s: Stand, token: string, body: object, headers: Record<string, string> = {}) =>
  s.call(null, 'POST', `/api/v1/invites/${token}/accept`, body, { remoteAddress: anAddress(), headers })

export const cookieOf = (answer: { headers: Record<string, unknown> }): string =>
  [answer.headers['set-cookie']].flat().join().split(';')[0] ?? ''

/** Creates a new member with their own account. All of them have the same password. */
export async function person(s: Stand, who: Workspace, name: string, role: MemberRole): Promise<Person> {
  const email = `${name}@people.test`
  const { token } = await invite(s, who, email, role)
  const answer = await accept(s, token, { name, password: PASSWORD })
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return { user_id: answer.json().user.id, email, cookie: cookieOf(answer) }
}

/** Sends a request as the dashboard does, with the person's session. */
export const as = (s: Stand, { cookie }: Pick<Person, 'cookie'>, method: string, path: string, body?: unknown) =>
  s.call(null, method, path, body ?? (method === 'GET' ? undefined : {}), { headers: { cookie, origin: s.services.config.publicUrl } })

/** Returns the actions in a workspace's audit log about one object, oldest first. */
export async function audited(s: Stand, tenant_id: string, object_id: string): Promise<string[]> {
  const { rows } = await s.systemPool.query<{ action: string }>(
    'SELECT action FROM audit WHERE tenant_id = $1 AND object_id = $2 ORDER BY at, audit_id',
    [tenant_id, object_id]
  )
  return rows.map(({ action }) => action)
}
