/**
 * One token: what it may do, who made it, when and from where it was used, when it ends. Its value
 * is for its owner alone; others narrow or revoke it, if their role is as high.
 */
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { OctagonX } from 'lucide-react'
import { isAtLeast } from '../../../../schemas/http/rights.ts'
import { client, take } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import type { Member, Token, TokenWithValue } from '../../api/shapes.ts'
import { readAgain } from '../../api/workspace.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Since, useNow } from '../../parts/Since.tsx'
import { Status } from '../../parts/Status.tsx'
import { tellDone } from '../../parts/tell.ts'
import classes from './List.module.css'
import { roleWords, scopeWords } from './roles.ts'

export interface TokenRowProps {
  token: Token
  /** undefined: no member any more. */
  owner: Member | undefined
  onEdit: () => void
  onRotated: (token: TokenWithValue) => void
}

export function TokenRow({ token, owner, onEdit, onRotated }: TokenRowProps) {
  const { id, name, prefix, scopes, expires_at, allowed_cidrs, last_used_at, last_used_ip } = token
  const { user, role } = useSession()
  const mine = user?.id === token.user_id
  const mayNarrow = owner !== undefined && isAtLeast(role, owner.role)
  const queries = useQueryClient()
  const now = useNow(10)
  const expired = expires_at !== null && Date.parse(expires_at) <= now
  const path = { params: { path: { id } } }

  async function rotate(): Promise<void> {
    onRotated(await take(client.POST('/api/v1/workspace/tokens/{id}/rotate', path)))
    await readAgain(queries, 'tokens')
  }

  async function revoke(): Promise<void> {
    await take(client.DELETE('/api/v1/workspace/tokens/{id}', path))
    await readAgain(queries, 'tokens')
    tellDone(`${name} is revoked`)
  }

  return (
    <li className={classes.row}>
      <div>
        <p className={classes.name}>{name}</p>
        <p className={classes.facts}>
          <code>{prefix}…</code>
          <span>{scopes.map((scope) => scopeWords(scope).name).join(', ')}</span>
          <span>{owner ? `Created by ${mine ? 'you' : owner.name}` : 'Its owner is no longer a member'}</span>
        </p>
        <p className={classes.facts}>
          <span>
            {last_used_at ? (
              <>
                Used <Since at={last_used_at} />
                {last_used_ip && ` from ${last_used_ip}`}
              </>
            ) : (
              'Never used'
            )}
          </span>
          {expired ? (
            <Status look={{ tone: 'bad', icon: OctagonX, word: 'Expired' }}>
              Expired <Since at={expires_at} />
            </Status>
          ) : (
            <span>
              {expires_at ? (
                <>
                  Expires <Since at={expires_at} />
                </>
              ) : (
                'Does not expire'
              )}
            </span>
          )}
          {allowed_cidrs.length > 0 && <span>Only from {allowed_cidrs.join(', ')}</span>}
          {!mine && !mayNarrow && owner && <span>Only an {roleWords(owner.role).name.toLowerCase()} may change or revoke it</span>}
        </p>
      </div>
      {(mine || mayNarrow) && (
        <div className={classes.actions}>
          <Button variant="default" onClick={onEdit} aria-label={`${mine ? 'Edit' : 'Narrow'} ${name}`}>
            {mine ? 'Edit' : 'Narrow'}
          </Button>
          {mine && (
            <Confirm label="Rotate" aria-label={`Rotate ${name}`} question={`Rotate ${name}?`} verb="Rotate" act={rotate}>
              A new value is made and shown once. The old one stops working within 5 s: whatever uses it needs the new one.
            </Confirm>
          )}
          <Confirm label="Revoke" aria-label={`Revoke ${name}`} question={`Revoke ${name}?`} verb="Revoke" act={revoke}>
            It stops working within 5 s, for ever.{' '}
            {last_used_at ? (
              <>
                It was used <Since at={last_used_at} />.
              </>
            ) : (
              'This token was never used.'
            )}
          </Confirm>
        </div>
      )}
    </li>
  )
}
