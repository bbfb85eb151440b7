/** Tests of Jira Cloud: issues by REST v3, and the meaning of its answers. */
import t from 'tap'
import { channel } from '../../../services/channels/kinds/jira.ts'
import { acknowledged, context, drive, hostile, httpOf, INCIDENT, json, message, reply, test, up } from './messages.ts'
import { faultyFields, oneTicket, otherAccount, type Vendor } from './tickets.ts'
import { verdicts } from './verdicts.ts'

const CONFIG = { domain: 'acme', email: 'ops@example.com', api_token: 'ATATT0123456789abcdef', project: 'OPS' }
const ref = { issue_key: 'OPS-7', site: 'acme' }
const one = reply(201, { id: '10007', key: 'OPS-7', self: 'x' })
const noted = reply(201, { id: '1' })
const moved = reply(204)
const status = (key: string) => reply(200, { key: 'OPS-7', fields: { status: { name: 'x', statusCategory: { key } } } })
interface Transition {
  id: string
  to: string
  category?: string
  fields?: object
}
const transitions = (...list: Transition[]) =>
  reply(200, {
    transitions: list.map(({ id, to, category = 'done', fields = {} }) => ({
      id,
      name: to,
      to: { name: to, statusCategory: { key: category } },
      fields
    }))
  })
const usual = transitions(
  { id: '11', to: 'In Progress', category: 'indeterminate' },
  { id: '41', to: "Won't do" },
  { id: '31', to: 'Done' }
)
const ROOT = 'https://acme.atlassian.net/rest/api/3'
const wants = (errors: object) => reply(400, { errorMessages: [], errors })

t.test('each incident gets one issue in Jira', async (t) => {
  const vendor: Vendor = {
    ref,
    opened: one,
    found: reply(200, { issues: [{ id: '10007', key: 'OPS-7' }], isLast: true }),
    none: reply(200, { issues: [], isLast: true }),
    noted,
    gone: reply(404, { errorMessages: ['Issue does not exist'] }),
    ended: [status('new'), usual, moved, noted],
    opens_from: 3
  }
  oneTicket(t, channel, CONFIG, vendor)
  otherAccount(t, channel, CONFIG, vendor)
})

t.test('requests to Jira for a failure, an acknowledgement and an end', async (t) => {
  const { requests } = drive(channel, message(), CONFIG, [one])
  t.match(httpOf(requests[0]), {
    method: 'POST',
    url: `${ROOT}/issue`,
    headers: { authorization: `Basic ${Buffer.from('ops@example.com:ATATT0123456789abcdef').toString('base64')}` },
    guarded: true
  })
  const { fields } = json(requests[0])
  t.match(fields, {
    project: { key: 'OPS' },
    issuetype: { name: 'Task' },
    summary: '[CRITICAL] api.example.com is down',
    labels: [`svc-inc-${INCIDENT}`],
    description: { type: 'doc', version: 1, content: [{ type: 'paragraph', content: [{ type: 'text', text: 'HTTP 503' }] }] }
  })
  t.same(fields.description.content.at(-1).content[0].marks, [{ type: 'link', attrs: { href: 'https://app.example.com/incidents/42' } }])
  t.notOk('priority' in fields, 'some projects have none')
  const looked = drive(channel, message(), CONFIG, [reply(200, { issues: [{ key: 'OPS-7' }] })], {
    at: context({ doubtful: true, attempt: 2 })
  })
  t.equal(httpOf(looked.requests[0]).url, `${ROOT}/search/jql`)
  t.same(json(looked.requests[0]), { jql: `labels = "svc-inc-${INCIDENT}" ORDER BY created DESC`, fields: ['status'], maxResults: 1 })
  const ack = drive(channel, acknowledged(), CONFIG, [noted], { ref })
  t.equal(httpOf(ack.requests[0]).url, `${ROOT}/issue/OPS-7/comment`)
  t.match(json(ack.requests[0]), { body: { content: [{ content: [{ text: 'Acknowledged by Jo Doe.' }] }] } })
  const end = drive(channel, up(), CONFIG, [status('new'), usual, moved, noted], { ref })
  t.same(
    end.requests.map((one) => [httpOf(one).method, httpOf(one).url.slice(ROOT.length)]),
    [
      ['GET', '/issue/OPS-7?fields=status'],
      ['GET', '/issue/OPS-7/transitions?expand=transitions.fields'],
      ['POST', '/issue/OPS-7/transitions'],
      ['POST', '/issue/OPS-7/comment']
    ]
  )
  t.same(json(end.requests[2]), { transition: { id: '31' } }, 'Done is liked best')
  const bug = json(drive(channel, message(), { ...CONFIG, issue_type: 'Bug' }, [one]).requests[0])
  t.equal(bug.fields.issuetype.name, 'Bug')
  const long = json(drive(channel, hostile(), CONFIG, [one]).requests[0]).fields
  t.ok([...long.summary].length <= 255 && JSON.stringify(long.description).length < 32_767)
  t.notMatch(long.summary, '\n')
  const texts: string[] = long.description.content.map((one: { content: { text: string }[] }) => one.content[0]?.text)
  t.ok(texts.every((text) => text !== '' && !text.includes('\n')))
})

