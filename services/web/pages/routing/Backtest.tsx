/** A back-test: what the saved rules would have done with earlier alerts. It changes nothing. */
import { Button, Checkbox, NativeSelect } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { routingChanges } from '../../../../schemas/http/routing-words.ts'
import { isGone, Refusal, toRefusal } from '../../api/client.ts'
import { teamsQuery } from '../../api/lists.ts'
import { backtestQuery, cancelBacktest, rulesQuery, startBacktest } from '../../api/routing.ts'
import type { Backtest, BacktestResult, BacktestRules, Rule } from '../../api/shapes.ts'
import { Refused } from '../../forms/Refused.tsx'
import { Facts, PageHead, Section } from '../../parts/Page.tsx'
import { Since } from '../../parts/Since.tsx'
import { Awaiting, Problem } from '../../parts/States.tsx'
import { severityLook } from '../../parts/Status.tsx'
import { tellRefused } from '../../parts/tell.ts'
import { routingText } from '../../texts/routing.ts'
import { rulesText } from '../../texts/rules.ts'
import { teamMarkText } from '../../texts/team-marks.ts'
import listClasses from '../settings/List.module.css'
import { changeWords } from '../why/why-words.ts'
import { draftOf, type RuleValues } from './rule-values.ts'
import classes from './TryIt.module.css'
import { incidentOf } from './trace-words.ts'

const back = { to: '/settings/routing', label: routingText('page.trail') }
const DAY_MS = 86_400_000
const spans = [
  { value: '1', label: routingText('backtest.day') },
  { value: '7', label: routingText('backtest.week') },
  { value: '31', label: routingText('backtest.month') }
]

export function BacktestPage() {
  const { test } = useSearch({ from: '/inside/settings/routing/backtest' })
  const navigate = useNavigate({ from: '/settings/routing/backtest' })
  return (
    <>
      <PageHead title={routingText('backtest.title')} answer={routingText('backtest.answer')} back={back}>
        <span>{routingText('backtest.how')}</span>
      </PageHead>
      <div className={classes.columns}>
        <Begin begun={(id) => void navigate({ search: { test: id }, replace: true })} />
        <div>{test !== undefined && <Found key={test} id={test} />}</div>
      </div>
    </>
  )
}

/**
 * Asks for the span, and whether report-only rules count. If `draft` is given, it is tested instead
 * of the saved rules, as it is when the test starts.
 */
function Begin({ draft, begun }: { draft?: () => Promise<BacktestRules>; begun: (id: string) => void }) {
  const queries = useQueryClient()
  const [days, setDays] = useState('7')
  const [shadow, setShadow] = useState(false)
  const start = useMutation({
    mutationFn: async (asked: Omit<Parameters<typeof startBacktest>[0], 'rules'>) =>
      startBacktest({ ...asked, ...(draft && { rules: await draft() }) }),
    onSuccess: (one) => {
      queries.setQueryData(backtestQuery(one.id).queryKey, one)
      begun(one.id)
    }
  })
  const begin = (): void =>
    start.mutate({
      mode: shadow ? 'shadow' : 'live',
      from: new Date(Date.now() - Number(days) * DAY_MS).toISOString()
    })
  return (
    <div className={classes.form}>
      <NativeSelect
        label={routingText('backtest.span')}
        data={spans}
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
      />
      <Checkbox label={routingText('backtest.shadow')} checked={shadow} onChange={(event) => setShadow(event.currentTarget.checked)} />
      <Refused refusal={start.error && toRefusal(start.error)} />
      <div>
        <Button variant={draft ? 'default' : 'filled'} loading={start.isPending} onClick={begin}>
          {routingText('backtest.verb')}
        </Button>
      </div>
    </div>
  )
}

/**
 * Back-tests all rules, with one of them as it stands in a form. `rule` is null for a new one,
 * which is tested at its place.
 */
export function DraftBacktest({ rule, values }: { rule: Rule | null; values: RuleValues }) {
  const [test, setTest] = useState<string | null>(null)
  const queries = useQueryClient()
  // The list is read again: an older list may lack this rule, and the test would leave it out.
  const draft = async (): Promise<BacktestRules> => {
    const saved = await queries.fetchQuery({ ...rulesQuery, staleTime: 0 })
    const rules = draftOf(saved.items, rule, values)
    if (rules === null) throw new Refusal(404, { code: 'RULE_GONE', error: routingText('backtest.rule_gone') })
    return rules
  }
  return (
    <div className={classes.draft}>
      <Section title={routingText('backtest.draft')}>
        <p className={listClasses.note}>{routingText('backtest.draft_hint')}</p>
        <Begin draft={draft} begun={setTest} />
        {test !== null && <Found key={test} id={test} />}
      </Section>
    </div>
  )
}

function Found({ id }: { id: string }) {
  const asked = useQuery(backtestQuery(id))
  const { data, error } = asked
  if (isGone(error)) return <Problem error={error} />
  if (!data) return <Awaiting of={asked} rows={4} />
  return (
    <>
      <State of={data} />
      {data.result && <Result result={data.result} />}
    </>
  )
}

