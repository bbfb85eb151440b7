/**
 * A notice above a form's button. It lists by name the fields that are not valid yet, each with a
 * link to the field, and the faults that belong to no field.
 */
import { Alert, UnstyledButton } from '@mantine/core'
import { OctagonX } from 'lucide-react'
import { formsText } from '../texts/forms.ts'
import type { FaultyField } from './fault-words.ts'
import classes from './Refused.module.css'

export interface FaultsProps {
  fields: readonly FaultyField[]
  /** Whole sentences. */
  others: readonly string[]
}

export function Faults({ fields, others }: FaultsProps) {
  if (fields.length + others.length === 0) return null
  const named = fields.filter(({ label }) => label !== '')
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      className={classes.refused}
      icon={<OctagonX aria-hidden size={18} />}
      title={formsText(fields.length === 1 && others.length === 0 ? 'faults.one' : 'faults.some')}
    >
      {named.length > 0 && (
        <ul className={classes.names}>
          {named.map(({ label, field }) => (
            <li key={label}>
              <UnstyledButton className={classes.name} onClick={() => field.focus()}>
                {label}
              </UnstyledButton>
            </li>
          ))}
        </ul>
      )}
      {others.length > 0 && (
        <ul>
          {others.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
    </Alert>
  )
}
