/** One policy: whom it asks when, what has it, and how it is changed. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { CreatePolicyBody, UpdatePolicyBody } from '../../../../schemas/http/escalation.ts'
import { isGone } from '../../api/client.ts'
import { changePolicy, createPolicy, deletePolicy, policyQuery } from '../../api/escalation.ts'
import { useMay, useSession } from '../../api/session.ts'
import type { PolicyDetail } from '../../api/shapes.ts'
import { useManages, useTeam } from '../../api/teams.ts'
import { useForm } from '../../forms/useForm.ts'
import { browserZone } from '../../forms/ZoneSelect.tsx'
import { Confirm } from '../../parts/Confirm.tsx'
import { Copyable } from '../../parts/Copy.tsx'
import { Markdown } from '../../parts/Markdown.tsx'
import { PageHead } from '../../parts/Page.tsx'
import { Awaiting, Problem } from '../../parts/States.tsx'
import { TeamMark } from '../../parts/TeamMark.tsx'
import { tellDone } from '../../parts/tell.ts'
import { policiesText } from '../../texts/policies.ts'
import { Course } from './Course.tsx'
import classes from './Policies.module.css'
import { PolicyForm } from './PolicyForm.tsx'
import { StepLine } from './PolicyRow.tsx'
import { bodyOf, valuesOf } from './policy-values.ts'
import { roundsInWords } from './policy-words.ts'
import { useTargets } from './targets.ts'
import { UsedBy, UseList } from './UsedBy.tsx'
import { Warnings } from './Warnings.tsx'

const back = { to: '/on-call/policies', label: policiesText('page.trail') }

export function NewPolicy() {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const may = useMay('write')
  const { role } = useSession()
  const form = useForm({
    initial: valuesOf(null, browserZone()),
    schema: CreatePolicyBody,
    toBody: bodyOf,
    save: createPolicy,
    onSaved: (made) => {
      queries.setQueryData(policyQuery(made.id).queryKey, made)
      void queries.invalidateQueries({ queryKey: ['policies', 'list'] })
      void queries.invalidateQueries({ queryKey: ['usage'] })
      tellDone(policiesText('form.created', { name: made.name }))
      void navigate({ to: '/on-call/policies/$id', params: { id: made.id } })
    }
  })
  return (
    <>
      <PageHead title={policiesText('form.new')} answer={policiesText('form.new_answer')} back={back}>
        {!may && <span>{policiesText('policy.forbidden', { role })}</span>}
      </PageHead>
      {may && <PolicyForm form={form} verb={policiesText('form.create')} onCancel={() => void navigate({ to: '/on-call/policies' })} />}
    </>
  )
}

export function PolicyPage() {
  const { id } = useParams({ from: '/inside/on-call/policies/$id' })
  const asked = useQuery(policyQuery(id))
  const { data: policy, error } = asked
  if (policy && !isGone(error)) return <Shown key={id} policy={policy} again={() => void asked.refetch()} />
  return (
    <>
      <PageHead title={policiesText('page.title')} answer={policiesText('page.title')} back={back} />
      {isGone(error) ? <Problem error={error} /> : <Awaiting of={asked} rows={6} />}
    </>
  )
}

function Shown({ policy, again }: { policy: PolicyDetail; again: () => void }) {
  const { id, name, description, team_id, is_default, repeat, steps, warnings, used_by } = policy
  const { role } = useSession()
  const mayWrite = useMay('write')
  const manages = useManages(useTeam(team_id))
  const { nameOf } = useTargets()
  // What somebody else saves does not change what is being typed, until it is asked for.
  const [begun, setBegun] = useState(policy)
  const [wantsNew, setWantsNew] = useState(false)
  if (wantsNew && policy.version !== begun.version) {
    setBegun(policy)
    setWantsNew(false)
  }
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
        <div className={classes.form}>
          {mayWrite && manages && (
            <Change
              key={begun.version}
              policy={begun}
              saved={setBegun}
              again={() => {
                setWantsNew(true)
                again()
              }}
            />
          )}
        </div>
      </div>
    </>
  )
}

interface ChangeProps {
  policy: PolicyDetail
  saved: (policy: PolicyDetail) => void
  again: () => void
}

function Change({ policy, saved, again }: ChangeProps) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { id, name, used_by } = policy
  const form = useForm({
    initial: valuesOf(policy, browserZone()),
    schema: UpdatePolicyBody,
    toBody: bodyOf,
    save: (body) => changePolicy(policy, body),
    onSaved: (now) => {
      queries.setQueryData(policyQuery(id).queryKey, now)
      void queries.invalidateQueries({ queryKey: ['policies', 'list'] })
      tellDone(policiesText('form.saved', { name: now.name }))
      saved(now)
    }
  })
  return (
    <>
      <PolicyForm form={form} verb={policiesText('form.save')} again={again} />
      <Confirm
        label={policiesText('delete.label')}
        question={policiesText('delete.question', { name })}
        verb={policiesText('delete.verb')}
        c="var(--bad)"
        mt="lg"
        act={async () => {
          try {
            await deletePolicy(policy)
          } catch (error) {
            // What has it may have come since the page was read.
            again()
            throw error
          }
          await navigate({ to: '/on-call/policies' })
          queries.removeQueries({ queryKey: policyQuery(id).queryKey })
          void queries.invalidateQueries({ queryKey: ['policies', 'list'] })
          void queries.invalidateQueries({ queryKey: ['usage'] })
          tellDone(policiesText('delete.done', { name }))
        }}
      >
        {policiesText('delete.hint')}
        {used_by.length > 0 && (
          <>
            <p>{policiesText('delete.used')}</p>
            <UseList used_by={used_by} />
          </>
        )}
      </Confirm>
    </>
  )
}
