/**
 * Jenkins, Notification plugin: a build in one of its phases. A later build of the same job ends a
 * failure.
 *
 * Source: docs/design/inbound-sources.md#s25; jenkinsci/notification-plugin (Phase, JobListener).
 * Samples: test/fixtures/sources/jenkins/
 */
import type { Severity } from '../../../schemas/generated/events.ts'
import { branchesSetting, isWatched } from '../branches.ts'
import { basicSecret } from '../proof.ts'
import {
  choiceOption,
  ignored,
  instant,
  labelsOf,
  link,
  linksOf,
  numberOf,
  object,
  objectOrNothing,
  optionalText,
  paragraphs,
  single,
  text,
  textsOf
} from '../readers.ts'
import type { Json, SequencedEvent, Source, SourceInput } from '../source.ts'
import { curl, incomingUrl, quoted } from '../source-text.ts'

const MAX_TESTS = 20
/** A build that begins this far ahead has no place in the order. */
const AHEAD_MS = 300_000

const sample = {
  name: 'shop-build',
  display_name: 'shop-build',
  url: 'job/shop/job/shop-build/',
  build: {
    full_url: 'https://ci.example.test/job/shop/job/shop-build/318/',
    number: 318,
    timestamp: 1791201600000,
    duration: 182331,
    phase: 'FINALIZED',
    status: 'FAILURE',
    scm: { branch: 'origin/main', commit: '1f2e3d4c', culprits: ['ada'] }
  }
}

const pipelineStep = (url: string): string => `post {
  failure { sh ${groovy(`curl -sS ${quoted(url)} --data-urlencode "title=$JOB_NAME failed" --data-urlencode "dedup_key=$JOB_NAME" -d severity=critical`)} }
  success { sh ${groovy(`curl -sS ${quoted(url)} --data-urlencode "dedup_key=$JOB_NAME" -d status=resolved`)} }
}
`

/** Groovy expands nothing between three single quotes, so the shell expands the variables. */
const groovy = (command: string): string => `'''${command}'''`

export const source: Source = {
  kind: 'jenkins',
  title_tells_state: true,
  about: {
    name: 'Jenkins',
    description:
      'Builds that fail, through the Notification plugin. Its event must be "Job Finalized" (or "All Events"): with "On failure" nothing is ever resolved.',
    severity_map: { FAILURE: 'critical', UNSTABLE: 'warning' },
    resolves_when: 'A later build of the same job ends in SUCCESS.',
    sample,
    instructions: (publicUrl, token) => [
      {
        title: 'Job notifications',
        language: 'text',
        text: `Job > Configure > Job Notifications > Add Endpoint (Notification plugin)
  Format:    JSON
  Protocol:  HTTP
  Event:     Job Finalized
  URL:       ${incomingUrl(publicUrl, token)}
  Log:       0
`
      },
      {
        title: 'Without the plugin: a declarative Pipeline and an integration of the type "generic"',
        language: 'groovy',
        text: pipelineStep(incomingUrl(publicUrl, 'TOKEN_OF_THE_GENERIC_INTEGRATION'))
      },
      curl('Try it', incomingUrl(publicUrl, token), sample)
    ]
  },
  headers: ['authorization'],
  options: {
    branches: branchesSetting('every branch'),
    decide_on_phase: {
      type: 'choice',
      choices: ['FINALIZED', 'COMPLETED'],
      default: 'FINALIZED',
      description: 'The phase whose status counts: both arrive for a build where the endpoint sends all events.'
    }
  },
  verify: basicSecret,
  sequence: 'position',
  parse(input) {
    const body = single(input.body)
    return [toEvent(body, object(body.build, 'build'), input)]
  }
}

const outcomes: ReadonlyMap<string, { action: 'fire' | 'resolve'; severity: Severity | null }> = new Map([
  ['FAILURE', { action: 'fire', severity: 'critical' }],
  ['UNSTABLE', { action: 'fire', severity: 'warning' }],
  ['SUCCESS', { action: 'resolve', severity: null }]
])

