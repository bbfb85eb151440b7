/**
 * StatusCake, the webhook of a contact group: one change of one uptime test, as a form.
 *
 * The documented fields have no id of the test. Newer requests have TestID, but not every request
 * of a test does. So the address and the name identify a test. The form has no time, so the time of
 * receipt orders events.
 *
 * Source: docs/design/inbound-sources.md#s17,
 * www.statuscake.com/kb/knowledge-base/how-to-use-the-web-hook-url. Samples:
 * test/fixtures/sources/statuscake/
 */
import { hash } from 'node:crypto'
import { isSame, textSetting } from '../proof.ts'
import { type Fields, fieldsOf, ignored, labelsOf, link, linksOf, single, textsOf } from '../readers.ts'
import { type ParsedEvent, type Source, Unparseable } from '../source.ts'
import { curl, incomingUrl } from '../source-text.ts'

const sample = {
  URL: 'https://shop.example.test/',
  Name: 'Shop',
  StatusCode: '503',
  Status: 'Down',
  Tags: 'prod,shop',
  TestID: '6123001',
  Method: 'Website',
  Checkrate: '300',
  IP: '203.0.113.20'
}

export const source: Source = {
  kind: 'statuscake',
  title_tells_state: true,
  about: {
    name: 'StatusCake',
    description: 'The webhook of a contact group, by POST. Put the contact group on each uptime test that should be heard.',
    severity_map: {},
    resolves_when: 'The test’s Status is Up.',
    sample,
    instructions: (publicUrl, token) => [
      {
        title: 'In StatusCake',
        language: 'text',
        text: `Alerting > Contact Groups > New Contact Group
Webhook URL: ${incomingUrl(publicUrl, token)}
Webhook Method: POST

Then choose the contact group in each uptime test.
Set username and api_key of this integration, and the Token that StatusCake makes of them is asked of every delivery.
`
      },
      curl('Try it', incomingUrl(publicUrl, token), sample)
    ]
  },
  default_severity: 'critical',
  key_change: 'statuscake',
  verify: {
    settings: {
      username: { type: 'text', secret: false, description: 'The user name of the StatusCake account.' },
      api_key: { type: 'text', secret: true, description: 'The API key that StatusCake makes its Token with.' }
    },
    check({ body, settings }) {
      const username = textSetting(settings, 'username')
      const api_key = textSetting(settings, 'api_key')
      if (username === null || api_key === null) return 'This integration needs both username and api_key to know the Token'
      const presented = Array.isArray(body) ? null : fieldsOf(single(body)).text('token')
      if (presented === null) return 'Token is missing'
      const expected = hash('md5', username.toLowerCase() + api_key, 'hex')
      return isSame(presented.toLowerCase(), expected) ? null : 'Token is not that of username and api_key'
    }
  },
  parse: ({ body }) => [toEvent(fieldsOf(single(body)))]
}

function toEvent(fields: Fields): ParsedEvent {
  const address = fields.text('url')
  const name = fields.text('name')
  const test = fields.text('testid', 'test_id')
  const status = fields.text('status')
  if (status === null) {
    if (fields.text('token', 'testid', 'url') !== null) return ignored('no alert of an uptime test')
    throw new Unparseable({ path: 'Status', rule: 'required', message: 'expected the fields that StatusCake posts: Status is Up or Down' })
  }
  const state = status.toLowerCase()
  if (state !== 'down' && state !== 'up') return ignored('neither up nor down')
  if (test === null && address === null && name === null)
    throw new Unparseable({ path: 'TestID', rule: 'required', message: 'TestID, or URL and Name, are required' })
  const named = address === null && name === null ? null : `${address ?? ''}|${name ?? ''}`
  const key = named ?? test ?? ''
  const code = fields.text('statuscode', 'status_code')
  const method = fields.text('method')
  const ip = fields.text('ip')
  const facts = [code === null ? null : code === '0' ? 'Timeout' : `Status code ${code}`, method, ip].filter((fact) => fact !== null)
  return {
    action: state === 'down' ? 'fire' : 'resolve',
    reason: null,
    dedup_key: key,
    ...(state === 'up' && test !== null && test !== key && { former_key: test }),
    title: `${name ?? address ?? `Test ${test}`} is ${state}`,
    description: facts.join(', ') || null,
    severity: null,
    source_severity: null,
    occurred_at: null,
    sequence: null,
    delivery_id: null,
    labels: labelsOf({
      test_id: test,
      test: name,
      method,
      status_code: code,
      tags: textsOf(fields.value('tags')).join(','),
      check_rate: fields.text('checkrate', 'check rate')
    }),
    links: linksOf(link('Test', address))
  }
}
