/** The number of monitors in each state, each with a link to the list of them. */
import { Link } from '@tanstack/react-router'
import type { Monitor } from '../../api/shapes.ts'
import { monitorLook, Status } from '../../parts/Status.tsx'
import classes from './Overview.module.css'

export function Counts({ monitors }: { monitors: readonly Monitor[] }) {
  const groups = new Map<string, { count: number; first: Monitor }>()
  for (const monitor of monitors) {
    const { word } = monitorLook(monitor)
    const group = groups.get(word)
    if (group) group.count++
    else groups.set(word, { count: 1, first: monitor })
  }
  return [...groups].map(([word, { count, first }]) => (
    <Link key={word} to="/monitors" search={{ phase: [first.phase] }} className={classes.count}>
      <Status look={monitorLook(first)}>
        {count} {word.toLowerCase()}
      </Status>
    </Link>
  ))
}
