/** Silences by a pattern: what each matches in words, why, and until when. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { BellOff, Clock, History, Plus } from 'lucide-react'
import type { SilenceState } from '../../../../schemas/http/silence-words.ts'
import { useNames } from '../../api/names.ts'
import { useMay } from '../../api/session.ts'
import type { Silence } from '../../api/shapes.ts'
import { SILENCES_PER_PAGE, silencesQuery } from '../../api/silences.ts'
import { PageHead } from '../../parts/Page.tsx'
import { Pager } from '../../parts/Pager.tsx'
import { Since } from '../../parts/Since.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { type Look, Status } from '../../parts/Status.tsx'
import { Toggles } from '../../parts/Toggles.tsx'
import { inSentence } from '../../parts/you.ts'
import { useKeys } from '../../shell/keys.ts'
import { silencesText } from '../../texts/silences.ts'
import { Warnings } from '../routing/RuleWords.tsx'
import { conditionInWords } from '../routing/rule-words.ts'
import { type Things, useThings } from '../routing/things.ts'
import classes from '../settings/List.module.css'
import { Expire } from './Expire.tsx'
import own from './Silences.module.css'
import { statesOf } from './search.ts'

const looks: Readonly<Record<SilenceState, Look>> = {
  active: { tone: 'warn', icon: BellOff, word: silencesText('state.active') },
  pending: { tone: 'off', icon: Clock, word: silencesText('state.pending') },
  expired: { tone: 'off', icon: History, word: silencesText('state.expired') }
}

const toggles = (['active', 'pending', 'expired'] as const).map((word) => ({ word, label: looks[word].word }))

function useAnswer(): string {
  const { data } = useQuery(silencesQuery(['active']))
  if (!data) return silencesText('answer.unknown')
  if (data.total === 0) return silencesText('answer.none')
  return data.total === 1 ? silencesText('answer.one') : silencesText('answer.some', { count: data.total })
}

export function Silences() {
  const search = useSearch({ from: '/inside/silences' })
  const navigate = useNavigate({ from: '/silences' })
  const states = statesOf(search)
  const { page = 1 } = search
  const asked = useQuery(silencesQuery(states, page))
  const { data: list } = asked
  const may = useMay('act')
  const things = useThings(list?.items.flatMap(({ matchers }) => matchers.map(({ field }) => field)) ?? [])
  const create = (): void => void navigate({ to: '/silences/new' })
  useKeys(may ? { c: create } : {})
  return (
    <>
      <PageHead
        title={silencesText('page.title')}
        answer={useAnswer()}
        actions={
          may && (
            <Button leftSection={<Plus size={16} aria-hidden />} onClick={create}>
              {silencesText('list.create')}
            </Button>
          )
        }
      >
        <span>{silencesText('list.how')}</span>
        {!may && <span>{silencesText('page.read_only')}</span>}
      </PageHead>
      <div className={own.filter}>
        <Toggles
          label={silencesText('list.filter')}
          toggles={toggles}
          pressed={states}
          onChange={(pressed) => void navigate({ search: pressed.length > 0 ? { state: pressed.join(',') } : {}, replace: true })}
        />
      </div>
      {!list ? (
        <Awaiting of={asked} rows={3} height={72} />
      ) : list.items.length === 0 ? (
        <None states={states} />
      ) : (
        <ul className={classes.list} aria-label={silencesText('page.title')}>
          {list.items.map((silence) => (
            <Row key={silence.id} silence={silence} things={things} may={may} />
          ))}
        </ul>
      )}
      {list && (
        <Pager
          page={page}
          perPage={SILENCES_PER_PAGE}
          total={list.total}
          go={(to) => void navigate({ search: ({ page: _page, ...before }) => ({ ...before, ...(to !== undefined && { page: to }) }) })}
        />
      )}
    </>
  )
}

function None({ states }: { states: readonly SilenceState[] }) {
  if (states.length > 0) {
    const words = states.map((state) => looks[state].word.toLowerCase()).join(', ')
    return (
      <Empty
        icon={BellOff}
        title={silencesText('list.none_so', { states: words })}
        action={
          <Button variant="default" component={Link} to="/silences">
            {silencesText('list.all')}
          </Button>
        }
      />
    )
  }
  return (
    <Empty icon={BellOff} title={silencesText('list.empty')}>
      {silencesText('list.empty_hint')}
    </Empty>
  )
}

function Row({ silence, things, may }: { silence: Silence; things: Things; may: boolean }) {
  const { id, comment, matchers, state, starts_at, ends_at, expired_at, created_by, warnings } = silence
  const nameOf = useNames()
  const navigate = useNavigate()
  const conditions = matchers.map((one) => conditionInWords(one, things.nameOf)).join(' and ')
  return (
    <li className={classes.row}>
      <div>
        <p className={classes.name}>
          <Link to="/silences/$id" params={{ id }}>
            {comment}
          </Link>
        </p>
        <p className={classes.facts}>
          <Status look={looks[state]} />
          <span>
            {state === 'pending' ? silencesText('row.begins') : silencesText(state === 'active' ? 'row.ends' : 'row.ended')}{' '}
            <Since at={state === 'pending' ? starts_at : (expired_at ?? ends_at)} />
          </span>
          <span>{silencesText('row.by', { name: inSentence(nameOf(created_by)) })}</span>
        </p>
        <p className={classes.facts}>{silencesText('row.matches', { conditions })}</p>
        <Warnings warnings={warnings} />
      </div>
      {may && (
        <div className={classes.actions}>
          {state === 'expired' ? (
            <Button
              variant="default"
              onClick={() => void navigate({ to: '/silences/new', search: { like: id } })}
              aria-label={silencesText('row.again_one', { comment })}
            >
              {silencesText('row.again')}
            </Button>
          ) : (
            <>
              <Button
                variant="default"
                onClick={() => void navigate({ to: '/silences/$id', params: { id } })}
                aria-label={silencesText('row.edit_one', { comment })}
              >
                {silencesText('row.edit')}
              </Button>
              <Expire silence={silence} />
            </>
          )}
        </div>
      )}
    </li>
  )
}
