/**
 * A project of Jira Cloud with the usual workflow, as in docs/design/outbound-channels.md#s3-21.
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

type Config = { domain: string; email: string; api_token: string; project: string }

interface Issue {
  key: string
  labels: string[]
  status: 'new' | 'done'
}

const ROOT = '/rest/api/3'
const FIELDS = new Set(['project', 'issuetype', 'summary', 'labels', 'description'])
const DONE = '31'

const failed = (status: number, ...errorMessages: string[]): Answer =>
  refused(status, errorMessages.join(', '), { errorMessages, errors: {} })
const invalid = (field: string, message: string): Answer =>
  refused(400, `${field}: ${message}`, { errorMessages: [], errors: { [field]: message } })

const nodesOf = (node: unknown): Record<string, unknown>[] => {
  const one = (node ?? {}) as { content?: unknown[] }
  return [one as Record<string, unknown>, ...(one.content ?? []).flatMap(nodesOf)]
}

/**
 * Tells whether a document is one that Jira accepts: paragraphs of non-empty texts without line
 * feeds.
 */
function isDocument(value: unknown): boolean {
  const doc = (value ?? {}) as Record<string, unknown>
  if (doc.type !== 'doc' || doc.version !== 1 || !Array.isArray(doc.content) || doc.content.length === 0) return false
  const nodes = nodesOf(doc).slice(1)
  const known = nodes.every(({ type }) => type === 'paragraph' || type === 'text')
  const texts = nodes.filter(({ type }) => type === 'text')
  return known && texts.length > 0 && texts.every(({ text }) => isText(text, 32_767) && !text.includes('\n'))
}

/** Returns the refusal of an issue; null if it has no fault. */
function issueFault(fields: Record<string, unknown>, project: string): Answer | null {
  const strange = Object.keys(fields).find((name) => !FIELDS.has(name))
  if (strange !== undefined) return invalid(strange, `Field '${strange}' cannot be set. It is not on the appropriate screen, or unknown.`)
  const { summary, labels = [], description } = fields
  if ((fields.project as { key?: unknown })?.key !== project) return invalid('project', 'valid project is required')
  if (!['Task', 'Bug'].includes(String((fields.issuetype as { name?: unknown })?.name)))
    return invalid('issuetype', 'Specify a valid issue type')
  if (!isText(summary, 255) || summary.includes('\n'))
    return invalid('summary', 'The summary is invalid because it contains newline characters or is too long.')
  if (!Array.isArray(labels) || !labels.every((label) => isText(label, 255) && !/\s/.test(label)))
    return invalid('labels', "The label can't contain spaces.")
  return isDocument(description) ? null : invalid('description', 'Operation value must be an Atlassian Document')
}

