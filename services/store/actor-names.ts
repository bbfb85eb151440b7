/**
 * Reads the names of actors and owners (`user:<id>`, `token:<id>`, `integration:<id>` or
 * `team:<id>`) for the people who see them. A person who left has no name, nor has an integration
 * or team that is deleted or not visible. A token keeps its name after it is revoked.
 */
import type { Tx } from './pool.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Returns the ids of the actors of one kind. */
const idsOf = (actors: readonly string[], kind: string): string[] =>
  actors
    .filter((actor) => actor.startsWith(`${kind}:`))
    .map((actor) => actor.slice(kind.length + 1))
    .filter((id) => UUID.test(id))

/** Returns names by actor. Actors without a name are missing. */
export async function actorNames(tx: Tx, tenant_id: string, actors: readonly (string | null)[]): Promise<ReadonlyMap<string, string>> {
  const named = [...new Set(actors.filter((actor) => actor !== null))]
  const users = idsOf(named, 'user')
  const tokens = idsOf(named, 'token')
  const integrations = idsOf(named, 'integration')
  const teams = idsOf(named, 'team')
  if (users.length + tokens.length + integrations.length + teams.length === 0) return new Map()
  const { rows } = await tx.query<{ actor: string; name: string }>(
    `SELECT 'user:' || u.user_id AS actor, u.name FROM members m JOIN users u USING (user_id)
      WHERE m.tenant_id = $1 AND m.user_id = ANY ($2::uuid[])
     UNION ALL
     SELECT 'token:' || token_id, name FROM api_tokens WHERE tenant_id = $1 AND token_id = ANY ($3::uuid[])
     UNION ALL
     SELECT 'integration:' || integration_id, name FROM integrations WHERE tenant_id = $1 AND integration_id = ANY ($4::uuid[])
     UNION ALL
     SELECT 'team:' || team_id, name FROM teams WHERE tenant_id = $1 AND team_id = ANY ($5::uuid[])`,
    [tenant_id, users, tokens, integrations, teams]
  )
  return new Map(rows.map(({ actor, name }) => [actor, name]))
}
