/**
 * Reads docs/rights.md, so that tests can compare the running service with it: who may do what, by
 * line and role.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'
import { type MemberRole, roles, type Scope, scopes } from '../../schemas/http/endpoints.ts'

export type Credential = 'session' | Scope

/** A session, and a token with one scope for each scope. */
export const credentials: readonly Credential[] = ['session', ...scopes]

export type Line = ReadonlyMap<MemberRole, ReadonlySet<string>>

/** Returns the table, keyed by the first cell of each line without its backticks. */
export function rightsTable(): ReadonlyMap<string, Line> {
  const table = new Map<string, Line>()
  for (const text of readFileSync(join(projectRoot, 'docs/rights.md'), 'utf8').split('\n')) {
    if (!text.startsWith('| ')) continue
    const [name = '', ...cells] = text.slice(2, -2).split(' | ')
    if (cells.length !== roles.length || name === '---' || cells[0] === roles[0]) continue
    table.set(
      name.replaceAll('`', ''),
      new Map(roles.map((role, nth) => [role, new Set(cells[nth] === 'all' ? credentials : (cells[nth] ?? '').split(', '))]))
    )
  }
  return table
}

/** Whether the table allows it. Throws for a line that the table does not have. */
export function passes(table: ReadonlyMap<string, Line>, name: string, role: MemberRole, credential: Credential): boolean {
  const line = table.get(name)
  if (!line) throw new Error(`docs/rights.md has no line ${name}`)
  return line.get(role)?.has(credential) ?? false
}
