/**
 * CircleCI: completed workflows, from an outbound webhook. A later pipeline (or a rerun) of the
 * same workflow on the same branch ends a failure.
 *
 * Source: docs/design/inbound-sources.md#s26; circleci.com/docs, outbound webhooks reference.
 * Samples: test/fixtures/sources/circleci/
 */
import { branchesSetting, firstLine, isWatched } from '../branches.ts'
import { isHmac, textSetting } from '../proof.ts'
import {
  flag,
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
  text
} from '../readers.ts'
import type { Json, SequencedEvent, Source, SourceInput } from '../source.ts'
import { curl, incomingUrl } from '../source-text.ts'

/** Used when the default branch is unknown: only GitLab's projects send it, and not all of them. */
const USUAL_BRANCHES = ['main', 'master']

const sample = {
  type: 'workflow-completed',
  id: '6d0c2b1a-0001-4000-8000-00000000c1c1',
  happened_at: '2026-10-05T12:00:00.317Z',
  webhook: { id: 'wh-1', name: 'service' },
  project: { id: 'pr-1', name: 'shop', slug: 'github/acme/shop' },
  organization: { id: 'org-1', name: 'acme' },
  workflow: {
    id: 'wf-9',
    name: 'build-test',
    stopped_at: '2026-10-05T12:00:00Z',
    url: 'https://app.circleci.com/pipelines/github/acme/shop/130/workflows/wf-9',
    status: 'failed'
  },
  pipeline: { id: 'pl-1', number: 130, vcs: { branch: 'main', revision: '1f2e3d4c', commit: { subject: 'Fix tax rounding' } } }
}

export const source: Source = {
  kind: 'circleci',
  title_tells_state: true,
  about: {
    name: 'CircleCI',
    description: 'Failed workflows, from an outbound webhook of a project with the event "Workflow Completed".',
    severity_map: { failed: 'critical', error: 'critical' },
    resolves_when: 'A later pipeline of the same workflow and branch, or a rerun of the failed one, ends in success.',
    sample,
    instructions: (publicUrl, token) => [
      {
        title: 'Webhook',
        language: 'text',
        text: `Project Settings > Webhooks > Add Webhook
  Receiver URL:  ${incomingUrl(publicUrl, token)}
  Events:        Workflow Completed
  Secret token:  the secret of this integration
`
      },
      curl('Try it', incomingUrl(publicUrl, token), sample, ['circleci-event-type: workflow-completed'])
    ]
  },
  headers: ['circleci-signature'],
  options: { branches: branchesSetting('the default branch where CircleCI names it, else main and master') },
  verify: {
    settings: { secret: { type: 'text', secret: true, description: 'The secret token of the webhook.' } },
    check({ bytes, headers, settings }) {
      const secret = textSetting(settings, 'secret')
      if (secret === null) return null
      // Signatures of several versions, separated by commas. A value may contain more equals signs.
      const parts = (headers['circleci-signature'] ?? '').split(',', 16).map((part) => part.trim())
      const v1 = parts.find((part) => part.startsWith('v1='))
      if (v1 === undefined) return 'The header circleci-signature has no v1: set the secret token of the webhook'
      return isHmac(v1.slice('v1='.length), 'hex', secret, bytes) ? null : 'The signature does not match'
    }
  },
  sequence: 'position',
  parse(input) {
    const body = single(input.body)
    const type = text(body.type, 'type')
    if (type !== 'workflow-completed') return [ignored(type === 'ping' ? 'test' : 'event')]
    return [toEvent(body, object(body.workflow, 'workflow'), input)]
  }
}

const actions: ReadonlyMap<string, 'fire' | 'resolve'> = new Map([
  ['failed', 'fire'],
  ['error', 'fire'],
  ['success', 'resolve']
])

function toEvent(body: Json, workflow: Json, { options }: SourceInput): SequencedEvent {
  const status = text(workflow.status, 'workflow.status')
  const action = actions.get(status)
  if (action === undefined) return ignored(status === 'canceled' || status === 'unauthorized' ? status : 'unknown_status')
  const project = objectOrNothing(body.project)
  const pipeline = objectOrNothing(body.pipeline)
  const { branch, main, isFork } = originOf(pipeline)
  if (isFork) return ignored('fork')
  if (!isWatched(options, branch, main === null ? USUAL_BRANCHES : [main])) return ignored('branch')
  const slug = optionalText(project.slug) ?? text(project.id, 'project.slug')
  const name = text(workflow.name, 'workflow.name')
  const vcs = objectOrNothing(pipeline.vcs)
  return {
    action,
    reason: null,
    dedup_key: `${slug}|${name}|${branch ?? ''}`,
    title: `${optionalText(project.name) ?? slug}: ${name} ${action === 'fire' ? 'failed' : 'passed'}${branch === null ? '' : ` on ${branch}`}`,
    description: commitOf(pipeline),
    severity: 'critical',
    source_severity: status,
    occurred_at: instant(workflow.stopped_at) ?? instant(body.happened_at),
    // A rerun keeps the number of its pipeline; then the stop time decides.
    sequence: numberOf(pipeline.number),
    delivery_id: optionalText(body.id),
    labels: labelsOf({
      project: slug,
      workflow: name,
      branch,
      organization: objectOrNothing(body.organization).name,
      commit: vcs.revision
    }),
    links: linksOf(link('Workflow', workflow.url))
  }
}

interface Origin {
  branch: string | null
  /** The default branch. */
  main: string | null
  isFork: boolean
}

/**
 * Reads `vcs` when CircleCI works through GitHub OAuth or Bitbucket Cloud, otherwise
 * `trigger_parameters`, a map by trigger (git, gitlab, github_app …).
 */
function originOf({ vcs, trigger_parameters }: Json): Origin {
  const { branch, tag } = objectOrNothing(vcs)
  const triggers = Object.values(objectOrNothing(trigger_parameters)).map(objectOrNothing)
  const first = (read: (trigger: Json) => string | null): string | null => {
    for (const trigger of triggers) {
      const found = read(trigger)
      if (found !== null) return found
    }
    return null
  }
  return {
    branch:
      optionalText(branch) ??
      first((trigger) => optionalText(trigger.branch)) ??
      first(({ ref }) => headOf(optionalText(ref))) ??
      optionalText(tag) ??
      first((trigger) => optionalText(trigger.tag)),
    main: first((trigger) => optionalText(trigger.default_branch)),
    isFork: triggers.some((trigger) => flag(trigger.is_fork_merge_request))
  }
}

const headOf = (ref: string | null): string | null => (ref?.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null)

function commitOf({ vcs, trigger_parameters }: Json): string | null {
  const commit = objectOrNothing(objectOrNothing(vcs).commit)
  const parts = Object.values(objectOrNothing(trigger_parameters)).map(objectOrNothing)
  const named = parts.find(({ commit_title, commit_message }) => optionalText(commit_title) ?? optionalText(commit_message)) ?? {}
  const subject = optionalText(commit.subject) ?? optionalText(named.commit_title) ?? firstLine(optionalText(named.commit_message))
  const author = optionalText(objectOrNothing(commit.author).name) ?? optionalText(named.commit_author_name)
  return paragraphs(subject, author === null ? null : `by ${author}`)
}
