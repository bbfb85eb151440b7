/** By which escalation policy people are asked; the first choices are those of its place. */
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
  /** What stands before the policies: none, or as it is. */
  first: readonly { value: string; label: string }[]
}

/** What is chosen stays among the choices, also where it is gone or hidden. */
export function PolicySelect({ value, onChange, first, ...field }: PolicySelectProps) {
  const { data } = useQuery(policiesToChoose)
  const known = [...first, ...(data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))]
  const choices = known.some((one) => one.value === value)
    ? known
    : [...known, { value, label: data ? policyChoiceText('choice.gone') : '…' }]
  return <NativeSelect {...field} data={choices} value={value} onChange={(event) => onChange(event.currentTarget.value)} />
}
