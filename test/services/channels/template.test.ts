/**
 * Tests of templates: what is refused, what is filled in, and that channels treat the result as any
 * text.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { MAX_PLACEHOLDERS, MAX_TEMPLATE_BYTES, placeholders, templateFault } from '../../../schemas/http/template-words.ts'
import type { Channel, Message, SendReply } from '../../../services/channels/channel.ts'
import { channels } from '../../../services/channels/kinds/index.ts'
import { sampleMessage } from '../../../services/channels/sample.ts'
import { inWordsOf } from '../../../services/channels/template.ts'
import { bodyOf, titleOf } from '../../../services/channels/words.ts'
import { drive, HOSTILE, incident, json, mailOf, message, NOW, reply, test as testMessage, up } from './messages.ts'

const told = (title: string | null, body: string | null, of: Message = message()): [string, string] => {
  const said = inWordsOf({ title, body }, of)
  return [titleOf(said), bodyOf(said, NOW)]
}

t.test('each resolution reason has its own sentence in the recovery message', async (t) => {
  const { resolution_reasons } = JSON.parse(readFileSync(join(projectRoot, 'docs/design/enumerations.json'), 'utf8')) as {
    resolution_reasons: { values: string[] }
  }
  const said = resolution_reasons.values.map((resolution_reason) => bodyOf(up({ incident: incident({ resolution_reason }) }), NOW))
  for (const [nth, body] of said.entries()) t.match(body, /^[A-Z][a-z ]+[A-Za-z ]*\.$/m, resolution_reasons.values[nth] ?? '')
  t.equal(new Set(said).size, said.length, 'each has a sentence of its own')
})

t.test('valid template texts, and the fault of each invalid one', async (t) => {
  const fault = (text: string) => templateFault(text, MAX_TEMPLATE_BYTES)
  for (const good of [
    'plain',
    '{one} brace',
    '{{ incident.title }}',
    '{{incident.labels.env}}',
    '{{{event}}}',
    '{"a":{"b":"{{event}}"}}',
    '}}'
  ])
    t.equal(fault(good), null, good)
  for (const [text, rule] of [
    ['{{incident.titel}}', 'unknown_placeholder'],
    ['{{}}', 'unknown_placeholder'],
    ['{{constructor}}', 'unknown_placeholder'],
    ['{{incident.labels.}}', 'unknown_placeholder'],
    ['{{incident.labels.a b}}', 'unknown_placeholder'],
    ['{{#each x}}', 'unknown_placeholder'],
    ['{{incident.title', 'pattern'],
    ['{{event}}'.repeat(MAX_PLACEHOLDERS + 1), 'max'],
    ['é'.repeat(MAX_TEMPLATE_BYTES / 2 + 1), 'length']
  ] as const)
    t.equal(fault(text)?.rule, rule, text.slice(0, 40))
  t.match(fault('{{incident.titel}}')?.message, /\{\{incident\.titel\}\}.*incident\.title/)
  t.equal(fault('{{event}}'.repeat(MAX_PLACEHOLDERS)), null)
  t.equal(fault('x'.repeat(MAX_TEMPLATE_BYTES)), null)
})

t.test('every placeholder gets a value in some sample message and is always replaced', async (t) => {
  const whole = { publicUrl: 'https://app.example.com', now: NOW }
  const workspace = { tenant_id: 'x', name: 'Acme', slug: 'acme' }
  const samples = (['down', 'up', 'acknowledged', 'ssl_expiry'] as const).map((event) => sampleMessage(event, workspace, whole))
  for (const name of Object.keys(placeholders)) {
    const texts = samples.map((sample) => told(null, `<{{${name}}}>`, sample)[1])
    t.ok(
      texts.some((text) => text !== '<>'),
      name
    )
    t.notOk(
      texts.some((text) => text.includes('{{')),
      name
    )
  }
})

t.test('placeholder values are inserted as text and not expanded again', async (t) => {
  const odd = message({ incident: incident({ title: '{{workspace.name}} $& $1', labels: { env: 'prod' } }) })
  t.same(told('{{incident.title}}', 'env={{ incident.labels.env }} none={{incident.labels.nothing}}.', odd), [
    '[CRITICAL] {{workspace.name}} $& $1',
    'env=prod none=.'
  ])
  t.same(told('{{incident.priority}}', ' {{incident.priority}} '), told(null, null), 'what comes out empty leaves the own words')
  t.same(told('{{incident.title}} lasted {{incident.duration}}', null, up())[0], '[RESOLVED] api.example.com is down lasted 4m 10s')
  const long = message({ incident: incident({ summary: 'x'.repeat(100_000) }) })
  t.ok(told(null, '{{incident.summary}}'.repeat(MAX_PLACEHOLDERS), long)[1].length <= 65_536)
  t.same(inWordsOf(null, message()), message())
})

/**
 * A kind of channel, its settings, the replies of its vendor, the part of its request that has
 * markup, and what must not be in that part.
 */
type Marked = [keyof typeof channels, object, SendReply[], textOf: (body: ReturnType<typeof json>) => unknown, RegExp]
// A tag, even if only its end is escaped.
const TAGS = /<!channel|<\/b(?:>|&gt;) &/
const MENTIONS = /<!channel>|@everyone/
const marked: Marked[] = [
  ['slack', { webhook_url: 'https://hooks.slack.com/services/T0/B0/x' }, [reply(200, 'ok')], (body) => body, TAGS],
  ['telegram', { bot_token: 'x', chat_id: '-1001234567890' }, [reply(200, { ok: true })], ({ text }) => text, TAGS],
  [
    'matrix',
    { homeserver_url: 'https://matrix.example.org', access_token: 'x', room_id: '!room:example.org' },
    [reply(200, { versions: ['v1.11'] }), reply(200, { event_id: '$1' })],
    ({ formatted_body }) => formatted_body,
    TAGS
  ],
  [
    'googlechat',
    { webhook_url: 'https://chat.googleapis.com/v1/spaces/A/messages' },
    [reply(200, {})],
    ({ text, cardsV2 }) => [text, cardsV2[0].card.sections[0].widgets[0].textParagraph.text],
    TAGS
  ],
  [
    'mattermost',
    { webhook_url: `https://chat.example.com/hooks/${'a'.repeat(26)}` },
    [reply(200, 'ok')],
    ({ attachments }) => [attachments[0].title, attachments[0].text],
    MENTIONS
  ]
]

t.test('chats and mail escape the text of a filled-in template', async (t) => {
  const filled = inWordsOf(
    { title: '{{incident.title}}', body: HOSTILE.slice(0, 200) },
    message({ incident: incident({ title: HOSTILE.slice(0, 120) }) })
  )
  for (const [name, config, replies, textOf, dangerous] of marked) {
    const { requests } = drive(channels[name] as Channel, filled, config, replies)
    const text = JSON.stringify(textOf(json(requests.at(-1))))
    t.match(text, /everyone.*everyone/, `${name} sends the title and the body of the template`)
    t.notMatch(text, dangerous, name)
  }
  const mail = mailOf(drive(channels.email as Channel, filled, { recipient: 'ops@example.com' }, [reply(250)]).requests[0])
  t.match(mail.html, /everyone.*everyone/s)
  t.notMatch(mail.html, TAGS)
  t.notMatch(mail.subject, /[\r\n]/)
})

t.test('the title of a test message contains [TEST]', async (t) => {
  t.match(titleOf(testMessage()), /\[TEST\]/)
})
