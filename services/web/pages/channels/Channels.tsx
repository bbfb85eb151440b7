/** Notification channels: where messages go, and whether they arrive. */
import { Button, NativeSelect } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { BellRing, Plus, SearchX } from 'lucide-react'
import { channelKindsQuery, channelsOf } from '../../api/channels.ts'
import { useMay, useSession } from '../../api/session.ts'
import filters from '../../parts/Filters.module.css'
import { PageHead } from '../../parts/Page.tsx'
import { Pager } from '../../parts/Pager.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { Toggles } from '../../parts/Toggles.tsx'
import { Words } from '../../parts/Words.tsx'
import { useKeys } from '../../shell/keys.ts'
import { channelsText } from '../../texts/channels.ts'
import classes from '../settings/List.module.css'
import { ChannelRow } from './ChannelRow.tsx'
import { type ChannelsSearch, healths, isNarrowed, PER_PAGE, toQuery } from './search.ts'

/** Counts all channels, whatever the filters are. Null until the counts are loaded. */
function useCounts(): { all: number; bad: number } | null {
  const all = useQuery(channelsOf({ per_page: 1 })).data
  const bad = useQuery(channelsOf({ per_page: 1, enabled: true, health: [...healths] })).data
  return all && bad ? { all: all.total, bad: bad.total } : null
}

function answerOf(counts: { all: number; bad: number } | null): string {
  if (counts === null) return channelsText('page.title')
  if (counts.all === 0) return channelsText('answer.none')
  const all = counts.all === 1 ? channelsText('answer.one') : channelsText('answer.many', { count: counts.all })
  return counts.bad === 0 ? all : channelsText('answer.bad', { channels: all, count: counts.bad })
}

export function Channels() {
  const may = useMay('write')
  const administers = useMay('administer')
  const { mail } = useSession()
  const search = useSearch({ from: '/inside/settings/channels' })
  const navigate = useNavigate({ from: '/settings/channels' })
  const kinds = useQuery(channelKindsQuery).data?.items ?? []
  const asked = useQuery({
    ...channelsOf(
      toQuery(
        search,
        kinds.map(({ kind }) => kind)
      )
    ),
    placeholderData: keepPreviousData
  })
  const counts = useCounts()
  const { data, isPlaceholderData } = asked
  const change = (next: ChannelsSearch, replace = false): void =>
    void navigate({ search: (before) => ({ ...before, page: undefined, ...next }), replace })
  useKeys(may ? { c: () => void navigate({ to: '/settings/channels/new' }) } : {})
  const button = may ? (
    <Button leftSection={<Plus size={16} aria-hidden />} component={Link} to="/settings/channels/new">
      {channelsText('page.add')}
    </Button>
  ) : null
  const isEmpty = counts?.all === 0
  return (
    <>
      <PageHead title={channelsText('page.title')} answer={answerOf(counts)} actions={isEmpty ? null : button}>
        <span>{channelsText('page.how')}</span>
        {mail === 'kept' && administers && <Link to="/settings/mailbox">{channelsText('page.mailbox')}</Link>}
        {mail === 'none' && <span>{channelsText('page.no_mail')}</span>}
        {!may && <span>{channelsText('page.read_only')}</span>}
      </PageHead>
      {isEmpty ? (
        <Empty icon={BellRing} title={channelsText('empty.title')} action={button}>
          {channelsText('empty.hint')}
        </Empty>
      ) : (
        <>
          <Filters search={search} change={change} kinds={kinds} />
          {!data ? (
            <Awaiting of={asked} rows={4} height={64} />
          ) : data.items.length === 0 ? (
            <Empty
              icon={SearchX}
              title={channelsText('empty.narrowed')}
              action={
                isNarrowed(search) && (
                  <Button variant="default" onClick={() => void navigate({ search: {} })}>
                    {channelsText('filter.clear')}
                  </Button>
                )
              }
            />
          ) : (
            <>
              <ul className={classes.list} aria-label={channelsText('page.title')}>
                {data.items.map((channel) => (
                  <ChannelRow key={channel.id} channel={channel} may={may} />
                ))}
              </ul>
              <Pager
                page={search.page ?? 1}
                perPage={PER_PAGE}
                total={data.total}
                waits={isPlaceholderData}
                go={(page) => change({ page })}
              />
            </>
          )}
        </>
      )}
    </>
  )
}

interface FiltersProps {
  search: ChannelsSearch
  change: (next: ChannelsSearch, replace?: boolean) => void
  kinds: readonly { kind: string; name: string }[]
}

function Filters({ search, change, kinds }: FiltersProps) {
  return (
    <div className={filters.filters}>
      <div className={filters.others}>
        <div className={filters.found}>
          <Words label={channelsText('filter.name')} q={search.q ?? ''} onTyped={(q) => change({ q: q === '' ? undefined : q }, true)} />
        </div>
        <NativeSelect
          // The width is the same before and after the kinds load, so that the next filter stays on
          // its line.
          className={filters.choice}
          aria-label={channelsText('filter.kind')}
          data={[{ value: '', label: channelsText('filter.any_kind') }, ...kinds.map(({ kind, name }) => ({ value: kind, label: name }))]}
          value={search.kind ?? ''}
          onChange={(event) => change({ kind: event.currentTarget.value || undefined })}
        />
        <Toggles
          label={channelsText('filter.health')}
          toggles={healths.map((word) => ({ word, label: channelsText(`page.${word}`) }))}
          pressed={search.health ?? []}
          onChange={(pressed) => change({ health: pressed.length > 0 ? pressed : undefined })}
        />
        <Toggles
          label={channelsText('page.off')}
          toggles={[{ word: 'yes', label: channelsText('page.off') }]}
          pressed={search.off ? [search.off] : []}
          onChange={([off]) => change({ off })}
        />
      </div>
    </div>
  )
}
