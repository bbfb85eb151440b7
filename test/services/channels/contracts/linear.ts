/**
 * Linear's GraphQL API, as far as issues need it. Names and types are those of the vendor's own
 * schema; errors and answers follow docs/design/outbound-channels.md#s3-16.
 */
import {
  type Answer,
  type Asked,
  type Contract,
  holding,
  isText,
  jsonIn,
  refused,
  took,
  withHeader,
  withJson,
  withPath
} from '../contract.ts'

type Config = { api_key: string; team_uuid: string }
type Variables = Record<string, unknown>

interface Issue {
  id: string
  identifier: string
  type: string
}

const UUID_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const CREATED = new Set(['id', 'teamId', 'title', 'description', 'priority'])
const DONE = '22222222-2222-4222-8222-222222222222'
const states = [
  { id: '33333333-3333-4333-8333-333333333333', type: 'unstarted', position: 0 },
  { id: '11111111-1111-4111-8111-111111111111', type: 'started', position: 1 },
  { id: DONE, type: 'completed', position: 2 }
]

/** A failed request is answered with 200 or 400. */
const failed = (type: string, message: string, status = 200): Answer =>
  refused(status, message, { data: null, errors: [{ message, extensions: { type, userPresentableMessage: message, userError: true } }] })

const strangeIn = (input: object, known: ReadonlySet<string>): string | undefined => Object.keys(input).find((name) => !known.has(name))

