/**
 * API tokens of a workspace.
 * Source: docs/design/api.md#s1-4 and docs/design/api/account.md#ac-5 to #ac-7.
 */
import { type Static, Type } from 'typebox'
import { Cidrs, common, Id, Instant, list, Name, nullable, oneOf } from './common.ts'
import { scopes } from './endpoints.ts'

const Scopes = Type.Array(oneOf(scopes), { minItems: 1, maxItems: scopes.length, uniqueItems: true })

export const CreateTokenBody = Type.Object(
  {
    name: Name,
    scopes: Type.Optional(Scopes),
    expires_at: Type.Optional(nullable(Instant)),
    allowed_cidrs: Type.Optional(Cidrs)
  },
  { additionalProperties: false }
)

export const UpdateTokenBody = Type.Partial(CreateTokenBody, { additionalProperties: false })

const fields = {
  ...common,
  name: Type.String(),
  prefix: Type.String({ description: 'First characters of the token, to recognise it by.' }),
  scopes: Type.Array(Type.String()),
  user_id: Type.Unsafe<string>({ ...Id, description: 'Owner of the token. The token can see what this person may see.' }),
  expires_at: nullable(Instant),
  allowed_cidrs: Type.Array(Type.String()),
  last_used_at: nullable(Instant),
  last_used_ip: nullable(Type.String())
}

export const TokenDetail = Type.Object(fields)
export type TokenDetail = Static<typeof TokenDetail>
export const TokenList = list(TokenDetail)
/** The only answers that contain the token's value. */
export const TokenWithValue = Type.Object({ ...fields, token: Type.String({ description: 'Value of the token, shown only once.' }) })
