/**
 * The audit log: who changed what, newest first. Each entry unfolds to show the values before the
 * change.
 */
import { Button, NativeSelect, UnstyledButton } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ChevronRight, Lock, SearchX, X } from 'lucide-react'
import { useState } from 'react'
import { auditQuery } from '../../api/audit.ts'
import { useMay } from '../../api/session.ts'
import type { AuditEntry } from '../../api/shapes.ts'
import { membersQuery, tokensQuery } from '../../api/workspace.ts'
import { Copyable } from '../../parts/Copy.tsx'
import { figure } from '../../parts/clock.ts'
import { Facts, PageHead } from '../../parts/Page.tsx'
import { Since } from '../../parts/Since.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { wordOf } from '../../search.ts'
import { auditText } from '../../texts/audit.ts'
import list from '../settings/List.module.css'
import classes from './Audit.module.css'
import { type AuditSearch, isNarrowed, objectTypes, type Span, spans, toQuery } from './search.ts'
import { actorInWords, entryInWords, placeOf, typeInWords, valueInWords, viaInWords } from './words.ts'

export function Audit() {
  if (useMay('administer')) return <Log />
  return (
    <>
      <PageHead title={auditText('page.title')} answer={auditText('page.forbidden')} />
      <Empty icon={Lock} title={auditText('page.forbidden')}>
        {auditText('page.forbidden_hint')}
      </Empty>
    </>
  )
}

function Log() {
  const search = useSearch({ from: '/inside/settings/audit' })
  const navigate = useNavigate()
  const [now] = useState(() => Date.now())
  const asked = useInfiniteQuery(auditQuery(toQuery(search, now)))
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = asked
  const entries = data?.pages.flatMap(({ items }) => items) ?? []
  const keptDays = data?.pages[0]?.kept_days ?? null
  const change = (next: AuditSearch): void => void navigate({ to: '/settings/audit', search: { ...search, ...next } })
  return (
    <>
      <PageHead title={auditText('page.title')} answer={auditText('page.answer')}>
        <span>{auditText('page.how')}</span>
      </PageHead>
      <Filters search={search} change={change} entries={entries} />
      {!data ? (
        <Awaiting of={asked} rows={8} height={52} />
      ) : entries.length === 0 ? (
        <Empty
          icon={SearchX}
          title={auditText('empty.title')}
          action={
            isNarrowed(search) && (
              <Button variant="default" onClick={() => void navigate({ to: '/settings/audit', search: {} })}>
                {auditText('empty.clear')}
              </Button>
            )
          }
        >
          {auditText('empty.hint')}
        </Empty>
      ) : (
        <ol className={classes.list} aria-label={auditText('list.label')}>
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} only={() => change({ object: entry.object.id })} />
          ))}
        </ol>
      )}
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {auditText('list.more')}
        </Button>
      )}
      {data && !hasNextPage && keptDays !== null && <p className={classes.kept}>{auditText('list.kept', { days: figure(keptDays) })}</p>}
    </>
  )
}

const spanWords: Readonly<Record<Span, string>> = {
  day: auditText('filter.day'),
  week: auditText('filter.week'),
  month: auditText('filter.month')
}

interface FiltersProps {
  search: AuditSearch
  change: (next: AuditSearch) => void
  entries: readonly AuditEntry[]
}

