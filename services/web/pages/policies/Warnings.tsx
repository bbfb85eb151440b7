/** Warnings about a policy, as things are now. */
import { OctagonX, TriangleAlert } from 'lucide-react'
import type { PolicyDetail } from '../../api/shapes.ts'
import { Status } from '../../parts/Status.tsx'
import { policiesText } from '../../texts/policies.ts'
import classes from './Policies.module.css'
import { warningInWords } from './policy-words.ts'

export function Warnings({ warnings }: Pick<PolicyDetail, 'warnings'>) {
  if (warnings.length === 0) return null
  return (
    <ul className={classes.warnings} aria-label={policiesText('warning.label')}>
      {warnings.map((warning) => {
        const { code, path } = warning
        const word = warningInWords(warning)
        return (
          <li key={`${code} ${path}`}>
            <Status
              look={code === 'reaches_nobody' ? { tone: 'bad', icon: OctagonX, word } : { tone: 'warn', icon: TriangleAlert, word }}
            />
          </li>
        )
      })}
    </ul>
  )
}
