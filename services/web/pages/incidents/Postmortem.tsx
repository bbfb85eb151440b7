/** The postmortem page of an incident: for reading and for writing. */
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { FileText } from 'lucide-react'
import { useState } from 'react'
import { postmortemParts } from '../../../../schemas/http/postmortem-words.ts'
import { isGone } from '../../api/client.ts'
import { incidentQuery } from '../../api/lists.ts'
import { markdownAddress, postmortemQuery } from '../../api/postmortems.ts'
import { useMay } from '../../api/session.ts'
import type { IncidentInFull, Postmortem } from '../../api/shapes.ts'
import { Markdown } from '../../parts/Markdown.tsx'
import { PageHead, Section } from '../../parts/Page.tsx'
import { dayTime, Since } from '../../parts/Since.tsx'
import { Awaiting, Empty, Problem } from '../../parts/States.tsx'
import { postmortemPageText } from '../../texts/postmortem-page.ts'
import { isIncidentKey, useIdInAddress } from './id-in-address.ts'
import classes from './Postmortem.module.css'
import { PostmortemForm } from './PostmortemForm.tsx'
import { templateOf, valuesOf } from './postmortem-values.ts'

export function PostmortemPage() {
  const { id: reference } = useParams({ from: '/inside/incidents/$id/postmortem' })
  const asked = useQuery({ ...incidentQuery(reference), refetchInterval: false })
  const { data: incident, error } = asked
  const isNamedById = useIdInAddress(reference, incident, '/incidents/$id/postmortem')
  const key = incident?.key ?? (isIncidentKey(reference) ? reference : null)
  const back = { to: `/incidents/${reference}`, label: key ?? postmortemPageText('page.incident') }
  const title = key === null ? postmortemPageText('page.plain') : postmortemPageText('page.title', { key })
  if (!incident || isGone(error) || !isNamedById) {
    return (
      <>
        <PageHead title={title} answer={title} back={back} />
        {isGone(error) ? <Problem error={error} /> : <Awaiting of={asked} rows={8} />}
      </>
    )
  }
  return <OfIncident key={incident.id} incident={incident} title={title} back={back} />
}

interface Head {
  title: string
  back: { to: string; label: string }
}

function OfIncident({ incident, title, back }: Head & { incident: IncidentInFull }) {
  const may = useMay('act')
  const queries = useQueryClient()
  const asked = useQuery(postmortemQuery(incident.id))
  const [editing, setEditing] = useState(false)
  const { data: stored } = asked
  if (stored === undefined) {
    return (
      <>
        <PageHead title={title} answer={title} back={back} />
        <Awaiting of={asked} rows={8} />
      </>
    )
  }
  if (may && (editing || !stored)) {
    return (
      <>
        <PageHead title={title} answer={title} back={back}>
          <span>{incident.title}</span>
        </PageHead>
        <PostmortemForm
          incident={incident}
          version={stored?.version ?? 0}
          status={stored?.status ?? 'draft'}
          initial={stored ? valuesOf(stored) : templateOf(incident, dayTime)}
          begun={() => setEditing(true)}
          done={async () => {
            await queries.invalidateQueries({ queryKey: ['postmortems'] })
            void queries.invalidateQueries({ queryKey: ['incidents', 'one'] })
            setEditing(false)
          }}
        />
      </>
    )
  }
  return (
    <>
      <PageHead
        title={title}
        answer={title}
        back={back}
        actions={stored && <HeadActions id={incident.id} edit={may ? () => setEditing(true) : null} />}
      >
        <span>{incident.title}</span>
        {stored && <Standing of={stored} />}
      </PageHead>
      {stored ? <Written postmortem={stored} /> : <Nothing />}
    </>
  )
}

function HeadActions({ id, edit }: { id: string; edit: (() => void) | null }) {
  return (
    <>
      {edit && <Button onClick={edit}>{postmortemPageText('page.edit')}</Button>}
      <Button variant="default" component="a" href={markdownAddress(id)} download>
        {postmortemPageText('page.download')}
      </Button>
    </>
  )
}

function Standing({ of: { status, updated_at, updated_by_name } }: { of: Postmortem }) {
  return (
    <>
      <span>{postmortemPageText(status === 'draft' ? 'page.draft' : 'page.published')}</span>
      {updated_by_name !== null && <span>{postmortemPageText('page.by', { name: updated_by_name })}</span>}
      <Since at={updated_at} />
    </>
  )
}

const Nothing = () => (
  <Empty icon={FileText} title={postmortemPageText('page.none_title')}>
    {postmortemPageText('page.none')}
  </Empty>
)

function Written({ postmortem }: { postmortem: Postmortem }) {
  return (
    <div className={classes.written}>
      {postmortemParts.map((part) => (
        <Section key={part} title={postmortemPageText(`part.${part}`)}>
          {postmortem[part].trim() === '' ? (
            <p className={classes.quiet}>{postmortemPageText('page.nothing')}</p>
          ) : (
            <Markdown text={postmortem[part]} />
          )}
        </Section>
      ))}
      <Section title={postmortemPageText('actions.title')}>
        {postmortem.action_items.length === 0 ? (
          <p className={classes.quiet}>{postmortemPageText('actions.none')}</p>
        ) : (
          <ul className={classes.items}>
            {postmortem.action_items.map(({ title, owner_name, due_on, done, link }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: items have no ids, and are shown as they stand
              <li key={at} data-done={done || undefined}>
                <span>
                  {link === null ? (
                    title
                  ) : (
                    <a href={link} target="_blank" rel="noreferrer">
                      {title}
                    </a>
                  )}
                </span>
                <span className={classes.quiet}>
                  {[
                    owner_name,
                    due_on === null ? null : postmortemPageText('actions.due_by', { day: due_on }),
                    done ? postmortemPageText('actions.done') : null
                  ]
                    .filter((one) => one !== null)
                    .join(' · ')}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Section>
    </div>
  )
}
