/**
 * The timeline, newest first: each change in words, who made it, and its cause one click away.
 * Comments are part of it, and a new one is written at the top.
 */
import { UnstyledButton } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import {
  BellOff,
  BellPlus,
  BellRing,
  Check,
  CircleCheck,
  CloudLightning,
  type LucideIcon,
  Megaphone,
  Merge,
  MessageSquare,
  OctagonX,
  Pencil,
  RotateCcw,
  TrendingUp,
  UserRound,
  Waves
} from 'lucide-react'
import { Suspense, useState } from 'react'
import { commentsQuery, deleteComment, timelineQuery } from '../../api/incidents.ts'
import { useNames } from '../../api/names.ts'
import { useMay, useSession } from '../../api/session.ts'
import type { Incident, IncidentComment, TimelineItem } from '../../api/shapes.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Copyable } from '../../parts/Copy.tsx'
import { Markdown } from '../../parts/Markdown.tsx'
import { Facts, Section } from '../../parts/Page.tsx'
import { lazyPart } from '../../parts/part.ts'
import { dayTime, exact, Since } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { incidentsText } from '../../texts/incidents.ts'
import { timelineText } from '../../texts/timeline.ts'
import classes from './Timeline.module.css'
import { saidWith, sentenceOf, toneOf, versionsInWords } from './timeline-words.ts'

const Composer = lazyPart(async () => (await import('./Composer.tsx')).Composer)

const icons: Readonly<Record<string, LucideIcon>> = {
  opened: OctagonX,
  reopened: RotateCcw,
  acknowledged: Check,
  comment: MessageSquare,
  comment_deleted: MessageSquare,
  silenced: BellOff,
  unsilenced: BellRing,
  assigned: UserRound,
  escalated: Megaphone,
  severity_changed: TrendingUp,
  alerts_changed: BellPlus,
  flapping_on: Waves,
  flapping_off: Waves,
  storm_ended: CloudLightning,
  merged: Merge,
  recovered: CircleCheck,
  resolved: CircleCheck,
  closed: CircleCheck
}

export function Timeline({ incident }: { incident: Incident }) {
  const asked = useQuery(timelineQuery(incident.id))
  const { data } = asked
  const { data: comments = [] } = useQuery(commentsQuery(incident.id))
  const may = useMay('act')
  return (
    <Section title={timelineText('section.title')} id="timeline">
      {may && (
        <Suspense fallback={<div className={classes.composer} data-waits />}>
          <Composer incident={incident} />
        </Suspense>
      )}
      {!data ? (
        <Awaiting of={asked} rows={3} height={56} />
      ) : (
        <ol className={classes.items} reversed>
          {data.toReversed().map((item) => (
            <Item key={item.id} incident={incident} item={item} comment={comments.find(({ id }) => id === item.data.comment_id)} />
          ))}
        </ol>
      )}
    </Section>
  )
}

function Item({ incident, item, comment }: { incident: Incident; item: TimelineItem; comment: IncidentComment | undefined }) {
  const nameOf = useNames()
  const [opened, setOpened] = useState(false)
  const Icon = icons[item.type] ?? Pencil
  const said = saidWith(item)
  const nameFor = (actor: string): string => nameOf(actor, actor === item.actor ? item.actor_name : null)
  return (
    <li className={classes.item} id={`v${item.ver}`}>
      <span className={classes.mark} data-tone={toneOf(item)}>
        <Icon size={14} aria-hidden strokeWidth={2.2} />
      </span>
      <div className={classes.told}>
        <div className={classes.line}>
          <span>
            <span className={classes.sentence}>{sentenceOf(item, { nameOf: nameFor, timeOf: dayTime })}</span>
            <span className={classes.when}>
              <Since at={item.at} />
            </span>
          </span>
          <UnstyledButton className={classes.why} aria-expanded={opened} onClick={() => setOpened(!opened)}>
            {timelineText('item.why')}
          </UnstyledButton>
        </div>
        {said !== null && (
          <blockquote className={classes.said}>
            <Markdown text={said} />
          </blockquote>
        )}
        {opened && <Behind item={item} />}
        {comment && <DeleteComment incident={incident} comment={comment} />}
      </div>
    </li>
  )
}

/** `reopened_from` → `Reopened from`. */
const titled = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')

const named = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))

/** Only this many are named: a storm has thousands. */
const MAX_MEMBERS = 10

/** Shows alerts that joined or ended, each as a link. */
function Members({ ids }: { ids: unknown }) {
  if (!Array.isArray(ids)) return <>{named(ids)}</>
  return (
    <>
      {ids.slice(0, MAX_MEMBERS).map((id: string) => (
        <div key={id}>
          <Link to="/alerts/$id" params={{ id }}>
            <code>{id}</code>
          </Link>
        </div>
      ))}
      {ids.length > MAX_MEMBERS && incidentsText('timeline.more', { count: ids.length - MAX_MEMBERS })}
    </>
  )
}

/** Shows the record from which the sentence was made. */
function Behind({ item: { id, ver, at, type, actor, data, config_versions } }: { item: TimelineItem }) {
  return (
    <div className={classes.behind}>
      <Facts
        facts={[
          [timelineText('fact.at'), exact(at)],
          [timelineText('fact.change'), timelineText('fact.version', { type, version: ver })],
          [timelineText('fact.by'), <code key="by">{actor}</code>],
          [timelineText('fact.decided_by'), versionsInWords(config_versions)],
          [timelineText('fact.event'), <Copyable key="event" text={id} what={timelineText('fact.event_id')} />],
          ...Object.entries(data)
            .filter(([name, value]) => value !== null && name !== 'comment' && name !== 'note' && name !== 'reason')
            .filter(([, value]) => !Array.isArray(value) || value.length > 0)
            .map(([name, value]) => [titled(name), type === 'alerts_changed' ? <Members key={name} ids={value} /> : named(value)] as const)
        ]}
      />
    </div>
  )
}

function DeleteComment({ incident, comment }: { incident: Incident; comment: IncidentComment }) {
  const queries = useQueryClient()
  const { user } = useSession()
  const administers = useMay('administer')
  const acts = useMay('act')
  if (!acts || (!administers && comment.author_id !== user?.id)) return null
  return (
    <Confirm
      label={timelineText('comment.delete')}
      size="compact-xs"
      variant="subtle"
      color="gray"
      aria-label={timelineText('comment.delete_verb')}
      question={timelineText('comment.question')}
      verb={timelineText('comment.delete_verb')}
      act={async () => {
        await deleteComment(incident.id, comment.id)
        await queries.invalidateQueries({ queryKey: ['incidents', 'one', incident.id] })
      }}
    >
      {timelineText('comment.hint')}
    </Confirm>
  )
}
