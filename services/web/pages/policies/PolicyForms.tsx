/** Forms that create, change or delete a policy. */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { changePolicy, createPolicy, deletePolicy, policyQuery } from '../../api/escalation.ts'
import type { PolicyDetail } from '../../api/shapes.ts'
import { type Begun, useBegun } from '../../forms/useBegun.ts'
import { useForm } from '../../forms/useForm.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { ownZone } from '../../parts/clock.ts'
import { tellDone } from '../../parts/tell.ts'
import { policiesText } from '../../texts/policies.ts'
import { PolicyForm } from './PolicyForm.tsx'
import { bodyOf, valuesOf } from './policy-values.ts'
import { UseList } from './UsedBy.tsx'

export function Creation() {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const form = useForm({
    initial: valuesOf(null, ownZone()),
    schema: async () => (await import('../../../../schemas/http/escalation.ts')).CreatePolicyBody,
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
  return <PolicyForm form={form} verb={policiesText('form.create')} onCancel={() => void navigate({ to: '/on-call/policies' })} />
}

interface ChangeProps {
  policy: PolicyDetail
  readAgain: () => void
}

export function Change({ policy, readAgain }: ChangeProps) {
  const form = useBegun(policy)
  const { begun, begin } = form
  const [wantsNew, setWantsNew] = useState(false)
  if (wantsNew && policy.version !== begun.version) {
    begin(policy)
    setWantsNew(false)
  }
  return (
    <>
      <Fields
        key={begun.version}
        form={form}
        again={() => {
          setWantsNew(true)
          readAgain()
        }}
      />
      <Removal policy={policy} readAgain={readAgain} />
    </>
  )
}

function Fields({ form: { begun, onSet, begin }, again }: { form: Begun<PolicyDetail>; again: () => void }) {
  const queries = useQueryClient()
  const form = useForm({
    initial: valuesOf(begun, ownZone()),
    schema: async () => (await import('../../../../schemas/http/escalation.ts')).UpdatePolicyBody,
    toBody: bodyOf,
    save: (body) => changePolicy(begun, body),
    onSaved: (now) => {
      queries.setQueryData(policyQuery(begun.id).queryKey, now)
      void queries.invalidateQueries({ queryKey: ['policies', 'list'] })
      tellDone(policiesText('form.saved', { name: now.name }))
      begin(now)
    },
    onSet
  })
  return <PolicyForm form={form} verb={policiesText('form.save')} again={again} />
}

/** Deletes the newest version: a version that the form began with may be older. */
function Removal({ policy, readAgain }: ChangeProps) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { id, name, used_by } = policy
  return (
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
          // Something may have begun to use the policy since the page was read.
          readAgain()
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
  )
}
