/**
 * Part of the monitor form that shows what each region finds before anything is saved. Each region
 * has its line as soon as it is asked, so nothing moves when it answers.
 */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleDashed, CircleQuestionMark, OctagonX, TriangleAlert } from 'lucide-react'
import { regionsQuery } from '../../api/monitors.ts'
import type { Monitor, MonitorTrial } from '../../api/shapes.ts'
import { Group } from '../../forms/Form.tsx'
import { Refused } from '../../forms/Refused.tsx'
import { msInWords } from '../../parts/figures.ts'
import { dayTime } from '../../parts/Since.tsx'
import { type Look, Status } from '../../parts/Status.tsx'
import { checksText } from '../../texts/checks.ts'
import { AssertionResults } from './AssertionResults.tsx'
import classes from './TryIt.module.css'
import { type RegionTrial, useTrial } from './try-it.ts'
import { PhaseBar, Waterfall } from './Waterfall.tsx'
import { listed, outcomeWord, reasonWord } from './words.ts'

type Answered = Extract<RegionTrial, { state: 'answered' }>['result']

const lookOfOutcome = (outcome: Answered['outcome']): Look => {
  const word = outcomeWord(outcome)
  if (outcome === 'success') return { tone: 'good', icon: CircleCheck, word }
  if (outcome === 'degraded') return { tone: 'warn', icon: TriangleAlert, word }
  return outcome === 'failure' ? { tone: 'bad', icon: OctagonX, word } : { tone: 'off', icon: CircleQuestionMark, word }
}

function lookOf(trial: RegionTrial): Look {
  switch (trial.state) {
    case 'waits':
      return { tone: 'off', icon: CircleDashed, word: checksText('try.waits') }
    case 'silent':
      return { tone: 'warn', icon: CircleQuestionMark, word: checksText('try.silent') }
    case 'refused':
      return { tone: 'warn', icon: TriangleAlert, word: checksText('try.refused') }
    case 'answered':
      return lookOfOutcome(trial.result.outcome)
  }
}

function saidBy(trial: RegionTrial): string {
  if (trial.state === 'refused') return trial.refusal.message
  if (trial.state !== 'answered') return ''
  const { message, reason, http } = trial.result
  if (message !== null) return message
  if (reason !== null) return reasonWord(reason)
  return http?.status ? checksText('try.status', { status: http.status }) : ''
}

export interface TryItProps {
  /** Returns what would be saved with the current values of the form. */
  bodyOf: () => MonitorTrial
}

export function TryIt({ bodyOf }: TryItProps) {
  const { start, isAsking, refusal, warnings, regions, assertions } = useTrial(bodyOf)
  const { data } = useQuery(regionsQuery)
  const labels = new Map((data?.items ?? []).map(({ code, label }) => [code, label]))
  const answered = [...(regions?.values() ?? [])].filter(({ state }) => state !== 'waits').length
  return (
    <Group title={checksText('try.title')} hint={checksText('try.hint')}>
      <div className={classes.head}>
        <Button variant="default" loading={isAsking} onClick={start}>
          {regions === null ? checksText('try.verb') : checksText('try.again')}
        </Button>
        <span role="status">{regions && regions.size > 0 ? checksText('try.answered', { count: answered, all: regions.size }) : ''}</span>
      </div>
      <Refused refusal={refusal} />
      {warnings.map(({ code, message }) => (
        <p key={code} className={classes.warning}>
          <TriangleAlert size={15} aria-hidden />
          {message}
        </p>
      ))}
      {regions?.size === 0 && <p className={classes.quiet}>{checksText('try.nowhere')}</p>}
      {regions && regions.size > 0 && (
        <ul className={classes.regions} aria-label={checksText('try.list')}>
          {[...regions].map(([region, trial]) => (
            <li key={region}>
              <OneRegion name={labels.get(region) ?? region} trial={trial} assertions={assertions} />
            </li>
          ))}
        </ul>
      )}
    </Group>
  )
}

function OneRegion({ name, trial, assertions }: { name: string; trial: RegionTrial; assertions: Monitor['assertions'] }) {
  const result = trial.state === 'answered' ? trial.result : null
  const line = (
    <>
      <span className={classes.region}>{name}</span>
      <Status look={lookOf(trial)} />
      <span className={classes.said}>{saidBy(trial)}</span>
      <span className={classes.bar} aria-hidden>
        {result && <PhaseBar timings={result.timings_ms} />}
      </span>
      <span className={classes.total}>{result?.timings_ms.total == null ? '' : msInWords(result.timings_ms.total)}</span>
    </>
  )
  if (!result) return <div className={classes.line}>{line}</div>
  return (
    <details className={classes.answer}>
      <summary className={classes.line}>{line}</summary>
      <Found result={result} assertions={assertions} />
    </details>
  )
}

function Found({ result, assertions }: { result: Answered; assertions: Monitor['assertions'] }) {
  const { timings_ms, http, tls, redirects } = result
  const facts = [
    http?.status == null ? null : checksText('try.status', { status: http.status }),
    http?.bytes == null ? null : checksText('try.bytes', { count: http.bytes }),
    tls?.not_after ? checksText('try.certificate', { issuer: tls.issuer ?? '–', date: dayTime(tls.not_after) }) : null,
    tls?.chain_ok === false ? checksText('try.untrusted') : null,
    redirects.length > 0 ? checksText('try.redirects', { addresses: listed(redirects) }) : null
  ].filter((fact) => fact !== null)
  return (
    <div className={classes.found}>
      <Waterfall timings={timings_ms} />
      {facts.length > 0 && <p className={classes.quiet}>{facts.join(' · ')}</p>}
      <AssertionResults check={{ assertions: result.assertions, config_version: 0 }} monitor={{ assertions, version: 0 }} />
    </div>
  )
}
