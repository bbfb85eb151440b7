/**
 * Shows who would be asked when, if an incident opened at a chosen instant and nobody acknowledged
 * it.
 */
import { Button, NativeSelect, SegmentedControl, TextInput } from '@mantine/core'
import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Ban, CalendarX, CircleDashed, Flag, Megaphone, User, UserX } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { courseQuery } from '../../api/escalation.ts'
import type { Policy, PolicyCourse, Severity } from '../../api/shapes.ts'
import { Section } from '../../parts/Page.tsx'
import { dayTime, exact, hourTime } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { severityLook } from '../../parts/Status.tsx'
import { wordOf } from '../../search.ts'
import { policiesText } from '../../texts/policies.ts'
import { severities } from '../incidents/search.ts'
import { instantOf, localOf } from '../routing/rule-values.ts'
import classes from './Course.module.css'
import { dueInWords, type NameOf, nextNight, targetInWords, waysInWords, whyInWords } from './policy-words.ts'

type Item = PolicyCourse['items'][number]

/** How many are shown before a person asks for all of them. */
const SHOWN = 12

const moments = ['now', 'night', 'chosen'] as const
type Moment = (typeof moments)[number]

export function Course({ policy, nameOf }: { policy: Pick<Policy, 'id' | 'version'>; nameOf: NameOf }) {
  const [moment, setMoment] = useState<Moment>('now')
  const [night] = useState(() => nextNight(Date.now()))
  const [chosen, setChosen] = useState(() => localOf(night))
  const [severity, setSeverity] = useState<Severity>('critical')
  const at = moment === 'now' ? null : moment === 'night' ? night : instantOf(chosen)
  const isBad = moment === 'chosen' && at === null
  const asked = useQuery({ ...courseQuery(policy, at, severity), enabled: !isBad, placeholderData: keepPreviousData })
  return (
    <Section title={policiesText('course.title')}>
      <p className={classes.hint}>{policiesText('course.hint')}</p>
      <div className={classes.choice}>
        <SegmentedControl
          fullWidth
          aria-label={policiesText('course.at')}
          data={moments.map((value) => ({ value, label: policiesText(`course.${value}`) }))}
          value={moment}
          onChange={(value) => setMoment(wordOf(value, moments) ?? 'now')}
        />
        {moment === 'chosen' && (
          <TextInput
            type="datetime-local"
            label={policiesText('course.chosen_label')}
            value={chosen}
            onChange={(event) => setChosen(event.currentTarget.value)}
            error={isBad ? policiesText('course.bad_time') : undefined}
          />
        )}
        <NativeSelect
          label={policiesText('course.severity')}
          data={severities.map((value) => ({ value, label: severityLook(value).word }))}
          value={severity}
          onChange={(event) => setSeverity(wordOf(event.currentTarget.value, severities) ?? severity)}
        />
      </div>
      {asked.data ? <Items course={asked.data} nameOf={nameOf} /> : !isBad && <Awaiting of={asked} rows={4} />}
    </Section>
  )
}

function Items({ course: { items, truncated }, nameOf }: { course: PolicyCourse; nameOf: NameOf }) {
  const [all, setAll] = useState(false)
  const shown = all ? items : items.slice(0, SHOWN)
  if (items.length === 0) return <p className={classes.hint}>{policiesText('course.nothing')}</p>
  return (
    <>
      <ol className={classes.course} aria-label={policiesText('course.list')}>
        {shown.map((item, nth) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: what happens has no other name
          <li key={nth} data-outcome={item.outcome}>
            <p className={classes.due}>
              <b>{dueInWords(item)}</b>
              <time dateTime={item.at} title={exact(item.at)}>
                {dayTime(item.at)}
              </time>
              {item.outcome !== 'exhausted' && <span>{policiesText('step.name', { step: item.step + 1 })}</span>}
            </p>
            <Outcome item={item} nameOf={nameOf} />
          </li>
        ))}
      </ol>
      {shown.length < items.length && (
        <Button variant="default" size="xs" onClick={() => setAll(true)}>
          {policiesText('course.more', { count: items.length })}
        </Button>
      )}
      {truncated && shown.length === items.length && (
        <p className={classes.hint}>{policiesText('course.truncated', { count: items.length })}</p>
      )}
    </>
  )
}

function Line({ icon, quiet = false, children }: { icon: ReactNode; quiet?: boolean; children: ReactNode }) {
  return (
    <li data-quiet={quiet || undefined}>
      {icon}
      <span>{children}</span>
    </li>
  )
}

const icon = { size: 15, 'aria-hidden': true } as const

function Outcome({ item, nameOf }: { item: Item; nameOf: NameOf }) {
  const { outcome, users, channels, not_asked, not_told, nobody, fallback } = item
  const channelName = (id: string): string => nameOf({ type: 'channel', id })
  if (outcome === 'exhausted' || outcome === 'skipped')
    return (
      <ul className={classes.lines}>
        <Line quiet icon={outcome === 'exhausted' ? <Flag {...icon} /> : <CircleDashed {...icon} />}>
          {policiesText(outcome === 'exhausted' ? 'course.exhausted' : 'course.skipped')}
        </Line>
      </ul>
    )
  return (
    <ul className={classes.lines}>
      {fallback && <Line icon={<UserX {...icon} />}>{policiesText('course.fallback')}</Line>}
      {users.map((user) => (
        <Line key={user.id} icon={<User {...icon} />}>
          <b>{user.name || policiesText('target.somebody')}</b>{' '}
          <span className={classes.quiet}>
            {[user.by && user.by.type !== 'user' ? targetInWords(user.by, nameOf) : null, waysInWords(user, item.at, hourTime)]
              .filter((part) => part !== null)
              .join(', ')}
          </span>
        </Line>
      ))}
      {channels.map((id) => (
        <Line key={id} icon={<Megaphone {...icon} />}>
          {policiesText('course.channel', { name: channelName(id) })}
        </Line>
      ))}
      {outcome === 'fired' && users.length === 0 && channels.length === 0 && (
        <Line icon={<User {...icon} />}>{policiesText('course.unseen')}</Line>
      )}
      {outcome === 'empty' && <Line icon={<UserX {...icon} />}>{policiesText('course.empty')}</Line>}
      {nobody.map((target) => (
        <Line key={target.id} quiet icon={<CalendarX {...icon} />}>
          {policiesText(target.type === 'schedule' ? 'course.nobody_schedule' : 'course.nobody_team', { name: nameOf(target) })}
        </Line>
      ))}
      {not_asked.map(({ id, name, why }) => (
        <Line key={id} quiet icon={<Ban {...icon} />}>
          {policiesText('course.not_asked', { name: name || policiesText('target.somebody'), why: whyInWords(why) })}
        </Line>
      ))}
      {not_told.map(({ id, why }) => (
        <Line key={id} quiet icon={<Ban {...icon} />}>
          {policiesText('course.not_told', { name: channelName(id), why: whyInWords(why) })}
        </Line>
      ))}
    </ul>
  )
}
