/** A choice of an escalation policy. The caller gives the first choices. */
import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { policiesToChoose } from '../api/escalation.ts'
import { policyChoiceText } from '../texts/policy-choice.ts'

export interface PolicySelectProps {
  label: string
  description?: ReactNode
  /** Id of a policy, or the value of one of `first`. */
  value: string
  onChange: (value: string) => void
  error?: string | undefined
  /** The choices above the policies, such as "none" or "unchanged". */
  first: readonly { value: string; label: string }[]
}

/** The current value stays among the choices, even if the policy was deleted or is hidden. */
export function PolicySelect({ value, onChange, first, ...field }: PolicySelectProps) {
  const { data } = useQuery(policiesToChoose)
  const known = [...first, ...(data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))]
  const choices = known.some((one) => one.value === value)
    ? known
    : [...known, { value, label: data ? policyChoiceText('choice.gone') : '…' }]
  return <NativeSelect {...field} data={choices} value={value} onChange={(event) => onChange(event.currentTarget.value)} />
}
