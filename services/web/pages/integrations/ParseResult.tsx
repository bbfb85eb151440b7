/**
 * The result of a dry run: whether the sender is verified, and what each alert would do, or why the
 * payload would be refused.
 */
import { CircleCheck, CircleMinus, CircleQuestionMark, MessageSquare, OctagonX, Pencil } from 'lucide-react'
import { toRefusal } from '../../api/client.ts'
import type { ParseAnswer } from '../../api/shapes.ts'
import { Facts } from '../../parts/Page.tsx'
import { Problem } from '../../parts/States.tsx'
import { type Look, lookOf, Status, severityLook } from '../../parts/Status.tsx'
import { inboundText } from '../../texts/inbound.ts'
import classes from './ParseResult.module.css'
import { alertsInWords } from './state.tsx'

type Alert = ParseAnswer['alerts'][number]

const actions: Readonly<Record<Alert['action'], Look>> = {
  fire: lookOf('bad', OctagonX, () => inboundText('action.fire')),
  resolve: lookOf('good', CircleCheck, () => inboundText('action.resolve')),
  ignore: lookOf('off', CircleMinus, () => inboundText('action.ignore')),
  note: lookOf('info', MessageSquare, () => inboundText('action.note')),
  update: lookOf('info', Pencil, () => inboundText('action.update'))
}

const proofLooks = {
  notAsked: lookOf('off', CircleMinus, () => inboundText('proof.not_asked')),
  proven: lookOf('good', CircleCheck, () => inboundText('proof.proven')),
  refused: lookOf('bad', OctagonX, () => inboundText('proof.refused')),
  open: lookOf('warn', CircleQuestionMark, () => inboundText('proof.open'))
}

const proofLook = ({ asked, proven }: ParseAnswer['proof']): Look =>
  !asked ? proofLooks.notAsked : proven === null ? proofLooks.open : proven ? proofLooks.proven : proofLooks.refused

export function ParseResult({ answer, error }: { answer: ParseAnswer | undefined; error: unknown }) {
  if (error) {
    const refusal = toRefusal(error)
    if (refusal.code !== 'UNPARSEABLE_PAYLOAD') return <Problem error={error} />
    return (
      <div className={classes.result}>
        <Status look={{ tone: 'bad', icon: OctagonX, word: inboundText('result.rejected') }} size="lg" />
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
  if (!answer) return <p className={classes.hint}>{inboundText('result.hint')}</p>
  const { alerts, total, warnings, proof } = answer
  return (
    <div className={classes.result}>
      <h2>{total === 0 ? inboundText('result.none') : alertsInWords(total)}</h2>
      <div>
        <Status look={proofLook(proof)} />
        {proof.reason !== null && <p className={classes.hint}>{proof.reason}</p>}
      </div>
      {warnings.map((warning) => (
        <p key={warning} className={classes.hint}>
          {warning}
        </p>
      ))}
      <ol className={classes.alerts} aria-label={inboundText('result.alerts')}>
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
      <Status look={actions[action]}>
        {action === 'ignore' && reason !== null ? inboundText('result.ignored', { reason }) : actions[action].word}
      </Status>
      <h3>{title}</h3>
      {description !== null && <p className={classes.description}>{description}</p>}
      <Facts
        facts={[
          [
            inboundText('result.severity'),
            <span key="severity" className={classes.severity}>
              <Status look={severityLook(severity)} /> {source_severity !== null && inboundText('result.from', { word: source_severity })}
            </span>
          ],
          [inboundText('result.source_key'), <code key="source">{source_dedup_key}</code>],
          [inboundText('result.key'), <code key="key">{dedup_key}</code>],
          Object.keys(labels).length === 0
            ? null
            : [
                inboundText('result.labels'),
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
