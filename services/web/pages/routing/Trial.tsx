/** The answer of a dry run: what happens to the alert, then rule by rule. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleDashed, CircleX } from 'lucide-react'
import { teamsQuery } from '../../api/lists.ts'
import { rulesQuery } from '../../api/routing.ts'
import type { TrialAnswer } from '../../api/shapes.ts'
import { Labels } from '../../parts/Labels.tsx'
import { Facts, Section } from '../../parts/Page.tsx'
import { durationInWords } from '../../parts/Since.tsx'
import { type Look, Status, severityLook } from '../../parts/Status.tsx'
import { routingText } from '../../texts/routing.ts'
import { rulesText } from '../../texts/rules.ts'
import { teamMarkText } from '../../texts/team-marks.ts'
import type { NameOf } from './rule-words.ts'
import classes from './TryIt.module.css'
import { fieldsOf, useThings } from './things.ts'
import { incidentOf, type Outcome, outcomeWords, type Step, toldOf, whyOf } from './trace-words.ts'

const looks: Readonly<Record<Step['outcome'], Look>> = {
  matched: { tone: 'good', icon: CircleCheck, word: outcomeWords.matched },
  not_matched: { tone: 'off', icon: CircleX, word: outcomeWords.not_matched },
  skipped: { tone: 'off', icon: CircleDashed, word: outcomeWords.skipped }
}

/** Every rule that was evaluated, and why it did or did not match. */
export function TraceList({ trace, byDefault }: { trace: readonly Step[]; byDefault: boolean }) {
  const rules = useQuery(rulesQuery).data?.items ?? []
  const { nameOf } = useThings(rules.flatMap(fieldsOf))
  return (
    <ol className={classes.trace} aria-label={routingText('try.trace')}>
      {trace.map((step) => (
        <li key={step.rule_id} data-outcome={step.outcome}>
          <p className={classes.step}>
            <Status look={looks[step.outcome]} />
            {rules.some(({ id }) => id === step.rule_id) ? (
              <Link to="/settings/routing/$id" params={{ id: step.rule_id }}>
                {step.name}
              </Link>
            ) : (
              <span>{step.name}</span>
            )}
            {step.mode === 'shadow' && <span>{routingText('row.shadow')}</span>}
          </p>
          {whyOf(
            step,
            rules.find(({ id }) => id === step.rule_id),
            nameOf
          ).map((why) => (
            <p key={why} className={classes.why}>
              {why}
            </p>
          ))}
        </li>
      ))}
      <li data-outcome={byDefault ? 'matched' : 'skipped'}>
        <p className={classes.step}>
          <Status look={looks[byDefault ? 'matched' : 'skipped']} />
          {routingText('try.default')}
        </p>
        {byDefault && <p className={classes.why}>{routingText('try.default_decides')}</p>}
      </li>
    </ol>
  )
}

export function Trial({ answer: { outcome, trace, matched, shadow, routing_version } }: { answer: TrialAnswer }) {
  const ruleOf: NameOf = (id) => trace.find(({ rule_id }) => rule_id === id)?.name ?? rulesText('fact.gone')
  const differs = shadow.matched.join() !== matched.join()
  return (
    <>
      <Section title={routingText('try.outcome')} aside={<span>{routingText('try.decided', { version: routing_version })}</span>}>
        <OutcomeFacts outcome={outcome} ruleOf={ruleOf} />
      </Section>
      {differs && (
        <Section title={routingText('try.shadow')}>
          <OutcomeFacts outcome={shadow.outcome} ruleOf={ruleOf} />
        </Section>
      )}
      <Section title={routingText('try.trace')}>
        <TraceList trace={trace} byDefault={matched.length === 0} />
      </Section>
    </>
  )
}

function OutcomeFacts({ outcome, ruleOf }: { outcome: Outcome; ruleOf: NameOf }) {
  const teams = useQuery(teamsQuery).data?.items ?? []
  const { team_id, visibility, severity, priority, labels, is_major, auto_resolve_minutes } = outcome
  const name = teams.find(({ id }) => id === team_id)?.name ?? teamMarkText('team.deleted')
  const team = team_id === null ? teamMarkText('team.none') : name
  return (
    <Facts
      facts={[
        [routingText('try.fact_incident'), incidentOf(outcome)],
        [routingText('try.fact_told'), toldOf(outcome, ruleOf)],
        [routingText('try.fact_team'), visibility === 'private' ? routingText('try.private', { team }) : team],
        [routingText('try.fact_severity'), <Status key="severity" look={severityLook(severity)} />],
        priority === null ? null : [routingText('try.fact_priority'), priority],
        is_major ? [routingText('try.fact_major'), routingText('form.yes')] : null,
        auto_resolve_minutes === null
          ? null
          : [routingText('try.fact_resolve'), routingText('try.after', { time: durationInWords(auto_resolve_minutes * 60) })],
        Object.keys(labels).length === 0 ? null : [routingText('try.fact_labels'), <Labels key="labels" labels={labels} />]
      ]}
    />
  )
}
