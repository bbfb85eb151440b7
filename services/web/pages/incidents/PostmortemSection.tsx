/** Says whether the incident has a postmortem, and links to it. */
import { Link } from '@tanstack/react-router'
import { useMay } from '../../api/session.ts'
import type { IncidentInFull } from '../../api/shapes.ts'
import { Section } from '../../parts/Page.tsx'
import { postmortemsText } from '../../texts/postmortems.ts'
import classes from './Similar.module.css'

export function PostmortemSection({ incident: { key, status, postmortem_status } }: { incident: IncidentInFull }) {
  const may = useMay('act')
  const isThere = postmortem_status !== 'none'
  const word = isThere ? postmortem_status : status === 'ongoing' ? 'after' : 'none'
  return (
    <Section title={postmortemsText('section.title')}>
      <p className={classes.none}>{postmortemsText(`section.${word}`)}</p>
      {(isThere || (may && status === 'resolved')) && (
        <p className={classes.way}>
          <Link to="/incidents/$id/postmortem" params={{ id: key }}>
            {postmortemsText(isThere ? 'section.read' : 'section.write')}
          </Link>
        </p>
      )}
    </Section>
  )
}
