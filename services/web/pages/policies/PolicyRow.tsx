/** One policy in the list: its steps in a line, whom they reach now, and what uses it. */
import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import type { Policy, PolicyDetail } from '../../api/shapes.ts'
import { TeamMark } from '../../parts/TeamMark.tsx'
import { policiesText } from '../../texts/policies.ts'
import classes from './Policies.module.css'
import {
  conditionInWords,
  listed,
  type NameOf,
  reachedInWords,
  roundsInWords,
  targetInWords,
  usesInWords,
  waitInWords
} from './policy-words.ts'
import { Warnings } from './Warnings.tsx'

export interface PolicyRowProps {
  policy: Policy
  /** How the policy stands; undefined while that is read. */
  detail: PolicyDetail | undefined
  nameOf: NameOf
}

export function PolicyRow({ policy, detail, nameOf }: PolicyRowProps) {
  const { id, name, team_id, is_default, repeat } = policy
  const reached = detail && reachedInWords(detail.reaches_now)
  const used = detail && usesInWords(detail.used_by)
  return (
    <li className={classes.row}>
      <p className={classes.name}>
        <Link to="/on-call/policies/$id" params={{ id }}>
          {name}
        </Link>
        {is_default && <span className={classes.default}>{policiesText('list.default')}</span>}
        <TeamMark team_id={team_id} />
      </p>
      <StepLine policy={policy} nameOf={nameOf} />
      <p className={classes.facts}>
        {detail && reached && <span>{policiesText('row.reaches', { whom: reached })}</span>}
        <span>{roundsInWords(repeat)}</span>
        {detail && <span>{used ? policiesText('row.used', { what: used }) : policiesText('row.used_none')}</span>}
      </p>
      {detail && <Warnings warnings={detail.warnings} />}
    </li>
  )
}

const onlyInWords = ({ severity, time_window }: NonNullable<Policy['steps'][number]['only_if']>): string =>
  policiesText('step.only', { when: conditionInWords({ severity, window: time_window }) ?? '' })

/** `1 at once: Ann › 2 after 5 min: team Payments`. */
export function StepLine({ policy: { name, steps }, nameOf }: { policy: Pick<Policy, 'name' | 'steps'>; nameOf: NameOf }) {
  return (
    <ol className={classes.steps} aria-label={`${policiesText('form.steps')}: ${name}`}>
      {steps.map(({ targets, delay_seconds, only_if }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other name
        <li key={at}>
          {at > 0 && <ChevronRight size={15} aria-hidden />}
          <span className={classes.step}>
            <b>{waitInWords(delay_seconds)}</b> {listed(targets.map((target) => targetInWords(target, nameOf)))}
            {only_if && <i>{onlyInWords(only_if)}</i>}
          </span>
        </li>
      ))}
    </ol>
  )
}
