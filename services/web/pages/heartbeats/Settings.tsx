/** The settings of a heartbeat in words, and the button to delete it. */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { MAX_EXCERPT_CHARS, pingMethods } from '../../../../schemas/http/heartbeats.ts'
import { deleteHeartbeat, readAgain } from '../../api/heartbeats.ts'
import { useMay } from '../../api/session.ts'
import type { Heartbeat } from '../../api/shapes.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Copyable } from '../../parts/Copy.tsx'
import { Facts, Section } from '../../parts/Page.tsx'
import { Said } from '../../parts/Said.tsx'
import { Since } from '../../parts/Since.tsx'
import { Status, severityLook } from '../../parts/Status.tsx'
import { tellDone } from '../../parts/tell.ts'
import { heartbeatsText } from '../../texts/heartbeats.ts'
import { spanInWords } from './words.ts'

const excerptInWords = (chars: number): string | undefined =>
  chars === MAX_EXCERPT_CHARS
    ? undefined
    : chars === 0
      ? heartbeatsText('fact.excerpt_none')
      : heartbeatsText('fact.excerpt_value', { count: chars })

/** Returns the facts about the ping rules that differ from the defaults. */
function pingFacts(heartbeat: Heartbeat): [string, string][] {
  const { min_run_seconds, fail_tolerance, recovery_pings, allowed_methods, body_rules, body_excerpt_chars } = heartbeat
  const facts: [string, string | undefined][] = [
    [
      heartbeatsText('fact.shortest'),
      min_run_seconds === null ? undefined : heartbeatsText('fact.shortest_value', { span: spanInWords(min_run_seconds) })
    ],
    [heartbeatsText('fact.tolerance'), fail_tolerance > 0 ? String(fail_tolerance) : undefined],
    [heartbeatsText('fact.recovery'), recovery_pings > 1 ? heartbeatsText('fact.recovery_value', { count: recovery_pings }) : undefined],
    [heartbeatsText('fact.methods'), allowed_methods.length < pingMethods.length ? allowed_methods.join(', ') : undefined],
    ...(['success', 'failure', 'start'] as const).map((kind): [string, string | undefined] => [
      heartbeatsText(`fact.${kind}`),
      body_rules[kind]?.join(', ')
    ]),
    [heartbeatsText('fact.excerpt'), excerptInWords(body_excerpt_chars)]
  ]
  return facts.flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]))
}

export function Settings({ heartbeat }: { heartbeat: Heartbeat }) {
  const { id, name, grace_seconds, max_run_seconds, severity, slug, tags, labels, created_at, updated_at, version } = heartbeat
  const mayWrite = useMay('write')
  const labelled = Object.entries(labels)
  return (
    <Section title={heartbeatsText('settings.title')} aside={mayWrite && <Delete heartbeat={heartbeat} />}>
      <Facts
        facts={[
          [
            heartbeatsText('fact.grace'),
            grace_seconds === 0
              ? heartbeatsText('fact.grace_none')
              : heartbeatsText('fact.grace_value', { span: spanInWords(grace_seconds) })
          ],
          [
            heartbeatsText('fact.longest'),
            max_run_seconds === null
              ? heartbeatsText('fact.longest_none')
              : heartbeatsText('fact.longest_value', { span: spanInWords(max_run_seconds) })
          ],
          ...pingFacts(heartbeat),
          [heartbeatsText('fact.severity'), <Status key="severity" look={severityLook(severity)} />],
          tags.length > 0 ? [heartbeatsText('fact.tags'), tags.join(', ')] : null,
          labelled.length > 0 ? [heartbeatsText('fact.labels'), labelled.map(([label, value]) => `${label}=${value}`).join(', ')] : null,
          slug === null ? null : [heartbeatsText('fact.slug'), <Copyable key="slug" text={slug} what={heartbeatsText('copy.slug')} />],
          heartbeat.ping_url_by_slug === null
            ? null
            : [
                heartbeatsText('fact.by_slug'),
                <Copyable key="by-slug" text={heartbeat.ping_url_by_slug} what={heartbeatsText('copy.by_slug')} />
              ],
          [heartbeatsText('fact.id'), <Copyable key="id" text={id} what={heartbeatsText('copy.id', { name })} />],
          [heartbeatsText('fact.created'), <Since key="created" at={created_at} />],
          version > 1
            ? [
                heartbeatsText('fact.changed'),
                <Said key="changed" parts={{ time: <Since at={updated_at} /> }}>
                  {({ time }) => heartbeatsText('fact.changed_value', { time, version })}
                </Said>
              ]
            : null
        ]}
      />
    </Section>
  )
}

function Delete({ heartbeat: { id, name, open_incident_id } }: { heartbeat: Heartbeat }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  return (
    <Confirm
      label={heartbeatsText('delete.verb')}
      question={heartbeatsText('delete.question', { name })}
      verb={heartbeatsText('delete.verb')}
      act={async () => {
        await deleteHeartbeat(id)
        await navigate({ to: '/heartbeats' })
        queries.removeQueries({ queryKey: ['heartbeats', 'one', id] })
        readAgain(queries)
        tellDone(heartbeatsText('delete.done', { name }))
      }}
    >
      {heartbeatsText('delete.hint')} {open_incident_id && `${heartbeatsText('delete.resolves')} `}
      {heartbeatsText('delete.final')}
    </Confirm>
  )
}