function Filters({ search: { type, actor, object, span }, change, entries }: FiltersProps) {
  const { data: members } = useQuery(membersQuery)
  const { data: tokens } = useQuery(tokensQuery)
  const actors = [
    ...(members?.items ?? []).map(({ user_id, name }) => ({ value: user_id, label: name })),
    ...(tokens?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))
  ]
  const known = entries.find((entry) => entry.actor.id === actor)
  const named = entries.find((entry) => entry.object.id === object)
  return (
    <search className={classes.filters}>
      <NativeSelect
        aria-label={auditText('filter.type')}
        value={type ?? ''}
        data={[{ value: '', label: auditText('filter.any_type') }, ...objectTypes.map((one) => ({ value: one, label: typeInWords(one) }))]}
        onChange={(event) => change({ type: wordOf(event.currentTarget.value, objectTypes) })}
      />
      <NativeSelect
        aria-label={auditText('filter.actor')}
        value={actor ?? ''}
        data={[
          { value: '', label: auditText('filter.any_actor') },
          ...actors,
          ...(actor !== undefined && !actors.some(({ value }) => value === actor)
            ? [{ value: actor, label: known ? actorInWords(known.actor) : actor }]
            : [])
        ]}
        onChange={(event) => change({ actor: event.currentTarget.value || undefined })}
      />
      <NativeSelect
        aria-label={auditText('filter.span')}
        value={span ?? ''}
        data={[{ value: '', label: auditText('filter.any_span') }, ...spans.map((one) => ({ value: one, label: spanWords[one] }))]}
        onChange={(event) => change({ span: wordOf(event.currentTarget.value, spans) })}
      />
      {object !== undefined && (
        <span className={classes.chip}>
          {auditText('filter.object', { name: named?.object.name ?? object })}
          <UnstyledButton
            className={classes.remove}
            aria-label={auditText('filter.object_remove')}
            onClick={() => change({ object: undefined })}
          >
            <X size={15} aria-hidden />
          </UnstyledButton>
        </span>
      )}
    </search>
  )
}

function Entry({ entry, only }: { entry: AuditEntry; only: () => void }) {
  const [opened, setOpened] = useState(false)
  const place = placeOf(entry)
  const words = entryInWords(entry)
  return (
    <li className={classes.entry}>
      <div className={classes.line}>
        <div>
          <p className={classes.what}>{place === null ? words : <Link to={place}>{words}</Link>}</p>
          <p className={list.facts}>
            <span>{auditText('entry.by', { name: actorInWords(entry.actor) })}</span>
            <span>{viaInWords(entry.via)}</span>
            <Since at={entry.at} />
          </p>
        </div>
        <UnstyledButton className={classes.unfold} aria-expanded={opened} onClick={() => setOpened(!opened)}>
          <ChevronRight size={15} aria-hidden />
          {auditText('entry.details')}
          <span className="unseen"> {words}</span>
        </UnstyledButton>
      </div>
      {opened && <Details entry={entry} only={only} />}
    </li>
  )
}

function Details({ entry: { diff, actor, object, action, request_id }, only }: { entry: AuditEntry; only: () => void }) {
  const fields = Object.entries(diff)
  return (
    <div className={classes.details}>
      {fields.length === 0 ? (
        <p className={classes.quiet}>{auditText('entry.no_change')}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways must be reached by the keyboard
        <div className={classes.scroll} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">{auditText('entry.field')}</th>
                <th scope="col">{auditText('entry.before')}</th>
                <th scope="col">{auditText('entry.after')}</th>
              </tr>
            </thead>
            <tbody>
              {fields.map(([field, [before, after]]) => (
                <tr key={field}>
                  <th scope="row">{field.replaceAll('_', ' ')}</th>
                  <td>{valueInWords(before)}</td>
                  <td>{valueInWords(after)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Facts
        facts={[
          [
            auditText('entry.object'),
            <Copyable key="object" text={object.id} what={auditText('entry.object_what', { type: object.type.replaceAll('_', ' ') })} />
          ],
          [auditText('entry.actor'), <code key="actor">{`${actor.kind}:${actor.id}`}</code>],
          [auditText('entry.action'), <code key="action">{action}</code>],
          request_id === null
            ? null
            : [auditText('entry.request'), <Copyable key="request" text={request_id} what={auditText('entry.request_what')} />]
        ]}
      />
      <Button variant="default" size="compact-sm" onClick={only}>
        {auditText('entry.only')}
      </Button>
    </div>
  )
}
