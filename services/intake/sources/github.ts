/**
 * GitHub: completed workflow runs of GitHub Actions, or check suites of any app. A later run of the
 * same workflow on the same branch ends a failure.
 *
 * Source: docs/design/inbound-sources.md#s23; docs.github.com, webhook events and payloads.
 * Samples: test/fixtures/sources/github/
 */
import type { Severity } from '../../../schemas/generated/events.ts'
import { branchesSetting, firstLine, isWatched } from '../branches.ts'
import { isHmac, textSetting } from '../proof.ts'
import {
  addressPart,
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
  text
} from '../readers.ts'
import { type Json, type SequencedEvent, type Source, type SourceInput, Unparseable } from '../source.ts'
import { curl, incomingUrl } from '../source-text.ts'

/** The sequence number has room for this many attempts of a run; GitHub allows 50. */
const MAX_ATTEMPTS = 999

const sample = {
  action: 'completed',
  workflow: { id: 88120, name: 'CI', path: '.github/workflows/ci.yml' },
  workflow_run: {
    id: 900100,
    workflow_id: 88120,
    run_number: 412,
    run_attempt: 1,
    event: 'push',
    status: 'completed',
    conclusion: 'failure',
    head_branch: 'main',
    head_sha: '1f2e3d4c5b6a79880011223344556677889900aa',
    display_title: 'Fix tax rounding',
    html_url: 'https://github.com/acme/shop/actions/runs/900100',
    updated_at: '2026-10-05T12:00:00Z',
    head_repository: { id: 5001, full_name: 'acme/shop' }
  },
  repository: { id: 5001, full_name: 'acme/shop', default_branch: 'main' }
}

export const source: Source = {
  kind: 'github',
  title_tells_state: true,
  about: {
    name: 'GitHub',
    description:
      'Failed workflow runs of GitHub Actions, or failed check suites. Choose one of the two events for the webhook: a failure reported by both is two incidents.',
    severity_map: { failure: 'critical', timed_out: 'critical', startup_failure: 'critical' },
    resolves_when: 'A later run of the same workflow (or check suite of the same app) on the same branch ends in success.',
    sample,
    instructions: (publicUrl, token) => [
      {
        title: 'Webhook',
        language: 'text',
        text: `Repository or organisation > Settings > Webhooks > Add webhook
  Payload URL:   ${incomingUrl(publicUrl, token)}
  Content type:  application/json
  Secret:        the secret of this integration
  Events:        Let me select individual events > Workflow runs, and nothing else
`
      },
      curl('Try it', incomingUrl(publicUrl, token), sample, ['X-GitHub-Event: workflow_run'])
    ]
  },
  headers: ['x-github-event', 'x-github-delivery', 'x-hub-signature-256'],
  options: {
    branches: branchesSetting('the default branch of the repository'),
    events: {
      type: 'choice',
      choices: ['all', 'workflow_run', 'check_suite'],
      default: 'all',
      description: 'Which of the two events is read, for a webhook that must send more than one.'
    }
  },
  verify: {
    settings: { secret: { type: 'text', secret: true, description: 'The secret of the webhook.' } },
    check({ bytes, headers, settings }) {
      const secret = textSetting(settings, 'secret')
      if (secret === null) return null
      const signature = headers['x-hub-signature-256']
      if (signature === undefined) return 'The header X-Hub-Signature-256 is missing: set the secret of the webhook'
      const [scheme, value = ''] = signature.split('=', 2)
      return scheme === 'sha256' && isHmac(value, 'hex', secret, bytes) ? null : 'The signature does not match'
    }
  },
  sequence: 'position',
  parse(input) {
    const body = single(input.body)
    const event = input.headers['x-github-event'] ?? (body.workflow_run ? 'workflow_run' : body.check_suite ? 'check_suite' : undefined)
    if (event === 'ping' || (event === undefined && body.zen !== undefined)) return [ignored('test')]
    if (event === undefined)
      throw new Unparseable({ path: 'workflow_run', rule: 'required', message: 'expected a workflow_run or a check_suite' })
    const wanted = choiceOption(input.options, 'events', 'all')
    if ((event !== 'workflow_run' && event !== 'check_suite') || (wanted !== 'all' && wanted !== event)) return [ignored('event')]
    return [event === 'workflow_run' ? fromRun(body, input) : fromSuite(body, input)]
  }
}

const actions: ReadonlyMap<string | null, 'fire' | 'resolve'> = new Map([
  ['failure', 'fire'],
  ['timed_out', 'fire'],
  ['startup_failure', 'fire'],
  ['success', 'resolve']
])

/** Conclusions that are neither a failure nor a recovery. */
const indecisive: ReadonlySet<string | null> = new Set(['cancelled', 'skipped', 'neutral', 'stale', 'action_required'])

