/**
 * The groups of monitors with their states. Groups are created, renamed, ordered and deleted here.
 */
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Layers, Plus } from 'lucide-react'
import { useState } from 'react'
import { deleteMonitorGroup, monitorGroupsQuery } from '../../api/monitor-groups.ts'
import { useMay } from '../../api/session.ts'
import type { MonitorGroup } from '../../api/shapes.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { lateDialog } from '../../parts/late-dialog.tsx'
import { PageHead } from '../../parts/Page.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { Status } from '../../parts/Status.tsx'
import { tellDone } from '../../parts/tell.ts'
import { useKeys } from '../../shell/keys.ts'
import { monitorGroupsText } from '../../texts/monitor-groups.ts'
import classes from '../settings/List.module.css'
import { groupLook } from './group-look.ts'
import { groupInWords, groupsAnswer } from './group-words.ts'

const GroupDialog = lateDialog(async () => (await import('./GroupDialog.tsx')).GroupDialog)

export function Groups() {
  const may = useMay('write')
  const asked = useQuery(monitorGroupsQuery)
  const { data } = asked
  /** The group in the dialog, or a new one. Null when none is edited. */
  const [edited, setEdited] = useState<MonitorGroup | 'new' | null>(null)
  useKeys(may ? { c: () => setEdited('new') } : {})
  const button = may && (
    <Button aria-haspopup="dialog" leftSection={<Plus size={16} aria-hidden />} onClick={() => setEdited('new')}>
      {monitorGroupsText('groups.create')}
    </Button>
  )
  const isEmpty = data?.items.length === 0
  return (
    <>
      <PageHead
        title={monitorGroupsText('groups.title')}
        back={{ to: '/monitors', label: monitorGroupsText('groups.back') }}
        answer={!data || isEmpty ? monitorGroupsText('groups.title') : groupsAnswer(data.items)}
        actions={isEmpty ? null : button}
      >
        {!may && <span>{monitorGroupsText('groups.read_only')}</span>}
      </PageHead>
      {!data ? (
        <Awaiting of={asked} rows={3} height={56} />
      ) : isEmpty ? (
        <Empty icon={Layers} title={monitorGroupsText('groups.none')} action={button}>
          {monitorGroupsText('groups.none_hint')}
        </Empty>
      ) : (
        <ul className={classes.list} aria-label={monitorGroupsText('groups.title')}>
          {data.items.map((group) => (
            <Row key={group.id} group={group} may={may} edit={() => setEdited(group)} />
          ))}
        </ul>
      )}
      {may && (
        <GroupDialog
          opened={edited !== null}
          group={edited === 'new' || edited === null ? undefined : edited}
          onClose={() => setEdited(null)}
        />
      )}
    </>
  )
}

function Row({ group, may, edit }: { group: MonitorGroup; may: boolean; edit: () => void }) {
  const queries = useQueryClient()
  const { id, name, description } = group
  return (
    <li className={classes.row}>
      <div>
        <p className={classes.name}>
          <Link to="/monitors" search={{ group: id }}>
            {name}
          </Link>
        </p>
        <p className={classes.facts}>
          <Status look={groupLook(group)} />
          <span>{groupInWords(group)}</span>
          {description !== '' && <span className={classes.line}>{description.split('\n', 1)[0]}</span>}
        </p>
      </div>
      {may && (
        <div className={classes.actions}>
          <Button variant="default" aria-haspopup="dialog" onClick={edit} aria-label={monitorGroupsText('group.edit_title', { name })}>
            {monitorGroupsText('groups.edit')}
          </Button>
          <Confirm
            label={monitorGroupsText('groups.delete')}
            aria-label={monitorGroupsText('group.delete_title', { name })}
            question={monitorGroupsText('groups.delete_question', { name })}
            verb={monitorGroupsText('groups.delete_verb')}
            act={async () => {
              await deleteMonitorGroup(id)
              tellDone(monitorGroupsText('groups.deleted', { name }))
              await queries.invalidateQueries({ queryKey: ['monitors'] })
            }}
          >
            {monitorGroupsText('groups.delete_hint')}
          </Confirm>
        </div>
      )}
    </li>
  )
}
