/**
 * GitLab: pipeline events, sent at every change of a pipeline's status. A later pipeline of the
 * same branch, or a retry of the same pipeline, ends a failure.
 *
 * Source: docs/design/inbound-sources.md#s24; docs.gitlab.com, webhook events. Samples:
 * test/fixtures/sources/gitlab/
 */
import { branchesSetting, firstLine, isWatched } from '../branches.ts'
import { isHmac, isSame, textSetting } from '../proof.ts'
import {
  addressPart,
  flag,
  ignored,
  instant,
  labelsOf,
  link,
  linksOf,
  listOrNothing,
  numberOf,
  object,
  objectOrNothing,
  optionalText,
  paragraphs,
  single,
  text
} from '../readers.ts'
import type { Delivery, Json, SequencedEvent, Source, SourceInput } from '../source.ts'
import { curl, incomingUrl } from '../source-text.ts'

const MAX_JOBS = 20
/** How far the time in a signed delivery may differ from the door's time. */
const TOLERANCE_MS = 300_000

const sample = {
  object_kind: 'pipeline',
  object_attributes: {
    id: 53480,
    ref: 'main',
    tag: false,
    sha: 'e2b9fff8bb1f4a7c7036b348963358bd74457cc2',
    source: 'push',
    status: 'failed',
    finished_at: '2026-10-05 12:00:00 UTC',
    url: 'https://gitlab.example.test/acme/shop/-/pipelines/53480'
  },
  merge_request: null,
  user: { username: 'ada' },
  project: { id: 105, path_with_namespace: 'acme/shop', web_url: 'https://gitlab.example.test/acme/shop', default_branch: 'main' },
  commit: { title: 'Fix tax rounding' },
  builds: [{ id: 9, stage: 'test', name: 'unit', status: 'failed', allow_failure: false, failure_reason: 'script_failure' }]
}

export const source: Source = {
  kind: 'gitlab',
  title_tells_state: true,
  about: {
    name: 'GitLab',
    description: 'Failed pipelines of GitLab CI/CD, from the webhook of a project or a group with pipeline events.',
    severity_map: { failed: 'critical' },
    resolves_when: 'A later pipeline of the same branch, or a retry of the failed one, ends in success.',
    sample,
    instructions: (publicUrl, token) => [
      {
        title: 'Webhook',
        language: 'text',
        text: `Project or group > Settings > Webhooks > Add new webhook
  URL:           ${incomingUrl(publicUrl, token)}
  Secret token:  the secret of this integration (or a signing token, from GitLab 19)
  Trigger:       Pipeline events, and nothing else; no custom webhook template
`
      },
      curl('Try it', incomingUrl(publicUrl, token), sample, ['X-Gitlab-Event: Pipeline Hook'])
    ]
  },
  headers: ['x-gitlab-token', 'x-gitlab-event-uuid', 'idempotency-key', 'webhook-id', 'webhook-timestamp', 'webhook-signature'],
  options: { branches: branchesSetting('the default branch of the project') },
  verify: {
    settings: {
      secret: { type: 'text', secret: true, description: 'The secret token of the webhook.' },
      signing_token: {
        type: 'text',
        secret: true,
        pattern: '^whsec_[A-Za-z0-9+/]+={0,2}$',
        description: 'The signing token of the webhook, from GitLab 19: whsec_ and base64.'
      }
    },
    check: proofFault
  },
  sequence: 'position',
  parse(input) {
    const body = single(input.body)
    if (text(body.object_kind, 'object_kind') !== 'pipeline') return [ignored('event')]
    return [toEvent(body, object(body.object_attributes, 'object_attributes'), input)]
  }
}

/**
 * Checks the signature when a signing token is stored and the delivery has one. A delivery without
 * a signature must still pass the check of the secret token.
 */
function proofFault(delivery: Delivery): string | null {
  const { headers, settings } = delivery
  const secret = textSetting(settings, 'secret')
  const signingToken = textSetting(settings, 'signing_token')
  if (signingToken !== null && headers['webhook-signature'] !== undefined) return signatureFault(delivery, signingToken)
  if (secret === null) return signingToken === null ? null : 'The header webhook-signature is missing: set the signing token of the webhook'
  const presented = headers['x-gitlab-token']
  if (presented === undefined) return 'The header X-Gitlab-Token is missing: set the secret token of the webhook'
  return isSame(presented, secret) ? null : 'The secret token is wrong'
}

/**
 * Checks a signature of Standard Webhooks: HMAC-SHA256 of id.timestamp.body. The header may hold
 * several signatures, separated by blanks.
 */