/**
 * Old versions called the last phase FINISHED. NONE is a step of a Pipeline that gives its status
 * itself.
 */
function isDecisive(phase: string, options: Json): boolean {
  if (phase === 'NONE') return true
  return choiceOption(options, 'decide_on_phase', 'FINALIZED') === 'COMPLETED'
    ? phase === 'COMPLETED'
    : phase === 'FINALIZED' || phase === 'FINISHED'
}

function toEvent(job: Json, build: Json, { options, received_at }: SourceInput): SequencedEvent {
  const phase = text(build.phase, 'build.phase').toUpperCase()
  if (!isDecisive(phase, options)) return ignored('phase')
  const status = optionalText(build.status)?.toUpperCase() ?? null
  const outcome = status === null ? undefined : outcomes.get(status)
  if (status === null || outcome === undefined)
    return ignored(status === 'ABORTED' || status === 'NOT_BUILT' ? 'not_finished' : 'no_status')
  const scm = objectOrNothing(build.scm)
  const branch = optionalText(scm.branch)?.replace(/^(?:refs\/remotes\/)?origin\//, '') ?? null
  if (!isWatched(options, branch, [])) return ignored('branch')
  const number = numberOf(build.number)
  const name = optionalText(job.display_name) ?? optionalText(job.name) ?? 'Jenkins job'
  return {
    action: outcome.action,
    reason: null,
    dedup_key: keyOf(job, build),
    title: `${name}${number === null ? '' : ` #${number}`} ${status}`,
    description: paragraphs(
      origin(branch, optionalText(scm.commit), textsOf(scm.culprits)),
      optionalText(build.notes),
      failedTests(build.test_summary)
    ),
    severity: outcome.severity,
    source_severity: status,
    occurred_at: instant(build.timestamp),
    sequence: placeOf(build, received_at),
    delivery_id: null,
    labels: labelsOf({ job: job.name, branch, commit: scm.commit, repository: scm.url }),
    links: linksOf(link('Build', build.full_url))
  }
}

/**
 * Returns the place of a build among those of its job: when it began. The numbers begin again at 1
 * when a job is created again, and the ids of the queue when Jenkins ends without writing its
 * queue. A build that still runs, told of by a step, has no duration and no place. Where the sender
 * leaves the times out, the number counts.
 */
function placeOf(build: Json, received_at: number): number | null {
  const ended = instant(build.timestamp)
  const duration = numberOf(build.duration)
  if (ended === null || duration === null) return numberOf(build.number)
  const began = ended - duration
  return duration > 0 && began <= received_at + AHEAD_MS ? began : null
}

/**
 * Returns the path of the job, with its folders and its branch: jobs in different folders may have
 * the same name. The path of a build ends in the build's number.
 */
function keyOf(job: Json, build: Json): string {
  const path = optionalText(job.url)
  if (path !== null) return path
  const ofBuild = optionalText(build.url) ?? optionalText(build.full_url)
  // The lookbehind keeps it linear. A path that is only a number does not name a job.
  return text(ofBuild?.replace(/(?<!\d)\d+\/?$/, ''), 'url')
}

function origin(branch: string | null, commit: string | null, culprits: readonly string[]): string | null {
  const parts = [branch, commit, culprits.length === 0 ? null : `by ${culprits.join(', ')}`].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join(' ')
}

function failedTests(summary: unknown): string | null {
  const { failed, total, failed_tests } = objectOrNothing(summary)
  const count = numberOf(failed)
  if (count === null || count === 0) return null
  const all = numberOf(total)
  const names = textsOf(failed_tests).slice(0, MAX_TESTS)
  return `Failed tests: ${count}${all === null ? '' : ` of ${all}`}${names.length === 0 ? '' : `: ${names.join(', ')}`}`
}
