/**
 * The delivery ledger: every message to a channel or a person, newest first. The address holds the
 * filters.
 */
import { Button, NativeSelect } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { SearchX, Send, X } from 'lucide-react'
import { useState } from 'react'
import { channelsQuery } from '../../api/channels.ts'
import { deliveriesQuery } from '../../api/deliveries.ts'
import type { LedgerItem } from '../../api/shapes.ts'
import filters from '../../parts/Filters.module.css'
import { PageHead } from '../../parts/Page.tsx'
import { Rows, rowClass } from '../../parts/Rows.tsx'
import { Since } from '../../parts/Since.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { Status } from '../../parts/Status.tsx'
import { Toggles } from '../../parts/Toggles.tsx'
import { wordOf, wordsOf } from '../../search.ts'
import { deliveriesText } from '../../texts/deliveries.ts'
import { deliveryPagesText } from '../../texts/delivery-pages.ts'
import classes from './Deliveries.module.css'
import { lookOf } from './looks.ts'
import { useKinds } from './names.ts'
import { type DeliveriesSearch, deliveriesSearch, events, isNarrowed, shownStates, spans, toQuery } from './search.ts'

const HEIGHT = 46
const NARROW_HEIGHT = 112

export function Deliveries() {
  const search = useSearch({ from: '/inside/settings/deliveries' })
  const navigate = useNavigate({ from: '/settings/deliveries' })
  const { kinds, kindOf } = useKinds()
  // The time span counts from when the page opened. With the current time, each minute would be a
  // new list.
  const [openedAt] = useState(() => Date.now())
  const query = toQuery(
    search,
    kinds.map(({ kind }) => kind),
    openedAt
  )
  const asked = useInfiniteQuery({ ...deliveriesQuery(query), placeholderData: keepPreviousData })
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage, isPlaceholderData } = asked
  const items = data?.pages.flatMap((page) => page.items)
  return (
    <>
      <PageHead title={deliveryPagesText('page.title')} answer={deliveryPagesText('page.answer')}>
        {deliveryPagesText('page.how')}
      </PageHead>
      <Filters
        search={search}
        kinds={kinds}
        change={(next) => void navigate({ search: (before) => deliveriesSearch({ ...before, ...next }) })}
      />
      {!items ? (
        <Awaiting of={asked} rows={8} height={HEIGHT} />
      ) : items.length === 0 ? (
        <None narrowed={isNarrowed(search)} clear={() => void navigate({ search: {} })} />
      ) : (
        <Rows label={deliveryPagesText('page.title')} items={items} idOf={({ id }) => id} height={HEIGHT} narrowHeight={NARROW_HEIGHT}>
          {(item) => <Row item={item} kind={kindOf(item)} />}
        </Rows>
      )}
      {hasNextPage && (
        <Button
          variant="default"
          className={classes.older}
          loading={isFetchingNextPage}
          disabled={isPlaceholderData}
          onClick={() => void fetchNextPage()}
        >
          {deliveryPagesText('list.older')}
        </Button>
      )}
    </>
  )
}

function Row({ item, kind }: { item: LedgerItem; kind: string }) {
  const { id, event, target_name, attempts, queued_at, incident_key, incident_title } = item
  return (
    <Link to="/settings/deliveries/$id" params={{ id }} className={`${rowClass} ${classes.row}`}>
      <span className={classes.state}>
        <Status look={lookOf(item)} />
      </span>
      <span className={classes.event}>{deliveriesText(`event.${event}`)}</span>
      <span className={classes.target}>
        <b>{target_name ?? deliveriesText('row.somebody')}</b>
        {attempts.length > 1 && <span className={classes.quiet}>{deliveriesText('row.attempts', { count: attempts.length })}</span>}
      </span>
      <span className={`${classes.incident} ${classes.quiet}`}>{incident_key && `${incident_key} ${incident_title ?? ''}`}</span>
      <span className={`${classes.kind} ${classes.quiet}`}>{kind}</span>
      <span className={classes.time}>
        <Since at={queued_at} />
      </span>
    </Link>
  )
}

