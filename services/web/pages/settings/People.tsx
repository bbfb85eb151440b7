/** The members, in the order of joining. */
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { client, take } from '../../api/client.ts'
import { sessionQuery, useMay, useSession } from '../../api/session.ts'
import type { Member } from '../../api/shapes.ts'
import { readAgain } from '../../api/workspace.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Section } from '../../parts/Page.tsx'
import { Since } from '../../parts/Since.tsx'
import { tellDone } from '../../parts/tell.ts'
import classes from './List.module.css'
import { RoleDialog } from './RoleDialog.tsx'
import { roleWords } from './roles.ts'

export function People({ members }: { members: readonly Member[] }) {
  const [changed, setChanged] = useState<Member | null>(null)
  const owners = members.filter(({ role }) => role === 'owner').length
  return (
    <Section title="Members">
      <ul className={classes.list} aria-label="Members">
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
        <p className={classes.name}>
          {name}
          {mine && ' (you)'}
        </p>
        <p className={classes.facts}>
          <span title={roleWords(role).does}>{roleWords(role).name}</span>
          <span>{email}</span>
          <span>
            {last_seen_at ? (
              <>
                Seen <Since at={last_seen_at} />
              </>
            ) : (
              'Not logged in'
            )}
          </span>
          {lastOwner && may && <span>The only owner. Add another owner before you remove this one</span>}
        </p>
      </div>
      {may && (
        <div className={classes.actions}>
          <Button variant="default" onClick={onChangeRole} aria-label={`Change role of ${name}`}>
            Change role
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
    tellDone(`${name} is no longer a member`)
  }
  return (
    <Confirm
      label={mine ? 'Leave' : 'Remove'}
      aria-label={mine ? `Leave ${workspace.name}` : `Remove ${name}`}
      question={mine ? `Leave ${workspace.name}?` : `Remove ${name}?`}
      verb={mine ? 'Leave' : 'Remove'}
      act={remove}
    >
      {mine ? 'Your' : 'Their'} sessions and API tokens of this workspace end within 5 s, and open invites are withdrawn. What was created
      stays.
    </Confirm>
  )
}