interface Decision {
  action: 'fire' | 'resolve'
  conclusion: string | null
  repository: Json
  name: string
  branch: string | null
  severity: Severity
}

/** Returns the outcome of a run or a suite, or the reason why it is ignored. */
function decide(body: Json, part: Json, { options }: SourceInput): Decision | string {
  const conclusion = optionalText(part.conclusion)
  if (optionalText(body.action) !== 'completed') return 'not_completed'
  const action = actions.get(conclusion)
  if (action === undefined) return conclusion !== null && indecisive.has(conclusion) ? conclusion : 'no_conclusion'
  const repository = objectOrNothing(body.repository)
  const branch = optionalText(part.head_branch)
  const main = optionalText(repository.default_branch)
  if (!isWatched(options, branch, main === null ? [] : [main])) return 'branch'
  const name = optionalText(repository.full_name) ?? optionalText(repository.name) ?? 'GitHub'
  return { action, conclusion, repository, name, branch, severity: main === null || branch === main ? 'critical' : 'warning' }
}

const repositoryId = (repository: Json): string => optionalText(repository.id) ?? text(repository.full_name, 'repository.id')

function fromRun(body: Json, input: SourceInput): SequencedEvent {
  const run = object(body.workflow_run, 'workflow_run')
  const workflow = objectOrNothing(body.workflow)
  const event = optionalText(run.event)
  if (event === 'pull_request' || event === 'pull_request_target') return ignored('pull_request')
  const from = optionalText(objectOrNothing(run.head_repository).id)
  const decision = decide(body, run, input)
  if (typeof decision === 'string') return ignored(decision)
  const { repository, branch } = decision
  const own = optionalText(repository.id)
  if (from !== null && own !== null && from !== own) return ignored('fork')
  const workflowId = optionalText(run.workflow_id) ?? text(workflow.id, 'workflow_run.workflow_id')
  const workflowName = optionalText(workflow.name) ?? optionalText(run.name) ?? optionalText(run.path) ?? 'workflow'
  const runNumber = numberOf(run.run_number)
  const title = optionalText(run.display_title)
  const subject = commitOf(run)
  const attempt = Math.min(numberOf(run.run_attempt) ?? 1, MAX_ATTEMPTS)
  return {
    ...eventOf(decision, input, workflowName, run),
    dedup_key: `wf:${repositoryId(repository)}:${workflowId}:${branch ?? ''}`,
    // An old run that ends late, or is run again, must not undo the outcome of a newer one.
    sequence: runNumber === null ? null : runNumber * (MAX_ATTEMPTS + 1) + attempt,
    description: paragraphs(title, subject === title ? null : subject, by(run.triggering_actor) ?? by(run.actor)),
    labels: labelsOf({ ...toldOf(decision, run), workflow: workflowName, event, actor: objectOrNothing(run.actor).login }),
    links: linksOf(link('Workflow run', run.html_url))
  }
}

function fromSuite(body: Json, input: SourceInput): SequencedEvent {
  const suite = object(body.check_suite, 'check_suite')
  const app = objectOrNothing(suite.app)
  if (numberOf(suite.latest_check_runs_count) === 0) return ignored('empty')
  const decision = decide(body, suite, input)
  if (typeof decision === 'string') return ignored(decision)
  const { repository, branch } = decision
  const appName = optionalText(app.name) ?? optionalText(app.slug) ?? 'checks'
  const sha = optionalText(suite.head_sha)
  const page = optionalText(repository.html_url)
  return {
    ...eventOf(decision, input, appName, suite),
    dedup_key: `cs:${repositoryId(repository)}:${optionalText(app.id) ?? text(app.slug, 'check_suite.app.id')}:${branch ?? ''}`,
    // Ids grow from suite to suite. A suite that is run again keeps its id.
    sequence: numberOf(suite.id),
    description: paragraphs(commitOf(suite)),
    labels: labelsOf({ ...toldOf(decision, suite), app: app.slug }),
    links: linksOf(sha === null || page === null ? null : link('Checks', `${page}/commit/${addressPart(sha)}/checks`))
  }
}

const eventOf = ({ action, conclusion, name, branch, severity }: Decision, { headers }: SourceInput, what: string, part: Json) => ({
  action,
  reason: null,
  title: `${name}: ${what} ${action === 'fire' ? 'failed' : 'passed'}${branch === null ? '' : ` on ${branch}`}`,
  severity,
  source_severity: conclusion,
  occurred_at: instant(part.updated_at),
  delivery_id: optionalText(headers['x-github-delivery'])
})

const toldOf = ({ name, branch }: Decision, part: Json): Json => ({ repository: name, branch, commit: part.head_sha })

const commitOf = (part: Json): string | null => firstLine(optionalText(objectOrNothing(part.head_commit).message))

function by(actor: unknown): string | null {
  const login = optionalText(objectOrNothing(actor).login)
  return login === null ? null : `by ${login}`
}
