/**
 * What would come of a body: whether its sender is proven, and each alert with what it does; or why
 * the door would refuse it.
 */
import { CircleCheck, CircleMinus, CircleQuestionMark, MessageSquare, OctagonX, Pencil } from 'lucide-react'
import { toRefusal } from '../../api/client.ts'
import type { ParseAnswer } from '../../api/shapes.ts'
import { Facts } from '../../parts/Page.tsx'
import { Problem } from '../../parts/States.tsx'
import { type Look, Status, severityLook } from '../../parts/Status.tsx'
import classes from './ParseResult.module.css'
import { inWords } from './state.tsx'

type Alert = ParseAnswer['alerts'][number]

const actions: Readonly<Record<Alert['action'], Look>> = {
  fire: { tone: 'bad', icon: OctagonX, word: 'Opens an incident, or joins the one of its key' },
  resolve: { tone: 'good', icon: CircleCheck, word: 'Resolves the incident of its key' },
  ignore: { tone: 'off', icon: CircleMinus, word: 'Ignored' },
  note: { tone: 'info', icon: MessageSquare, word: 'Adds a note to the incident of its key' },
  update: { tone: 'info', icon: Pencil, word: 'Changes title or description of the incident of its key' }
}

const proofLooks = {
  notAsked: { tone: 'off', icon: CircleMinus, word: 'No verification beyond the token' },
  proven: { tone: 'good', icon: CircleCheck, word: 'The sender is verified' },
  refused: { tone: 'bad', icon: OctagonX, word: 'The sender is not verified: this would be rejected' },
  open: { tone: 'warn', icon: CircleQuestionMark, word: 'Verification is not checked here' }
} satisfies Record<string, Look>

const proofLook = ({ asked, proven }: ParseAnswer['proof']): Look =>
  !asked ? proofLooks.notAsked : proven === null ? proofLooks.open : proven ? proofLooks.proven : proofLooks.refused

export function ParseResult({ answer, error }: { answer: ParseAnswer | undefined; error: unknown }) {
  if (error) {
    const refusal = toRefusal(error)
    if (refusal.code !== 'UNPARSEABLE_PAYLOAD') return <Problem error={error} />
    return (
      <div className={classes.result}>
        <Status look={{ tone: 'bad', icon: OctagonX, word: 'This would be rejected' }} size="lg" />
        <ul className={classes.faults}>
          {refusal.details.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              {path !== '' && <code>{path}</code>} {message}
            </li>
          ))}
        </ul>
      </div>
    )
  }
  if (!answer) return <p className={classes.hint}>The result appears here: each alert with its key and severity, or why it is rejected.</p>
  const { alerts, total, warnings, proof } = answer
  return (
    <div className={classes.result}>
      <h2>{total === 0 ? 'No alert in it' : inWords(total, 'alert')}</h2>
      <div>
        <Status look={proofLook(proof)} />
        {proof.reason !== null && <p className={classes.hint}>{proof.reason}</p>}
      </div>
      {warnings.map((warning) => (
        <p key={warning} className={classes.hint}>
          {warning}
        </p>
      ))}
      <ol className={classes.alerts} aria-label="Alerts">
        {alerts.map((alert, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two alerts of a body may be alike in everything
          <li key={at}>
            <One alert={alert} />
          </li>
        ))}
      </ol>
    </div>
  )
}

function One({
  alert: { action, reason, title, severity, source_severity, source_dedup_key, dedup_key, labels, description }
}: {
  alert: Alert
}) {
  return (
    <>
      <Status look={actions[action]}>{action === 'ignore' && reason !== null ? `Ignored: ${reason}` : actions[action].word}</Status>
      <h3>{title}</h3>
      {description !== null && <p className={classes.description}>{description}</p>}
      <Facts
        facts={[
          [
            'Severity',
            <span key="severity" className={classes.severity}>
              <Status look={severityLook(severity)} /> {source_severity !== null && `from “${source_severity}”`}
            </span>
          ],
          ['The source’s key', <code key="source">{source_dedup_key}</code>],
          ['Key of the condition', <code key="key">{dedup_key}</code>],
          Object.keys(labels).length === 0
            ? null
            : [
                'Labels',
                <code key="labels">
                  {Object.entries(labels)
                    .map(([name, value]) => `${name}=${value}`)
                    .join(', ')}
                </code>
              ]
        ]}
      />
    </>
  )
}
