/** All kinds of channels in groups. The search matches a part of the name or of the description. */
import { TextInput } from '@mantine/core'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import type { ChannelKindItem } from '../../api/shapes.ts'
import { channelsText } from '../../texts/channels.ts'
import gallery from '../integrations/Gallery.module.css'
import classes from './Channel.module.css'
import { familyName, grouped } from './families.ts'

export function KindPicker({ kinds }: { kinds: readonly ChannelKindItem[] }) {
  const navigate = useNavigate({ from: '/settings/channels/new' })
  const { q = '' } = useSearch({ from: '/inside/settings/channels/new' })
  const groups = grouped(kinds, q)
  const first = groups.flatMap((group) => group.kinds).find(({ available, set_up }) => available && set_up)
  return (
    <>
      <TextInput
        className={gallery.search}
        aria-label={channelsText('pick.search')}
        placeholder={channelsText('pick.search')}
        leftSection={<Search size={16} aria-hidden />}
        value={q}
        maxLength={100}
        onChange={(event) => void navigate({ search: { q: event.currentTarget.value }, replace: true })}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && first) void navigate({ search: { kind: first.kind } })
        }}
      />
      {groups.map(({ family, kinds: found }) => (
        <section key={family} className={classes.kinds} aria-label={familyName(family)}>
          <h2>{familyName(family)}</h2>
          <p>{channelsText(`about.${family}`)}</p>
          <ul className={gallery.sources}>
            {found.map((kind) => (
              <li key={kind.kind}>
                <Kind kind={kind} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {groups.length === 0 && <p className={gallery.none}>{channelsText('pick.none', { q })}</p>}
    </>
  )
}

function Kind({ kind: { kind, name, hint, available, set_up, upgrade_to } }: { kind: ChannelKindItem }) {
  if (!available || !set_up)
    return (
      <div className={`${gallery.source} ${classes.unavailable}`}>
        <b>{name}</b>
        <span>
          {!set_up
            ? channelsText('pick.not_set_up')
            : upgrade_to === null
              ? channelsText('pick.no_plan')
              : channelsText('pick.plan', { plan: upgrade_to })}
        </span>
      </div>
    )
  return (
    <Link to="/settings/channels/new" search={{ kind }} className={gallery.source}>
      <b>{name}</b>
      <span>{hint}</span>
    </Link>
  )
}
