/** API tokens, which scripts and senders use in place of a person. Their values are shown once. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { KeyRound, Lock, Plus } from 'lucide-react'
import { useState } from 'react'
import { useMay, useSession } from '../../api/session.ts'
import type { Member, Token, TokenWithValue } from '../../api/shapes.ts'
import { isFull, membersQuery, tokensQuery, useLimit } from '../../api/workspace.ts'
import { figure } from '../../parts/clock.ts'
import { lateDialog } from '../../parts/late-dialog.tsx'
import { PageHead } from '../../parts/Page.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { stillComes } from '../../parts/still-comes.ts'
import { useKeys } from '../../shell/keys.ts'
import { tokensText } from '../../texts/tokens.ts'
import classes from './List.module.css'
import { roleWords } from './roles.ts'
import { TokenRow } from './TokenRow.tsx'
import { TokenValue } from './TokenValue.tsx'

const TokenDialog = lateDialog(async () => (await import('./TokenDialog.tsx')).TokenDialog)

export function Tokens() {
  const may = useMay('administer')
  return may ? <TokenList /> : <Forbidden />
}

function Forbidden() {
  const { role } = useSession()
  return (
    <>
      <PageHead title={tokensText('page.title')} answer={tokensText('page.may_not')} />
      <Empty icon={Lock} title={tokensText('page.may_not_see')}>
        {tokensText('page.may_not_hint', { role: roleWords(role).name })}
      </Empty>
    </>
  )
}

const DAY_MS = 86_400_000

function answerOf({ items: tokens, total }: { items: readonly Token[]; total: number }): string {
  if (total === 0) return tokensText('answer.none')
  const now = Date.now()
  const ends = (within: number) => tokens.filter(({ expires_at }) => expires_at !== null && Date.parse(expires_at) <= now + within).length
  const expired = ends(0)
  const soon = ends(7 * DAY_MS) - expired
  const unused = tokens.filter(({ last_used_at }) => last_used_at === null).length
  return [
    total === 1 ? tokensText('answer.one') : tokensText('answer.some', { count: figure(total) }),
    expired > 0 && tokensText('answer.expired', { count: expired }),
    soon > 0 && tokensText('answer.soon', { count: soon }),
    unused > 0 && tokensText('answer.unused', { count: unused })
  ]
    .filter(Boolean)
    .join(', ')
}

function TokenList() {
  const { create, edit } = useSearch({ from: '/inside/settings/tokens' })
  const navigate = useNavigate()
  const asked = useQuery(tokensQuery)
  const { data: tokens } = asked
  const owners = useQuery(membersQuery)
  const { data: members } = owners
  // A row without the name of its owner is lower, so the list waits for the members.
  const waits = stillComes(owners)
  const [shown, setShown] = useState<TokenWithValue | null>(null)
  const limit = useLimit('api_tokens')
  const full = isFull(limit)
  const go = (search: { create?: 'yes'; edit?: string }): void => void navigate({ to: '/settings/tokens', search })
  useKeys(full ? {} : { c: () => go({ create: 'yes' }) })
  const ownerOf = (token: Token): Member | undefined => members?.items.find(({ user_id }) => user_id === token.user_id)
  const edited = tokens?.items.find(({ id }) => id === edit)
  const button = (
    <Button aria-haspopup="dialog" leftSection={<Plus size={16} aria-hidden />} onClick={() => go({ create: 'yes' })} disabled={full}>
      {tokensText('page.create')}
    </Button>
  )
  return (
    <>
      <PageHead
        title={tokensText('page.title')}
        answer={tokens ? answerOf(tokens) : tokensText('page.title')}
        actions={tokens?.total === 0 ? null : button}
      >
        {full && <span role="status">{tokensText('page.full', { count: limit?.limit ?? '' })}</span>}
      </PageHead>
      {!tokens || waits ? (
        <Awaiting of={asked} rows={4} height={64} />
      ) : tokens.items.length === 0 ? (
        <Empty icon={KeyRound} title={tokensText('page.empty')} action={button}>
          {tokensText('page.empty_hint')}
        </Empty>
      ) : (
        <ul className={classes.list} aria-label={tokensText('page.title')}>
          {tokens.items.map((token) => (
            <TokenRow key={token.id} token={token} owner={ownerOf(token)} onEdit={() => go({ edit: token.id })} onRotated={setShown} />
          ))}
        </ul>
      )}
      <TokenDialog
        opened={create === 'yes' || edited !== undefined}
        token={edited}
        owner={edited && ownerOf(edited)}
        onClose={() => go({})}
        onMade={setShown}
      />
      <TokenValue token={shown} onClose={() => setShown(null)} />
    </>
  )
}
