/**
 * What people may do, in words: the roles of members and the scopes of tokens, as rights.ts has
 * them.
 * Source: docs/design/api.md#s1-4.
 */
import { roles, scopes } from '../../../../schemas/http/roles.ts'
import type { Role, Scope } from '../../api/shapes.ts'
import { rolesText } from '../../texts/roles.ts'

interface Words {
  name: string
  does: string
}

export const roleWords = (role: Role): Words => ({ name: rolesText(`role.${role}`), does: rolesText(`does.${role}`) })

const keys = {
  read: 'read',
  write: 'write',
  'incidents:act': 'act',
  ingest: 'ingest',
  'data:read': 'data',
  billing: 'billing',
  admin: 'admin'
} as const satisfies Readonly<Record<Scope, string>>

export const scopeWords = (scope: string): Words => {
  const known = scopes.find((one) => one === scope)
  // A scope that only a newer version knows is shown as it is.
  return known ? { name: rolesText(`scope.${keys[known]}`), does: rolesText(`allows.${keys[known]}`) } : { name: scope, does: '' }
}

/** Returns the roles that a person with `role` may give. Only an owner can make an owner. */
export const rolesToGive = (role: Role): readonly Role[] => (role === 'owner' ? roles : roles.filter((one) => one !== 'owner'))
