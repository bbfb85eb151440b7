/** One token: what it may do, who made it, when and from where it was used, when it ends. */
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { OctagonX } from 'lucide-react'
import { client, take } from '../../api/client.ts'
import type { Token, TokenWithValue } from '../../api/shapes.ts'
import { readAgain } from '../../api/workspace.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Since, useNow } from '../../parts/Since.tsx'
import { Status } from '../../parts/Status.tsx'
import { tellDone } from '../../parts/tell.ts'
import classes from './List.module.css'
import { scopeWords } from './roles.ts'

export interface TokenRowProps {
  token: Token
  /** Name; undefined: no member any more. */
  owner: string | undefined
  onEdit: () => void
  onRotated: (token: TokenWithValue) => void
}

export function TokenRow({ token, owner, onEdit, onRotated }: TokenRowProps) {
  const { id, name, prefix, scopes, expires_at, allowed_cidrs, last_used_at, last_used_ip } = token
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
          <span>{owner ? `Made by ${owner}` : 'Its owner is no member any more'}</span>
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
        </p>
      </div>
      <div className={classes.actions}>
        <Button variant="default" onClick={onEdit} aria-label={`Edit ${name}`}>
          Edit
        </Button>
        <Confirm label="Rotate" aria-label={`Rotate ${name}`} question={`Rotate ${name}?`} verb="Rotate" act={rotate}>
          A new value is made and shown once. The old one stops working within 5 s: whatever uses it needs the new one.
        </Confirm>
        <Confirm label="Revoke" aria-label={`Revoke ${name}`} question={`Revoke ${name}?`} verb="Revoke" act={revoke}>
          It stops working within 5 s, for ever.{' '}
          {last_used_at ? (
            <>
              It was used <Since at={last_used_at} />.
            </>
          ) : (
            'It was never used.'
          )}
        </Confirm>
      </div>
    </li>
  )
}
