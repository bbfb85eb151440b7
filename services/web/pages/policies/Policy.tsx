/** One policy: whom it asks when, what uses it, and the form that changes it. */
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Suspense } from 'react'
import { isGone } from '../../api/client.ts'
import { policyQuery } from '../../api/escalation.ts'
import { useMay, useSession } from '../../api/session.ts'
import type { PolicyDetail } from '../../api/shapes.ts'
import { useManages } from '../../api/teams.ts'
import { lateForm } from '../../forms/late-form.tsx'
import { Copyable } from '../../parts/Copy.tsx'
import { Markdown } from '../../parts/Markdown.tsx'
import { PageHead } from '../../parts/Page.tsx'
import { lazyPart } from '../../parts/part.ts'
import { Awaiting, Problem } from '../../parts/States.tsx'
import { TeamMark } from '../../parts/TeamMark.tsx'
import { Together } from '../../parts/Together.tsx'
import { policiesText } from '../../texts/policies.ts'
import classes from './Policies.module.css'
import { StepLine } from './PolicyRow.tsx'
import { roundsInWords } from './policy-words.ts'
import { useTargets } from './targets.ts'
import { Warnings } from './Warnings.tsx'

const Course = lazyPart(async () => (await import('./Course.tsx')).Course)
const UsedBy = lazyPart(async () => (await import('./UsedBy.tsx')).UsedBy)
const Creation = lateForm(async () => (await import('./PolicyForms.tsx')).Creation)
const Change = lateForm(async () => (await import('./PolicyForms.tsx')).Change)

const back = { to: '/on-call/policies', label: policiesText('page.trail') }

export function NewPolicy() {
  const may = useMay('write')
  const { role } = useSession()
  return (
    <>
      <PageHead title={policiesText('form.new')} answer={policiesText('form.new_answer')} back={back}>
        {!may && <span>{policiesText('policy.forbidden', { role })}</span>}
      </PageHead>
      {may && <Creation />}
    </>
  )
}

export function PolicyPage() {
  const { id } = useParams({ from: '/inside/on-call/policies/$id' })
  const asked = useQuery(policyQuery(id))
  const { data: policy, error } = asked
  const gone = isGone(error)
  const meanwhile = (
    <>
      <PageHead title={policiesText('page.title')} answer={policiesText('page.title')} back={back} />
      {gone ? <Problem error={error} /> : <Awaiting of={asked} rows={6} />}
    </>
  )
  if (!policy || gone) return meanwhile
  return (
    <Suspense fallback={meanwhile}>
      <Together meanwhile={meanwhile}>
        <Shown key={id} policy={policy} again={() => void asked.refetch()} />
      </Together>
    </Suspense>
  )
}

function Shown({ policy, again }: { policy: PolicyDetail; again: () => void }) {
  const { id, name, description, team_id, is_default, repeat, steps, warnings, used_by } = policy
  const { role } = useSession()
  const mayWrite = useMay('write')
  const manages = useManages(team_id)
  const { nameOf } = useTargets()
  const count = steps.length === 1 ? policiesText('policy.step') : policiesText('policy.steps', { count: steps.length })
  return (
    <>
      <PageHead title={name} answer={policiesText('policy.answer', { name, steps: count })} back={back}>
        {is_default && <span>{policiesText('list.default')}</span>}
        <TeamMark team_id={team_id} />
        <span>{roundsInWords(repeat)}</span>
        {!mayWrite && <span>{policiesText('policy.forbidden', { role })}</span>}
        {mayWrite && manages === false && <span>{policiesText('policy.private')}</span>}
        <Copyable text={id} what={name} />
      </PageHead>
      <StepLine policy={policy} nameOf={nameOf} />
      <Warnings warnings={warnings} />
      {description !== '' && <Markdown text={description} />}
      <div className={classes.columns}>
        <div className={classes.course}>
          <Course policy={policy} nameOf={nameOf} />
          <UsedBy used_by={used_by} />
        </div>
        <div className={classes.form}>{mayWrite && manages && <Change policy={policy} readAgain={again} />}</div>
      </div>
    </>
  )
}
