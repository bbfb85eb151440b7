/**
 * The last checks of a monitor, newest first: outcome, reason, where the time went, and each
 * assertion with what was found. Filters stand in the address.
 */
import { Button, NativeSelect } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { CircleCheck, CircleQuestionMark, OctagonX, TriangleAlert } from 'lucide-react'
import { checksQuery } from '../../api/monitors.ts'
import type { Check, Monitor } from '../../api/shapes.ts'
import { Copyable } from '../../parts/Copy.tsx'
import { msInWords } from '../../parts/figures.ts'
import { Facts, Section } from '../../parts/Page.tsx'
import { clockTime, exact, Since } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { type Look, Status } from '../../parts/Status.tsx'
import { wordOf } from '../../search.ts'
import { AssertionResults } from './AssertionResults.tsx'
import classes from './Checks.module.css'
import { checkOutcomes } from './search.ts'
import { PhaseBar, Waterfall } from './Waterfall.tsx'
import { outcomeWords, reasonWords, regionLabel } from './words.ts'

const looks: Readonly<Partial<Record<Check['outcome'], Omit<Look, 'word'>>>> = {
  success: { tone: 'good', icon: CircleCheck },
  degraded: { tone: 'warn', icon: TriangleAlert },
  failure: { tone: 'bad', icon: OctagonX }
}

const lookOf = (outcome: Check['outcome']): Look => ({
  ...(looks[outcome] ?? { tone: 'off', icon: CircleQuestionMark }),
  word: outcomeWords[outcome]
})

export function Checks({ monitor }: { monitor: Monitor }) {
  const { region, outcome } = useSearch({ from: '/inside/monitors/$id' })
  const navigate = useNavigate({ from: '/monitors/$id' })
  const filter = { ...(region && { region: [region] }), ...(outcome && { outcome: [outcome] }) }
  const asked = useInfiniteQuery(checksQuery(monitor.id, filter, monitor.last_checked_at))
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = asked
  const checks = data?.pages.flatMap(({ items }) => items) ?? []
  const regions = [...new Set([...Object.keys(monitor.prober_region_labels), ...(region ? [region] : [])])]
  return (
    <Section
      title="Last checks"
      aside={
        <>
          <NativeSelect
            size="xs"
            aria-label="Region"
            value={region ?? ''}
            onChange={({ currentTarget: { value } }) =>
              void navigate({
                search: ({ region: _before, ...rest }) => ({ ...rest, ...(value && { region: value }) }),
                resetScroll: false
              })
            }
            data={[{ value: '', label: 'All regions' }, ...regions.map((code) => ({ value: code, label: regionLabel(monitor, code) }))]}
          />
          <NativeSelect
            size="xs"
            aria-label="Outcome"
            value={outcome ?? ''}
            onChange={({ currentTarget }) => {
              const chosen = wordOf(currentTarget.value, checkOutcomes)
              void navigate({
                search: ({ outcome: _before, ...rest }) => ({ ...rest, ...(chosen && { outcome: chosen }) }),
                resetScroll: false
              })
            }}
            data={[
              { value: '', label: 'All outcomes' },
              ...checkOutcomes.filter((one) => one !== 'unknown').map((one) => ({ value: one, label: outcomeWords[one] }))
            ]}
          />
        </>
      }
    >
      {!data && <Awaiting of={asked} rows={6} height={40} />}
      {data && checks.length === 0 && (
        <p className={classes.none}>
          {region || outcome
            ? 'No check matches these filters.'
            : 'No check has come in yet; the first comes within seconds where a prober is online.'}
        </p>
      )}
      {checks.length > 0 && (
        <ul className={classes.checks} aria-label="Checks">
          {checks.map((check) => (
            <li key={check.check_id}>
              <OneCheck check={check} monitor={monitor} />
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button variant="subtle" color="gray" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show older checks
        </Button>
      )}
    </Section>
  )
}

function OneCheck({ check, monitor }: { check: Check; monitor: Monitor }) {
  const { outcome, reason, message, region, timings_ms, started_at, http } = check
  const said = message ?? (reason ? reasonWords[reason] : http?.status ? `Status ${http.status}` : '')
  return (
    <details className={classes.check}>
      <summary>
        <span className={classes.outcome}>
          <Status look={lookOf(outcome)} />
        </span>
        <span className={classes.region}>{regionLabel(monitor, region)}</span>
        <span className={classes.said}>{said}</span>
        <span className={classes.bar} aria-hidden>
          <PhaseBar timings={timings_ms} />
        </span>
        <span className={classes.total}>{timings_ms.total === null ? '–' : msInWords(timings_ms.total)}</span>
        <span className={classes.when}>
          <Since at={started_at} />
        </span>
      </summary>
      <Detail check={check} monitor={monitor} />
    </details>
  )
}

function Detail({ check, monitor }: { check: Check; monitor: Monitor }) {
  const { timings_ms, attempts, http, tls, check_id, kind, count, skewed, started_at, prober_instance } = check
  return (
    <div className={classes.detail}>
      <Waterfall timings={timings_ms} />
      <AssertionResults check={check} monitor={monitor} />
      <Facts
        facts={[
          [
            'Started',
            <time key="at" dateTime={started_at} title={exact(started_at)}>
              {clockTime(started_at)}
            </time>
          ],
          monitor.type === 'http'
            ? ['Answer', http ? `Status ${http.status ?? 'unknown'}${http.bytes === null ? '' : `, ${http.bytes} bytes`}` : 'None']
            : null,
          ['Attempts', attempts],
          tls ? ['Certificate', `${tls.issuer ?? 'Unknown issuer'}${tls.chain_ok === false ? ', chain not trusted' : ''}`] : null,
          ['Prober', prober_instance],
          [
            'Kind',
            `${kind === 'on_demand' ? 'On demand' : 'By schedule'}${count ? '' : ', not judged'}${skewed ? ', not judged: the prober’s clock was wrong' : ''}`
          ],
          ['Check', <Copyable key="id" text={check_id} what="the check id" />]
        ]}
      />
    </div>
  )
}