function None({ narrowed, clear }: { narrowed: boolean; clear: () => void }) {
  if (narrowed)
    return (
      <Empty
        icon={SearchX}
        title={deliveryPagesText('empty.narrowed')}
        action={
          <Button variant="default" onClick={clear}>
            {deliveryPagesText('filter.clear')}
          </Button>
        }
      />
    )
  return (
    <Empty
      icon={Send}
      title={deliveryPagesText('empty.title')}
      action={
        <Button variant="default" component={Link} to="/settings/channels">
          {deliveryPagesText('empty.channels')}
        </Button>
      }
    >
      {deliveryPagesText('empty.hint')}
    </Empty>
  )
}

interface FiltersProps {
  search: DeliveriesSearch
  change: (next: DeliveriesSearch) => void
  kinds: readonly { kind: string; name: string }[]
}

function Filters({ search, change, kinds }: FiltersProps) {
  const channels = useQuery(channelsQuery).data?.items ?? []
  const { channel_id } = search
  const known = channel_id === undefined || channels.some(({ id }) => id === channel_id)
  return (
    <div className={filters.filters}>
      <Toggles
        label={deliveryPagesText('filter.state')}
        toggles={shownStates.map((state) => ({ word: state as string, label: <Status look={lookOf({ state })} /> }))}
        pressed={search.state ?? []}
        onChange={(pressed) => change({ state: pressed.length > 0 ? wordsOf(pressed, shownStates) : undefined })}
      />
      <div className={filters.others}>
        <NativeSelect
          className={classes.select}
          aria-label={deliveryPagesText('filter.event')}
          data={[
            { value: '', label: deliveryPagesText('filter.any_event') },
            ...events.map((event) => ({ value: event as string, label: deliveriesText(`event.${event}`) }))
          ]}
          value={search.event ?? ''}
          onChange={(event) => change({ event: wordOf(event.currentTarget.value, events) })}
        />
        <NativeSelect
          className={classes.select}
          aria-label={deliveryPagesText('filter.channel')}
          data={[
            { value: '', label: deliveryPagesText('filter.any_channel') },
            ...(known ? [] : [{ value: channel_id, label: deliveriesText('row.somebody') }]),
            ...channels.map(({ id, name }) => ({ value: id, label: name }))
          ]}
          value={channel_id ?? ''}
          onChange={(event) => change({ channel_id: event.currentTarget.value || undefined })}
        />
        <NativeSelect
          className={classes.select}
          aria-label={deliveryPagesText('filter.kind')}
          data={[
            { value: '', label: deliveryPagesText('filter.any_kind') },
            ...kinds.map(({ kind, name }) => ({ value: kind, label: name }))
          ]}
          value={search.kind ?? ''}
          onChange={(event) => change({ kind: event.currentTarget.value || undefined })}
        />
        <NativeSelect
          className={classes.select}
          aria-label={deliveryPagesText('filter.time')}
          data={[
            { value: '', label: deliveryPagesText('filter.any_time') },
            ...spans.map((span) => ({ value: span as string, label: deliveryPagesText(`filter.${span}`) }))
          ]}
          value={search.span ?? ''}
          onChange={(event) => change({ span: wordOf(event.currentTarget.value, spans) })}
        />
        {search.incident_id && <Chip what={deliveryPagesText('filter.of_incident')} remove={() => change({ incident_id: undefined })} />}
        {search.user_id && <Chip what={deliveryPagesText('filter.of_person')} remove={() => change({ user_id: undefined })} />}
      </div>
    </div>
  )
}

function Chip({ what, remove }: { what: string; remove: () => void }) {
  return (
    <span className={filters.chip}>
      {what}
      <button type="button" className={filters.remove} aria-label={deliveryPagesText('filter.no_more', { what })} onClick={remove}>
        <X size={14} aria-hidden />
      </button>
    </span>
  )
}
