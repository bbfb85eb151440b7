/**
 * The Message-IDs of this service's mails. A provider that later reports what became of a mail
 * names only this id, so the id says whose mail it was. The id of the first mail of an incident
 * follows from incident and target: a retry has the same id, and later mails refer to it.
 * Source: docs/design/outbound-channels.md#s3-4.
 */

export interface MailId {
  tenant_id: string
  /** Null: the mail is about no incident. */
  incident_id: string | null
  /** The target for the first mail of an incident, and the delivery for all others. */
  of: { target_id: string } | { delivery_id: string }
}

export function mailIdText({ tenant_id, incident_id, of }: MailId, domain: string): string {
  const own = 'target_id' in of ? `open.${of.target_id}` : of.delivery_id
  return `<${incident_id === null ? '' : `inc.${incident_id}.`}${own}.${tenant_id}@${domain}>`
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const OURS = new RegExp(`^<?(?:inc\\.(${UUID})\\.(?:open\\.(${UUID})|(${UUID}))|(${UUID}))\\.(${UUID})@[^<>@\\s]+>?$`)

/** Null: the id is not one of this service. */
export function mailIdIn(text: string): MailId | null {
  const [, incident_id = null, target_id, later, alone, tenant_id] = OURS.exec(text.trim().toLowerCase()) ?? []
  const delivery_id = later ?? alone
  if (tenant_id === undefined) return null
  if (target_id !== undefined) return { tenant_id, incident_id, of: { target_id } }
  return delivery_id === undefined ? null : { tenant_id, incident_id, of: { delivery_id } }
}