export const contract: Contract<Config> = {
  config: () => ({ api_key: 'lin_api_0123456789abcdef0123456789abcdef', team_uuid: '0f0c4a11-7b11-4aa0-8c3e-5a1d2e3f4a5b' }),
  rotated: () => ({ api_key: 'lin_api_9876543210fedcba9876543210fedcba', team_uuid: '0f0c4a11-7b11-4aa0-8c3e-5a1d2e3f4a5b' }),
  vendor({ api_key, team_uuid }) {
    const issues = new Map<string, Issue>()
    const open = new Map<string, Asked>()

    function created(asked: Asked, input: Variables): Answer {
      const strange = strangeIn(input, CREATED)
      if (strange !== undefined) return failed('graphql error', `Field "${strange}" is not defined by type "IssueCreateInput".`, 400)
      const { id, teamId, title, description, priority } = input
      if (teamId !== team_uuid) return failed('invalid input', 'Entity not found: Team - Could not find referenced Team.')
      if (!isText(title, 255)) return failed('invalid input', 'Argument Validation Error: title')
      if (description !== undefined && typeof description !== 'string')
        return failed('invalid input', 'Argument Validation Error: description')
      if (!Number.isInteger(priority) || Number(priority) < 0 || Number(priority) > 4)
        return failed('invalid input', 'Argument Validation Error: priority')
      if (!UUID_4.test(String(id))) return failed('invalid input', 'Argument Validation Error: id must be a UUID')
      if (issues.has(String(id))) return failed('invalid input', 'Entity Issue with this id already exists')
      const issue = { id: String(id), identifier: `OPS-${issues.size + 1}`, type: 'unstarted' }
      issues.set(issue.id, issue)
      open.set(issue.id, asked)
      return took('issue', { data: { issueCreate: { success: true, issue: { id: issue.id, identifier: issue.identifier } } } })
    }

    function read({ id, identifier, type }: Issue): Answer {
      return took('read', { data: { issue: { id, identifier, state: { type }, team: { states: { nodes: states } } } } })
    }

    const missing = (): Answer => failed('invalid input', 'Entity not found: Issue - Could not find referenced Issue.')

    function answered(asked: Asked, query: string, variables: Variables): Answer {
      const input = (variables.input ?? {}) as Variables
      if (/^mutation \w+\(\$input: IssueCreateInput!\) \{ issueCreate\(/.test(query)) return created(asked, input)
      const issue = issues.get(String(variables.id ?? input.issueId))
      if (/^query \w+\(\$id: String!\) \{ issue\(/.test(query)) return issue ? read(issue) : { ...missing(), did: 'look', refused: false }
      if (/^mutation \w+\(\$input: CommentCreateInput!\) \{ commentCreate\(/.test(query)) {
        if (!issue) return missing()
        return isText(input.body, 100_000)
          ? took('comment', { data: { commentCreate: { success: true } } })
          : failed('invalid input', 'body')
      }
      if (!/^mutation \w+\(\$id: String!, \$input: IssueUpdateInput!\) \{ issueUpdate\(/.test(query))
        return failed('graphql error', 'Syntax Error', 400)
      if (!issue) return missing()
      const state = states.find(({ id }) => id === input.stateId)
      if (!state) return failed('invalid input', 'Entity not found: WorkflowState')
      issue.type = state.type
      if (state.id === DONE) open.delete(issue.id)
      else open.set(issue.id, asked)
      return took(`to ${state.type}`, { data: { issueUpdate: { success: true } } })
    }

    const vendor = (asked: Asked): Answer => {
      if (asked.method !== 'POST' || asked.path !== '/graphql') return refused(404, 'no such path')
      if (asked.headers.authorization !== api_key) return failed('authentication error', 'Authentication required, not authenticated', 401)
      const body = jsonIn(asked)
      if (typeof body?.query !== 'string' || typeof body.variables !== 'object')
        return failed('graphql error', 'Must provide query string', 400)
      return answered(asked, body.query, body.variables as Variables)
    }
    return holding(vendor, open)
  },
  faults: {
    '400': {
      answer: {
        status: 400,
        body: { errors: [{ message: 'Argument Validation Error', extensions: { type: 'invalid input', code: 'INVALID_INPUT' } }] }
      }
    },
    '401': {
      answer: {
        status: 401,
        body: {
          errors: [{ message: 'Authentication required', extensions: { type: 'authentication error', code: 'AUTHENTICATION_ERROR' } }]
        }
      }
    },
    '429': {
      answer: {
        status: 400,
        headers: { 'retry-after': '600' },
        body: { errors: [{ message: 'Rate limit exceeded', extensions: { type: 'ratelimited', code: 'RATELIMITED' } }] }
      },
      times: 1,
      name: '400 RATELIMITED'
    }
  },
  wrong: {
    'another key': withHeader('authorization', 'lin_api_x'),
    'a key as that of OAuth': withHeader('authorization', 'Bearer lin_api_0123456789abcdef0123456789abcdef'),
    'no query': withJson(({ query: _gone, ...rest }) => rest),
    'a field that is none': withJson((body) => {
      const { input } = body.variables as { input: object }
      return { ...body, variables: { input: { ...input, severity: 'critical' } } }
    }),
    'a priority in words': withJson((body) => {
      const { input } = body.variables as { input: object }
      return { ...body, variables: { input: { ...input, priority: 'urgent' } } }
    }),
    'another team': withJson((body) => {
      const { input } = body.variables as { input: object }
      return { ...body, variables: { input: { ...input, teamId: '1f0c4a11-7b11-4aa0-8c3e-5a1d2e3f4a5b' } } }
    }),
    'another path': withPath(() => '/graph')
  },
  checked: "the vendor's own GraphQL schema of July 2026: our four documents and their variables are valid",
  row: {
    create: 'nothing → saved',
    test: 'issue, read, to completed → arrived',
    down: 'issue → sent',
    update: 'comment → sent',
    acknowledge: 'comment → sent',
    recover: 'read, to completed, comment → sent',
    rotate: 'issue → sent',
    '400': '2× 400 → failed',
    '401': '3× 401 → failed, channel off',
    '404': '3× 404 → failed, channel off',
    '413': '2× 413 → failed',
    '429': '400 RATELIMITED, issue → sent',
    '500': '500, look, issue → sent',
    timeout: 'no answer, look, issue → sent',
    malformed: 'nonsense, look, issue → sent'
  }
}