export const contract: Contract<Config> = {
  config: () => ({ domain: 'acme', email: 'ops@example.com', api_token: 'ATATT0123456789abcdef', project: 'OPS' }),
  rotated: () => ({ domain: 'acme', email: 'ops@example.com', api_token: 'ATATT9876543210fedcba', project: 'OPS' }),
  vendor({ email, api_token, project }) {
    const issues = new Map<string, Issue>()
    const open = new Map<string, Asked>()

    function created(asked: Asked, body: Record<string, unknown>): Answer {
      const fields = (body.fields ?? {}) as Record<string, unknown>
      const fault = issueFault(fields, project)
      if (fault) return fault
      const key = `${project}-${issues.size + 1}`
      issues.set(key, { key, labels: fields.labels as string[], status: 'new' })
      open.set(key, asked)
      return took('issue', { id: String(10_000 + issues.size), key, self: 'https://acme.atlassian.net/rest/api/3/issue/1' }, 201)
    }

    function changed(issue: Issue, what: string, method: string, body: Record<string, unknown> | null): Answer {
      if (what === '' && method === 'GET')
        return took('read', { key: issue.key, fields: { status: { statusCategory: { key: issue.status } } } })
      if (what === '/transitions' && method === 'GET') {
        const to = { name: 'Done', statusCategory: { key: 'done' } }
        return took('transitions', { transitions: issue.status === 'done' ? [] : [{ id: DONE, name: 'Done', to, fields: {} }] })
      }
      if (method !== 'POST' || body === null) return failed(405, 'Method not allowed')
      if (what === '/comment')
        return isDocument(body.body) ? took('comment', { id: '1' }, 201) : invalid('comment', 'Comment body is not valid!')
      if (what !== '/transitions') return failed(404, 'null for uri')
      if (issue.status === 'done' || String((body.transition as { id?: unknown })?.id) !== DONE)
        return failed(400, 'Transition id is not valid for this issue.')
      issue.status = 'done'
      open.delete(issue.key)
      return took('to done', '', 204)
    }

    const vendor = (asked: Asked): Answer => {
      const { pathname } = new URL(asked.path, 'http://contract')
      if (asked.headers.authorization !== `Basic ${Buffer.from(`${email}:${api_token}`).toString('base64')}`)
        return refused(401, 'another token', 'Client must be authenticated to access this resource.')
      const body = jsonIn(asked)
      if (asked.method !== 'GET' && body === null) return failed(415, 'no JSON')
      if (body !== null && asked.method === 'POST' && pathname === `${ROOT}/issue`) return created(asked, body)
      if (body !== null && asked.method === 'POST' && pathname === `${ROOT}/search/jql`) {
        const [, label, open] = /^labels = "([^"]+)"( AND statusCategory != Done)? ORDER BY created DESC$/.exec(String(body.jql)) ?? []
        if (label === undefined) return failed(400, 'Error in the JQL Query')
        return took('look', {
          issues: [...issues.values()]
            .filter(({ labels, status }) => labels.includes(label) && (open === undefined || status !== 'done'))
            .map(({ key }) => ({ id: '1', key })),
          isLast: true
        })
      }
      if (pathname === `${ROOT}/search`) return failed(410, 'The requested API has been removed.')
      const [, key = '', what = ''] = /^\/rest\/api\/3\/issue\/([A-Z0-9]+-\d+)(\/\w+)?$/.exec(pathname) ?? []
      const issue = issues.get(key)
      return issue ? changed(issue, what, asked.method, body) : failed(404, 'Issue does not exist or you do not have permission to see it.')
    }
    return holding(vendor, open)
  },
  faults: { '400': { answer: { status: 400, body: { errorMessages: [], errors: { customfield_10010: 'Team is required.' } } } } },
  wrong: {
    'another token': withHeader('authorization', `Basic ${Buffer.from('ops@example.com:x').toString('base64')}`),
    'a description in plain text': withJson((body) => ({ fields: { ...(body.fields as object), description: 'down' } })),
    'a text that is empty': withJson((body) => ({
      fields: {
        ...(body.fields as object),
        description: { type: 'doc', version: 1, content: [{ type: 'paragraph', content: [{ type: 'text', text: '' }] }] }
      }
    })),
    'a label with a space': withJson((body) => ({ fields: { ...(body.fields as object), labels: ['a b'] } })),
    'another project': withJson((body) => ({ fields: { ...(body.fields as object), project: { key: 'NONE' } } })),
    'a title that is too long': withJson((body) => ({ fields: { ...(body.fields as object), summary: 'x'.repeat(256) } })),
    'a field that is not on the screen': withJson((body) => ({ fields: { ...(body.fields as object), priority: { name: 'Highest' } } })),
    'another path': withPath(() => '/rest/api/2/issues')
  },
  checked: 'the Python client `jira`: what it sends is taken by the same contract server',
  row: {
    create: 'nothing → saved',
    test: 'issue, read, transitions, to done → arrived',
    down: 'issue → sent',
    update: 'comment → sent',
    acknowledge: 'comment → sent',
    recover: 'read, transitions, to done, comment → sent',
    rotate: 'issue → sent',
    '400': '400 → failed',
    '401': '3× 401 → failed, channel off',
    '404': '3× 404 → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), issue → sent',
    '500': '500, 2× look, issue → sent',
    timeout: 'no answer, 2× look, issue → sent',
    malformed: 'nonsense, 2× look, issue → sent'
  }
}
