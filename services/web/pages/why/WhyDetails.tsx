/** The records, versions and keys that a decision read. Loaded when somebody unfolds them. */
import type { Explanation } from '../../api/shapes.ts'
import { Copyable } from '../../parts/Copy.tsx'
import { Facts } from '../../parts/Page.tsx'
import { dayTime, exact } from '../../parts/Since.tsx'
import { whyText } from '../../texts/why.ts'
import { stepOf } from './why-words.ts'

export function WhyDetails({ explanation }: { explanation: Explanation }) {
  const { steps, at, engine_version, tzdb_version, trace_hash } = explanation
  const record = steps.flatMap(({ inputs }) => inputs)[0]
  const configs = steps.flatMap(({ config_refs }) => config_refs)
  const routing = configs.find(({ type }) => type === 'routing')
  const others = configs.filter(({ type }) => type !== 'routing')
  const key = stepOf(explanation, 'dedup')?.values.dedup_key
  return (
    <Facts
      facts={[
        [
          whyText('details.decided'),
          <time key="at" dateTime={at} title={exact(at)}>
            {dayTime(at)}
          </time>
        ],
        record === undefined
          ? null
          : [
              whyText('details.record'),
              <Copyable key="record" text={`${record.topic}:${record.partition}:${record.offset}`} what={whyText('details.record')} />
            ],
        routing === undefined ? null : [whyText('details.rules'), routing.version],
        [whyText('details.engine'), engine_version],
        tzdb_version === null ? null : [whyText('details.tzdb'), tzdb_version],
        others.length === 0 ? null : [whyText('details.config'), others.map(({ type, version }) => `${type} ${version}`).join(', ')],
        typeof key === 'string' ? [whyText('details.key'), <Copyable key="key" text={key} what={whyText('details.key')} />] : null,
        [whyText('details.hash'), <Copyable key="hash" text={trace_hash.slice(0, 16)} what={whyText('details.hash')} />]
      ]}
    />
  )
}