t.test('an end moves a Jira issue by a usable transition, or else leaves a note', async (t) => {
  t.same(drive(channel, up(), CONFIG, [status('done'), noted], { ref }).outcome, { outcome: 'delivered' }, 'somebody has ended it')
  const resolution = { resolution: { required: true, allowedValues: [{ name: "Won't Do" }, { name: 'Done' }] } }
  const asked = drive(channel, up(), CONFIG, [status('new'), transitions({ id: '5', to: 'Closed', fields: resolution }), moved, noted], {
    ref
  })
  t.same(json(asked.requests[2]), { transition: { id: '5' }, fields: { resolution: { name: 'Done' } } })
  const unknown = { customfield_1: { required: true } }
  const other = drive(
    channel,
    up(),
    CONFIG,
    [status('new'), transitions({ id: '1', to: 'Done', fields: unknown }, { id: '2', to: 'Gone' }), moved, noted],
    {
      ref
    }
  )
  t.equal(json(other.requests[2]).transition.id, '2', 'what asks for a field that we do not know is no way')
  const none = drive(channel, up(), CONFIG, [status('new'), transitions({ id: '1', to: 'Done', fields: unknown }), noted], { ref })
  t.same(none.outcome, { outcome: 'delivered' })
  t.match(JSON.stringify(json(none.requests[2])), /could not be ended from here: no transition/)
  t.same(drive(channel, up(), CONFIG, [status('new'), usual, wants({ x: 'y' }), noted], { ref }).outcome, { outcome: 'delivered' })
  t.same(drive(channel, test(), CONFIG, [one, status('new'), usual, moved]).outcome, { outcome: 'delivered' })
  t.match(drive(channel, test(), CONFIG, [one, status('new'), transitions()]).outcome, { outcome: 'permanent', scope: 'delivery' })
})

t.test('answers of Jira and their outcomes', async (t) => {
  verdicts(t, channel, CONFIG, [
    [wants({ project: 'valid project is required' }), 'permanent channel'],
    [wants({ issuetype: 'The issue type selected is invalid.' }), 'permanent channel'],
    [wants({ labels: "Field 'labels' cannot be set." }), 'permanent delivery', { user_text: /Labels/ } as never],
    [wants({ customfield_10010: 'Team is required.' }), 'permanent delivery', { user_text: /customfield_10010/ } as never],
    [reply(400, { errorMessages: ['x'], errors: {} }), 'permanent delivery'],
    [reply(201, {}), 'retry', { ambiguous: true }],
    [reply(401), 'permanent channel'],
    [reply(403), 'permanent channel'],
    [reply(404), 'permanent channel'],
    [reply(410), 'permanent channel at once'],
    [reply(413), 'permanent delivery'],
    [reply(429, '', { 'retry-after': '11' }), 'retry', { after_ms: 11_000 }],
    [reply(500), 'retry', { ambiguous: true }]
  ])
})

t.test('accepted, refused and normalised settings of Jira', async (t) => {
  faultyFields(t, channel, [
    [CONFIG, null],
    [{ ...CONFIG, domain: 'https://acme.atlassian.net/jira/projects' }, null],
    [{ ...CONFIG, domain: 'jira.example.com' }, 'domain'],
    [{ ...CONFIG, domain: 'https://acme.atlassian.net:8443@127.0.0.1/' }, 'domain'],
    [{ ...CONFIG, email: 'nobody' }, 'email']
  ])
  t.match(channel.normalise?.({ ...CONFIG, domain: 'Acme.atlassian.net', project: 'ops' }), { domain: 'acme', project: 'OPS' })
  t.equal(channel.target(CONFIG), 'acme.atlassian.net OPS')
})
