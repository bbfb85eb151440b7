/**
 * One token: what it may do, who made it, when and from where it was used, and when it ends. Only
 * its owner gets its value. Others can narrow or revoke it if their role is as high.
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
import { Around, HERE } from '../../parts/Said.tsx'
import { Since, useNow } from '../../parts/Since.tsx'
import { type Look, Status } from '../../parts/Status.tsx'
import { tellDone } from '../../parts/tell.ts'
import { tokensText } from '../../texts/tokens.ts'
import classes from './List.module.css'
import { roleWords, scopeWords } from './roles.ts'

export interface TokenRowProps {
  token: Token
  /** undefined: the owner is no longer a member. */
  owner: Member | undefined
  onEdit: () => void
  onRotated: (token: TokenWithValue) => void
}

const expiredLook: Look = { tone: 'bad', icon: OctagonX, word: '' }

function makerInWords(owner: Member | undefined, mine: boolean): string {
  if (!owner) return tokensText('row.ownerless')
  return mine ? tokensText('row.created_by_you') : tokensText('row.created_by', { name: owner.name })
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
    tellDone(tokensText('revoke.done', { name }))
  }

  return (
    <li className={classes.row}>
      <div>
        <p className={classes.name}>{name}</p>
        <p className={classes.facts}>
          <code>{prefix}…</code>
          <span>{scopes.map((scope) => scopeWords(scope).name).join(', ')}</span>
          <span>{makerInWords(owner, mine)}</span>
        </p>
        <p className={classes.facts}>
          <span>
            {last_used_at ? (
              <Around
                text={
                  last_used_ip ? tokensText('row.used_from', { at: HERE, address: last_used_ip }) : tokensText('row.used', { at: HERE })
                }
              >
                <Since at={last_used_at} />
              </Around>
            ) : (
              tokensText('row.unused')
            )}
          </span>
          {expired ? (
            <Status look={expiredLook}>
              <Around text={tokensText('row.expired', { at: HERE })}>
                <Since at={expires_at} />
              </Around>
            </Status>
          ) : (
            <span>
              {expires_at ? (
                <Around text={tokensText('row.expires', { at: HERE })}>
                  <Since at={expires_at} />
                </Around>
              ) : (
                tokensText('row.endless')
              )}
            </span>
          )}
          {allowed_cidrs.length > 0 && <span>{tokensText('row.only_from', { networks: allowed_cidrs.join(', ') })}</span>}
          {!mine && !mayNarrow && owner && <span>{tokensText('row.only_role', { role: roleWords(owner.role).name })}</span>}
        </p>
      </div>
      {(mine || mayNarrow) && (
        <div className={classes.actions}>
          <Button
            aria-haspopup="dialog"
            variant="default"
            onClick={onEdit}
            aria-label={tokensText(mine ? 'row.edit_of' : 'row.narrow_of', { name })}
          >
            {tokensText(mine ? 'row.edit' : 'row.narrow')}
          </Button>
          {mine && (
            <Confirm
              label={tokensText('rotate.verb')}
              aria-label={tokensText('rotate.of', { name })}
              question={tokensText('rotate.question', { name })}
              verb={tokensText('rotate.verb')}
              act={rotate}
            >
              {tokensText('rotate.hint')}
            </Confirm>
          )}
          <Confirm
            label={tokensText('revoke.verb')}
            aria-label={tokensText('revoke.of', { name })}
            question={tokensText('revoke.question', { name })}
            verb={tokensText('revoke.verb')}
            act={revoke}
          >
            {tokensText('revoke.hint')}{' '}
            {last_used_at ? (
              <Around text={tokensText('revoke.used', { at: HERE })}>
                <Since at={last_used_at} />
              </Around>
            ) : (
              tokensText('revoke.unused')
            )}
          </Confirm>
        </div>
      )}
    </li>
  )
}
