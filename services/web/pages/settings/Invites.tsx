/** People who are invited and have not joined yet. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { client, take } from '../../api/client.ts'
import type { Invite, Member } from '../../api/shapes.ts'
import { invitesQuery, readAgain } from '../../api/workspace.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Section } from '../../parts/Page.tsx'
import { Around, HERE } from '../../parts/Said.tsx'
import { Since, useNow } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { tellDone } from '../../parts/tell.ts'
import { membersText } from '../../texts/members.ts'
import classes from './List.module.css'
import { roleWords } from './roles.ts'

export function Invites({ members }: { members: readonly Member[] }) {
  const asked = useQuery(invitesQuery)
  const { data } = asked
  if (!data) return <Awaiting of={asked} rows={0} />
  if (data.items.length === 0) return null
  return (
    <Section title={membersText('invites.title')}>
      <ul className={classes.list} aria-label={membersText('invites.title')}>
        {data.items.map((invite) => (
          <Row key={invite.id} invite={invite} by={members.find(({ user_id }) => user_id === invite.invited_by)?.name} />
        ))}
      </ul>
    </Section>
  )
}

function Row({ invite: { id, email, role, expires_at }, by }: { invite: Invite; by: string | undefined }) {
  const queries = useQueryClient()
  const expired = Date.parse(expires_at) <= useNow(10)
  async function withdraw(): Promise<void> {
    await take(client.DELETE('/api/v1/workspace/invites/{id}', { params: { path: { id } } }))
    await readAgain(queries, 'invites')
    tellDone(membersText('invites.withdrawn', { email }))
  }
  return (
    <li className={classes.row}>
      <div>
        <p className={classes.name}>{email}</p>
        <p className={classes.facts}>
          <span>{roleWords(role).name}</span>
          {by && <span>{membersText('invites.by', { name: by })}</span>}
          <span>
            <Around text={membersText(expired ? 'invites.expired' : 'invites.expires', { at: HERE })}>
              <Since at={expires_at} />
            </Around>
          </span>
        </p>
      </div>
      <div className={classes.actions}>
        <Confirm
          label={membersText('invites.withdraw')}
          aria-label={membersText('invites.withdraw_of', { email })}
          question={membersText('invites.question', { email })}
          verb={membersText('invites.withdraw')}
          act={withdraw}
        >
          {membersText('invites.explained')}
        </Confirm>
      </div>
    </li>
  )
}
