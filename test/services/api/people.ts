/** Further people of a workspace, as tests need them: invited and accepted through the API. */
import type { MemberRole } from '../../../schemas/http/endpoints.ts'
import { PASSWORD, type Stand, type Workspace } from './stand.ts'

export interface Person {
  user_id: string
  email: string
  cookie: string
}

let address = 0
/** Of its own for every caller, so that limits per address do not count together. */
export const anAddress = (): string => `10.9.${++address >> 8}.${address & 255}`

/** Id and token of an invite. */
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

/** A new member with an account of their own, whose password is that of all. */
export async function person(s: Stand, who: Workspace, name: string, role: MemberRole): Promise<Person> {
  const email = `${name}@people.test`
  const { token } = await invite(s, who, email, role)
  const answer = await accept(s, token, { name, password: PASSWORD })
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return { user_id: answer.json().user.id, email, cookie: cookieOf(answer) }
}

/** A request from a page of ours, with the session of a person. */
export const as = (s: Stand, { cookie }: Pick<Person, 'cookie'>, method: string, path: string, body?: unknown) =>
  s.call(null, method, path, body ?? (method === 'GET' ? undefined : {}), { headers: { cookie, origin: s.services.config.publicUrl } })

/** Actions on the audit of a workspace about one object, oldest first. */
export async function audited(s: Stand, tenant_id: string, object_id: string): Promise<string[]> {
  const { rows } = await s.systemPool.query<{ action: string }>(
    'SELECT action FROM audit WHERE tenant_id = $1 AND object_id = $2 ORDER BY at, audit_id',
    [tenant_id, object_id]
  )
  return rows.map(({ action }) => action)
}
