/**
 * A notice above a form's button: the server's refusal, with the faults that belong to no visible
 * field.
 */
import { Alert } from '@mantine/core'
import { OctagonX } from 'lucide-react'
import type { Refusal } from '../api/client.ts'
import { explainAction } from '../parts/States.tsx'
import { formsText } from '../texts/forms.ts'
import { statesText } from '../texts/states.ts'
import { pathInWords } from './fault-words.ts'
import classes from './Refused.module.css'

export interface RefusedProps {
  refusal: Refusal | null
  /** Words of the form's own for a code that means something special here. */
  own?: Readonly<Record<string, { title: string; hint: string }>>
}

export function Refused({ refusal, own }: RefusedProps) {
  if (!refusal) return null
  const { title, hint } = own?.[refusal.code] ?? explainAction(refusal)
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      className={classes.refused}
      icon={<OctagonX aria-hidden size={18} />}
      title={refusal.code === 'VALIDATION_FAILED' ? formsText('faults.some') : title}
    >
      {refusal.code === 'VALIDATION_FAILED' ? (
        <ul>
          {refusal.details.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              {path === undefined ? '' : `${pathInWords(path)}: `}
              {message}
            </li>
          ))}
        </ul>
      ) : (
        <p>{hint}</p>
      )}
      {refusal.request_id && <small className={classes.request}>{statesText('toast.request', { id: refusal.request_id })}</small>}
    </Alert>
  )
}
