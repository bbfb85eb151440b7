/** Forms that create, change or delete a policy. */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { changePolicy, createPolicy, deletePolicy, policyQuery } from '../../api/escalation.ts'
import type { PolicyDetail } from '../../api/shapes.ts'
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
  saved: (policy: PolicyDetail) => void
  again: () => void
}

export function Change({ policy, saved, again }: ChangeProps) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { id, name, used_by } = policy
  const form = useForm({
    initial: valuesOf(policy, ownZone()),
    schema: async () => (await import('../../../../schemas/http/escalation.ts')).UpdatePolicyBody,
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
            // Something may have begun to use the policy since the page was read.
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
