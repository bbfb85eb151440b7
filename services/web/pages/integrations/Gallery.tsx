/**
 * All tools that can send alerts, with one line each. The search matches a part of the name or of
 * the description. The address holds the search text.
 */
import { TextInput } from '@mantine/core'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import type { Source } from '../../api/shapes.ts'
import { Around, HERE } from '../../parts/Said.tsx'
import { SourceMark } from '../../parts/SourceMark.tsx'
import { integrationSettingsText } from '../../texts/integration-settings.ts'
import classes from './Gallery.module.css'

/** The first sentence. */
const lineOf = ({ description }: Source): string => /^.*?[.:](?=\s|$)/.exec(description)?.[0].replace(/:$/, '.') ?? description

/** The generic source comes first, the others are sorted by name. */
const ordered = (sources: readonly Source[]): Source[] =>
  [...sources].sort((a, b) => Number(b.source_type === 'generic') - Number(a.source_type === 'generic') || a.name.localeCompare(b.name))

export function Gallery({ sources }: { sources: readonly Source[] }) {
  const navigate = useNavigate({ from: '/integrations/new' })
  const { q = '' } = useSearch({ from: '/inside/integrations/new' })
  const wanted = q.trim().toLowerCase()
  const found = ordered(sources).filter((source) =>
    `${source.name} ${source.source_type} ${source.description}`.toLowerCase().includes(wanted)
  )
  return (
    <>
      <TextInput
        className={classes.search}
        aria-label={integrationSettingsText('tools.search')}
        placeholder={integrationSettingsText('tools.placeholder', { count: sources.length })}
        leftSection={<Search size={16} aria-hidden />}
        value={q}
        maxLength={100}
        onChange={(event) => void navigate({ search: { q: event.currentTarget.value }, replace: true })}
        onKeyDown={(event) => {
          const [first] = found
          if (event.key === 'Enter' && first) void navigate({ search: { source: first.source_type } })
        }}
      />
      <ul className={classes.sources} aria-label={integrationSettingsText('tools.label')}>
        {found.map((source) => (
          <li key={source.source_type}>
            <Link to="/integrations/new" search={{ source: source.source_type }} className={`${classes.source} ${classes.marked}`}>
              <SourceMark type={source.source_type} />
              <span className={classes.what}>
                <b>{source.name}</b>
                <span>{lineOf(source)}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <p className={classes.none}>
          <Around text={integrationSettingsText('tools.none', { typed: q, link: HERE })}>
            <Link to="/integrations/new" search={{ source: 'generic' }}>
              {integrationSettingsText('tools.webhook')}
            </Link>
          </Around>
        </p>
      )}
    </>
  )
}
