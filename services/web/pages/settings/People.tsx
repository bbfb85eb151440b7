/** The members, in the order in which they joined. */
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { client, take } from '../../api/client.ts'
import { sessionQuery, useMay, useSession } from '../../api/session.ts'
import type { Member } from '../../api/shapes.ts'
import { readAgain } from '../../api/workspace.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Section } from '../../parts/Page.tsx'
import { Around, HERE } from '../../parts/Said.tsx'
import { Since } from '../../parts/Since.tsx'
import { tellDone } from '../../parts/tell.ts'
import { membersText } from '../../texts/members.ts'
import { namesText } from '../../texts/names.ts'
import classes from './List.module.css'
import { RoleDialog } from './RoleDialog.tsx'
import { roleWords } from './roles.ts'

export function People({ members }: { members: readonly Member[] }) {
  const [changed, setChanged] = useState<Member | null>(null)
  const owners = members.filter(({ role }) => role === 'owner').length
  return (
    <Section title={membersText('page.title')}>
      <ul className={classes.list} aria-label={membersText('page.title')}>
        {members.map((member) => (
          <Row
            key={member.user_id}
            member={member}
            lastOwner={member.role === 'owner' && owners === 1}
            onChangeRole={() => setChanged(member)}
          />
        ))}
      </ul>
      <RoleDialog member={changed} onClose={() => setChanged(null)} />
    </Section>
  )
}

function Row({ member, lastOwner, onChangeRole }: { member: Member; lastOwner: boolean; onChangeRole: () => void }) {
  const { user_id, name, email, role, last_seen_at } = member
  const { user, role: own } = useSession()
  const administers = useMay('administer')
  const mine = user?.id === user_id
  const may = administers && (role !== 'owner' || own === 'owner')
  return (
    <li className={classes.row}>
      <div>
        <p className={classes.name}>{mine ? namesText('person.you', { name }) : name}</p>
        <p className={classes.facts}>
          <span title={roleWords(role).does}>{roleWords(role).name}</span>
          <span>{email}</span>
          <span>
            {last_seen_at ? (
              <Around text={membersText('row.seen', { at: HERE })}>
                <Since at={last_seen_at} />
              </Around>
            ) : (
              membersText('row.never')
            )}
          </span>
          {lastOwner && may && <span>{membersText('row.last_owner')}</span>}
        </p>
      </div>
      {may && (
        <div className={classes.actions}>
          <Button aria-haspopup="dialog" variant="default" onClick={onChangeRole} aria-label={membersText('row.change_role_of', { name })}>
            {membersText('row.change_role')}
          </Button>
          <Removal member={member} mine={mine} />
        </div>
      )}
    </li>
  )
}

function Removal({ member: { user_id, name }, mine }: { member: Member; mine: boolean }) {
  const queries = useQueryClient()
  const { workspace } = useSession()
  async function remove(): Promise<void> {
    await take(client.DELETE('/api/v1/workspace/members/{user_id}', { params: { path: { user_id } } }))
    if (mine) {
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
      return
    }
    await readAgain(queries, 'members', 'invites')
    tellDone(membersText('row.removed', { name }))
  }
  return (
    <Confirm
      label={membersText(mine ? 'row.leave' : 'row.remove')}
      aria-label={mine ? membersText('row.leave_of', { workspace: workspace.name }) : membersText('row.remove_of', { name })}
      question={mine ? membersText('row.leave_question', { workspace: workspace.name }) : membersText('row.remove_question', { name })}
      verb={membersText(mine ? 'row.leave' : 'row.remove')}
      act={remove}
    >
      {membersText(mine ? 'row.leave_hint' : 'row.remove_hint')}
    </Confirm>
  )
}
