/**
 * What people may do, in words: the roles of members and the scopes of tokens.
 * Source: docs/design/api.md#s1-4, as rights.ts has it.
 */
import { roles, scopes } from '../../../../schemas/http/roles.ts'
import type { Role, Scope } from '../../api/shapes.ts'
import { figure } from '../../parts/clock.ts'

interface Words {
  name: string
  does: string
}

const wordsOfRole: Readonly<Record<Role, Words>> = {
  owner: { name: 'Owner', does: 'Can do everything. Only owners can add other owners.' },
  admin: { name: 'Admin', does: 'Manages members, API tokens and settings, and can do everything that editors and responders can do.' },
  responder: { name: 'Responder', does: 'Acknowledges, silences, resolves and comments on incidents; reads everything else.' },
  editor: { name: 'Editor', does: 'Makes and changes monitors, heartbeats and integrations; reads everything else.' },
  viewer: { name: 'Viewer', does: 'Reads everything and changes nothing.' },
  billing: { name: 'Billing', does: 'Handles the plan and its cost; sees neither monitors nor incidents.' }
}

const wordsOfScope: Readonly<Record<Scope, Words>> = {
  read: { name: 'Read', does: 'Monitors, heartbeats, incidents, integrations and analytics.' },
  write: { name: 'Write', does: 'Create and change monitors, heartbeats and integrations.' },
  'incidents:act': { name: 'Act on incidents', does: 'Acknowledge, silence, resolve and comment.' },
  ingest: { name: 'Send', does: 'Together with Read: the ping addresses of heartbeats.' },
  'data:read': { name: 'Read data topics', does: 'For data teams that read the workspace’s topics.' },
  billing: { name: 'Billing', does: 'The plan and its cost.' },
  admin: { name: 'Admin', does: 'Everything its owner can do, including members and tokens.' }
}

export const roleWords = (role: Role): Words => wordsOfRole[role]
export const scopeWords = (scope: string): Words => {
  const known = scopes.find((one) => one === scope)
  // A scope of a newer version is shown as it is.
  return known ? wordsOfScope[known] : { name: scope, does: '' }
}

/** Roles that somebody with `role` may give: only an owner makes an owner. */
export const rolesToGive = (role: Role): readonly Role[] => (role === 'owner' ? roles : roles.filter((one) => one !== 'owner'))

/** `6 people, 1 invited`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${figure(count)} ${count === 1 ? one : many}`
