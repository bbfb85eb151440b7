/** Merges and reopenings: which other incidents are related to this one, and how. */
import { Link } from '@tanstack/react-router'
import type { IncidentInFull, Related as RelatedIncident } from '../../api/shapes.ts'
import { Section } from '../../parts/Page.tsx'
import { Since } from '../../parts/Since.tsx'
import { postmortemsText } from '../../texts/postmortems.ts'
import classes from './Similar.module.css'

/** Incidents of the same signal are listed as similar ones instead. */
type Shown = RelatedIncident & { relation: Exclude<RelatedIncident['relation'], 'same_signal'> }
const isShown = (related: RelatedIncident): related is Shown => related.relation !== 'same_signal'

export function Related({ incident: { related = [] } }: { incident: IncidentInFull }) {
  const shown = related.filter(isShown)
  if (shown.length === 0) return null
  return (
    <Section title={postmortemsText('related.title')}>
      <ul className={classes.list}>
        {shown.map(({ id, key, title, started_at, relation }) => (
          <li key={id}>
            <Link to="/incidents/$id" params={{ id: key }} title={title}>
              {key}
            </Link>
            <span>{postmortemsText(`related.${relation}`)}</span>
            <Since at={started_at} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** Links to the incident into which this one was merged. */
export function MergedMark({ incident: { merged_into, resolution, related = [] } }: { incident: IncidentInFull }) {
  const into = related.find(({ id }) => id === merged_into)
  if (!into) return resolution?.reason === 'merged' ? <span>{postmortemsText('merged.mark_unseen')}</span> : null
  return (
    <Link to="/incidents/$id" params={{ id: into.key }} title={into.title}>
      {postmortemsText('merged.mark', { key: into.key })}
    </Link>
  )
}