function stateInWords({ state, failure, looked_at, result }: Backtest): string {
  if (state === 'running') return routingText('backtest.running', { count: looked_at })
  if (state === 'cancelled') return routingText('backtest.cancelled', { count: looked_at })
  if (state === 'failed' || result === null) return routingText('backtest.failed', { why: failure ?? '' })
  if (looked_at === 0) return routingText('backtest.none')
  return result.changed === 0
    ? routingText('backtest.same', { count: looked_at })
    : routingText('backtest.changed', { changed: result.changed, count: looked_at })
}

function State({ of: one }: { of: Backtest }) {
  const queries = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => cancelBacktest(one.id),
    onError: (error) => tellRefused(routingText('backtest.cancel'), error),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['backtests'] })
  })
  return (
    <div className={classes.step}>
      <p role="status">
        {stateInWords(one)} {one.result && !one.result.complete && routingText('backtest.more')}
      </p>
      {one.state === 'running' && (
        <Button variant="default" size="xs" loading={cancel.isPending} onClick={() => cancel.mutate()}>
          {routingText('backtest.cancel')}
        </Button>
      )}
    </div>
  )
}

function Result({ result: { changes, rules, by_default, samples } }: { result: BacktestResult }) {
  const differing = routingChanges.filter((change) => (changes[change] ?? 0) > 0)
  return (
    <>
      {differing.length > 0 && (
        <Section title={routingText('backtest.changes')}>
          <Facts short facts={differing.map((change) => [capital(changeWords[change]), changes[change]])} />
        </Section>
      )}
      <Section title={routingText('backtest.rules')}>
        <ol className={classes.trace} aria-label={routingText('backtest.rules')}>
          {rules.map(({ rule_id, name, mode, matched, not_matched, skipped }) => (
            <li key={rule_id}>
              <p className={classes.step}>
                <Link to="/settings/routing/$id" params={{ id: rule_id }}>
                  {name}
                </Link>
                {mode === 'shadow' && <span>{routingText('row.shadow')}</span>}
              </p>
              <p className={classes.why}>
                {[
                  routingText('backtest.matched', { count: matched }),
                  routingText('backtest.not_matched', { count: not_matched }),
                  routingText('backtest.skipped', { count: skipped })
                ].join(', ')}
              </p>
            </li>
          ))}
          <li>
            <p className={classes.step}>{routingText('backtest.default')}</p>
            <p className={classes.why}>{routingText('backtest.matched', { count: by_default })}</p>
          </li>
        </ol>
      </Section>
      {samples.length > 0 && (
        <Section title={routingText('backtest.samples')}>
          <ul className={listClasses.list} aria-label={routingText('backtest.samples')}>
            {samples.map((sample) => (
              <Sample key={sample.alert_id} sample={sample} rules={rules} />
            ))}
          </ul>
        </Section>
      )}
    </>
  )
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)

type Shown = BacktestResult['samples'][number]

function Sample({ sample, rules }: { sample: Shown; rules: BacktestResult['rules'] }) {
  const { alert_id, title, started_at, changes, was, would } = sample
  const teams = useQuery(teamsQuery).data?.items ?? []
  const teamOf = (id: string | null): string =>
    id === null ? teamMarkText('team.none') : (teams.find((one) => one.id === id)?.name ?? routingText('form.gone'))
  const ruleOf = (id: string): string => rules.find(({ rule_id }) => rule_id === id)?.name ?? rulesText('fact.gone')
  /** Says in words what differs in a decision. */
  const words = ({ outcome }: Shown['was']): string =>
    [...new Set(changes.map((change) => inWords[change]?.(outcome, { teamOf, ruleOf }) ?? capital(changeWords[change])))].join(' · ')
  return (
    <li className={listClasses.row}>
      <div>
        <p className={listClasses.name}>
          <Link to="/alerts/$id" params={{ id: alert_id }}>
            {title}
          </Link>
        </p>
        <p className={listClasses.facts}>
          <Since at={started_at} />
          <span>
            {routingText('backtest.was')}: {words(was)}
          </span>
          <span>
            {routingText('backtest.would')}: {words(would)}
          </span>
        </p>
      </div>
    </li>
  )
}

interface Names {
  teamOf: (id: string | null) => string
  ruleOf: (id: string) => string
}

type InWords = (outcome: Shown['was']['outcome'], names: Names) => string

const incident: InWords = (outcome) => incidentOf(outcome)
const told: InWords = ({ suppressed_by, notify_resolved }, { ruleOf }) =>
  suppressed_by !== null
    ? routingText('backtest.untold', { rule: ruleOf(suppressed_by) })
    : routingText(notify_resolved ? 'backtest.told' : 'backtest.recovery_untold')
const inWords: Readonly<Partial<Record<Shown['changes'][number], InWords>>> = {
  team: ({ team_id }, { teamOf }) => teamOf(team_id),
  promote: incident,
  suppress: told,
  severity: ({ severity }) => severityLook(severity).word,
  group: incident,
  priority: ({ priority }) => priority ?? '–',
  notify_resolved: told
}
