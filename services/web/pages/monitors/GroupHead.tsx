/** The heading of a group in the list of monitors: its name, its state, the number of monitors. */
import { Link } from '@tanstack/react-router'
import type { MonitorGroup } from '../../api/shapes.ts'
import { Status } from '../../parts/Status.tsx'
import { monitorGroupsText } from '../../texts/monitor-groups.ts'
import classes from './GroupHead.module.css'
import { groupLook } from './group-look.ts'
import { groupInWords } from './group-words.ts'

/** `group` is null for the monitors without a group. */
export function GroupHead({ group }: { group: MonitorGroup | null }) {
  if (!group)
    return (
      <div className={classes.head}>
        <b>{monitorGroupsText('group.no_group')}</b>
      </div>
    )
  return (
    <div className={classes.head}>
      <b>
        <Link to="/monitors" search={{ group: group.id }}>
          {group.name}
        </Link>
      </b>
      <Status look={groupLook(group)} />
      <span className={classes.count}>{groupInWords(group)}</span>
    </div>
  )
}