function signatureFault({ bytes, headers, received_at }: Delivery, signingToken: string): string | null {
  const id = headers['webhook-id'] ?? ''
  const timestamp = headers['webhook-timestamp'] ?? ''
  const at = instant(timestamp)
  if (at === null || Math.abs(received_at - at) > TOLERANCE_MS) return 'webhook-timestamp is more than 5 minutes off'
  const key = Buffer.from(signingToken.replace(/^whsec_/, ''), 'base64')
  const signatures = (headers['webhook-signature'] ?? '').split(' ', 16)
  const matches = signatures.some((one) => one.startsWith('v1,') && isHmac(one.slice(3), 'base64', key, `${id}.${timestamp}.`, bytes))
  return matches ? null : 'The signature does not match'
}

const actions: ReadonlyMap<string | null, 'fire' | 'resolve'> = new Map([
  ['failed', 'fire'],
  ['success', 'resolve']
])

/** Final statuses that are neither a failure nor a recovery. Any other status is not final. */
const indecisive: ReadonlySet<string> = new Set(['canceled', 'skipped', 'manual'])

function toEvent(body: Json, pipeline: Json, { headers, options }: SourceInput): SequencedEvent {
  const status = text(pipeline.status, 'object_attributes.status')
  const action = actions.get(status)
  if (action === undefined) return ignored(indecisive.has(status) ? status : 'not_finished')
  const from = optionalText(pipeline.source)
  if (from === 'parent_pipeline') return ignored('child_pipeline')
  if (from === 'merge_request_event' || body.merge_request) return ignored('merge_request')
  if (flag(pipeline.tag)) return ignored('tag')
  const project = objectOrNothing(body.project)
  const ref = text(pipeline.ref, 'object_attributes.ref')
  const main = optionalText(project.default_branch)
  if (!isWatched(options, ref, main === null ? [] : [main])) return ignored('branch')
  const path = optionalText(project.path_with_namespace) ?? optionalText(project.name) ?? 'GitLab'
  const commit = objectOrNothing(body.commit)
  const author = optionalText(objectOrNothing(body.user).username) ?? optionalText(objectOrNothing(body.user).name)
  return {
    action,
    reason: null,
    dedup_key: `${optionalText(project.id) ?? text(project.path_with_namespace, 'project.id')}:${ref}`,
    title: `${path}: pipeline ${action === 'fire' ? 'failed' : 'passed'} on ${ref}`,
    description: paragraphs(
      optionalText(commit.title) ?? firstLine(optionalText(commit.message)),
      author === null ? null : `by ${author}`,
      failedJobs(body.builds)
    ),
    severity: main === null || ref === main ? 'critical' : 'warning',
    source_severity: status,
    occurred_at: instant(pipeline.finished_at),
    // A retry keeps the id; then the finish time decides.
    sequence: numberOf(pipeline.id),
    delivery_id: deliveryId(headers, status),
    labels: labelsOf({ project: path, branch: ref, source: from, pipeline: pipeline.name, commit: pipeline.sha, user: author }),
    links: linksOf(link('Pipeline', pipelineUrl(pipeline, project)), link('Commit', commit.url))
  }
}

function deliveryId(headers: SourceInput['headers'], status: string): string | null {
  const event = optionalText(headers['x-gitlab-event-uuid'])
  return optionalText(headers['idempotency-key']) ?? (event === null ? null : `${event}:${status}`)
}

/** Older versions do not send the address of the pipeline. */
function pipelineUrl(pipeline: Json, project: Json): string | null {
  const id = optionalText(pipeline.id)
  const page = optionalText(project.web_url)
  return optionalText(pipeline.url) ?? (id === null || page === null ? null : `${page}/-/pipelines/${addressPart(id)}`)
}

/** Jobs that are allowed to fail are left out: they did not make the pipeline fail. */
function failedJobs(builds: unknown): string | null {
  const failed: string[] = []
  for (const build of listOrNothing(builds)) {
    const { status, allow_failure, stage, name, failure_reason } = objectOrNothing(build)
    if (status !== 'failed' || flag(allow_failure)) continue
    const reason = optionalText(failure_reason)
    failed.push(
      `${[stage, name]
        .map(optionalText)
        .filter((part) => part !== null)
        .join('/')}${reason === null ? '' : ` (${reason})`}`
    )
    if (failed.length === MAX_JOBS) break
  }
  return failed.length === 0 ? null : `Failed jobs: ${failed.join(', ')}`
}
