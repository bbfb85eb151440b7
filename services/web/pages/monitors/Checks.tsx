/**
 * The latest checks of a monitor, newest first: outcome, reason, timings, and each assertion with
 * the value found. The address holds the filters.
 */
import { Button, NativeSelect } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { CircleCheck, CircleQuestionMark, OctagonX, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { checksQuery } from '../../api/monitors.ts'
import type { Check, Monitor } from '../../api/shapes.ts'
import { Copyable } from '../../parts/Copy.tsx'
import { msInWords } from '../../parts/figures.ts'
import { Facts, Section } from '../../parts/Page.tsx'
import { Second, Since } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { type Look, Status } from '../../parts/Status.tsx'
import { wordOf } from '../../search.ts'
import { monitorDetailsText } from '../../texts/monitor-details.ts'
import { AssertionResults } from './AssertionResults.tsx'
import { CapturedAnswer } from './CapturedAnswer.tsx'
import classes from './Checks.module.css'
import { regionLabel } from './region-label.ts'
import { checkOutcomes } from './search.ts'
import { PhaseBar, Waterfall } from './Waterfall.tsx'
import { outcomeWord, reasonWord } from './words.ts'

const looks: Readonly<Partial<Record<Check['outcome'], Omit<Look, 'word'>>>> = {
  success: { tone: 'good', icon: CircleCheck },
  degraded: { tone: 'warn', icon: TriangleAlert },
  failure: { tone: 'bad', icon: OctagonX }
}

const lookOf = (outcome: Check['outcome']): Look => ({
  ...(looks[outcome] ?? { tone: 'off', icon: CircleQuestionMark }),
  word: outcomeWord(outcome)
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
      title={monitorDetailsText('checks.title')}
      aside={
        <>
          <NativeSelect
            size="xs"
            aria-label={monitorDetailsText('checks.region')}
            value={region ?? ''}
            onChange={({ currentTarget: { value } }) =>
              void navigate({
                search: ({ region: _before, ...rest }) => ({ ...rest, ...(value && { region: value }) }),
                resetScroll: false
              })
            }
            data={[
              { value: '', label: monitorDetailsText('checks.all_regions') },
              ...regions.map((code) => ({ value: code, label: regionLabel(monitor, code) }))
            ]}
          />
          <NativeSelect
            size="xs"
            aria-label={monitorDetailsText('checks.outcome')}
            value={outcome ?? ''}
            onChange={({ currentTarget }) => {
              const chosen = wordOf(currentTarget.value, checkOutcomes)
              void navigate({
                search: ({ outcome: _before, ...rest }) => ({ ...rest, ...(chosen && { outcome: chosen }) }),
                resetScroll: false
              })
            }}
            data={[
              { value: '', label: monitorDetailsText('checks.all_outcomes') },
              ...checkOutcomes.filter((one) => one !== 'unknown').map((one) => ({ value: one, label: outcomeWord(one) }))
            ]}
          />
        </>
      }
    >
      {!data && <Awaiting of={asked} rows={6} height={40} />}
      {data && checks.length === 0 && (
        <p className={classes.none}>{monitorDetailsText(region || outcome ? 'checks.no_match' : 'checks.none')}</p>
      )}
      {checks.length > 0 && (
        <ul className={classes.checks} aria-label={monitorDetailsText('checks.list')}>
          {checks.map((check) => (
            <li key={check.check_id}>
              <OneCheck check={check} monitor={monitor} />
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button variant="subtle" color="gray" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {monitorDetailsText('checks.older')}
        </Button>
      )}
    </Section>
  )
}

function OneCheck({ check, monitor }: { check: Check; monitor: Monitor }) {
  const { outcome, reason, message, region, timings_ms, started_at, http } = check
  const said = message ?? (reason ? reasonWord(reason) : http?.status ? monitorDetailsText('one.status', { status: http.status }) : '')
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={classes.check} onToggle={({ currentTarget: { open } }) => setOpen(open)}>
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
      {isOpen && hasAnswer(check, monitor) && (
        <div className={classes.detail}>
          <CapturedAnswer check={check} />
        </div>
      )}
    </details>
  )
}

/** True when the check's answer was captured, or could have been. */
const hasAnswer = ({ captured, outcome, http }: Check, { config }: Monitor): boolean =>
  captured || (config.capture_on_failure === true && outcome === 'failure' && http?.status != null)

function answerInWords(http: Check['http']): string {
  if (!http) return monitorDetailsText('one.no_answer')
  const { status, bytes } = http
  const said = status === null ? monitorDetailsText('one.status_unknown') : monitorDetailsText('one.status', { status })
  return bytes === null ? said : monitorDetailsText('one.bytes', { status: said, count: bytes })
}

function certificateInWords({ issuer, chain_ok }: NonNullable<Check['tls']>): string {
  const said = issuer ?? monitorDetailsText('one.no_issuer')
  return chain_ok === false ? monitorDetailsText('one.untrusted', { issuer: said }) : said
}

function Detail({ check, monitor }: { check: Check; monitor: Monitor }) {
  const { timings_ms, attempts, http, tls, check_id, kind, count, skewed, started_at, prober_instance } = check
  return (
    <div className={classes.detail}>
      <Waterfall timings={timings_ms} />
      <AssertionResults check={check} monitor={monitor} />
      <Facts
        facts={[
          [monitorDetailsText('one.started'), <Second key="at" at={started_at} />],
          monitor.type === 'http' ? [monitorDetailsText('one.answer'), answerInWords(http)] : null,
          [monitorDetailsText('one.attempts'), attempts],
          tls ? [monitorDetailsText('one.certificate'), certificateInWords(tls)] : null,
          [monitorDetailsText('one.prober'), prober_instance],
          [
            monitorDetailsText('one.kind'),
            [
              monitorDetailsText(kind === 'on_demand' ? 'one.on_demand' : 'one.scheduled'),
              count ? '' : monitorDetailsText('one.not_judged'),
              skewed ? monitorDetailsText('one.skewed') : ''
            ].join('')
          ],
          [monitorDetailsText('one.id'), <Copyable key="id" text={check_id} what={monitorDetailsText('one.copy')} />]
        ]}
      />
    </div>
  )
}
