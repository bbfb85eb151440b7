/** Reads from a payload what people are shown, for each kind of channel, as the vendor reads it. */
import type { HttpRequest, MailRequest, SendRequest } from '../../../services/channels/channel.ts'
import type { Look, Shown } from './picture-svg.ts'

type Json = Record<string, unknown>
type Facts = Shown['facts']

const fieldsIn = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})
const listIn = (value: unknown): Json[] => (Array.isArray(value) ? value.map(fieldsIn) : [])
const textIn = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
const linesIn = (value: unknown): string[] =>
  textIn(value)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Returns the text without markup, tags and escape characters. */
const plain = (value: unknown): string =>
  textIn(value)
    .replace(/<br\s*\/?>|<\/(?:p|h\d|li|tr|div)>/g, '\n')
    .replace(/<(https?:[^|>]+)\|([^>]+)>/g, '$2')
    .replace(/<(https?:[^|>]+)>/g, '$1')
    .replace(/\[([^\]]+)\]\(https?:[^)]+\)/g, '$1')
    .replace(/<[^>]+>/g, '')
    .replace(/\*\*|__|\\(?=[[\]()*_~`>#+.!|{}:-])/g, '')
    .replace(/(^|\s)\*(\S[^*\n]*)\*(?=\s|$)/g, '$1$2')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

const nothing: Shown = { tone: 'bad', title: '', lines: [], facts: [], link: null, buttons: [], over: null }

/** The first line is the title. */
function ofText(text: string, more: Partial<Shown> = {}): Partial<Shown> {
  const [title = '', ...lines] = linesIn(plain(text))
  return { title, lines, ...more }
}

const factsIn = (list: unknown, name: string, value: string): Facts => listIn(list).map((one) => [plain(one[name]), plain(one[value])])

const attachment = (body: Json): Partial<Shown> => {
  const [one] = listIn(body.attachments)
  if (!one) return ofText(textIn(body.text))
  const facts = factsIn(one.fields, 'title', 'value')
  // In Rocket.Chat the headline of a card is in the text above it.
  return { title: plain(body.text) || plain(one.title), lines: linesIn(plain(one.text)), facts }
}

const card = (body: Json): Partial<Shown> => {
  const content = fieldsIn(listIn(body.attachments)[0]?.content)
  const blocks = listIn(content.body)
  const texts = blocks.filter(({ type }) => type === 'TextBlock').map(({ text }) => plain(text))
  const [title = '', ...lines] = texts
  const facts = factsIn(blocks.find(({ type }) => type === 'FactSet')?.facts, 'title', 'value')
  return { title, lines: lines.flatMap(linesIn), facts, link: textIn(listIn(content.actions)[0]?.title) || null }
}

const googleCard = (body: Json): Partial<Shown> => {
  const [one] = listIn(body.cardsV2)
  if (!one) return ofText(textIn(body.text))
  const { header, sections } = fieldsIn(one.card)
  const widgets = listIn(listIn(sections)[0]?.widgets)
  const facts: Facts = widgets.flatMap(({ decoratedText }) => {
    const { topLabel, text } = fieldsIn(decoratedText)
    return topLabel ? [[plain(topLabel), plain(text)] as const] : []
  })
  const lines = widgets.flatMap(({ textParagraph }) => linesIn(plain(fieldsIn(textParagraph).text)))
  const button = widgets.flatMap(({ buttonList }) => listIn(fieldsIn(buttonList).buttons))[0]
  return { over: plain(body.text), title: plain(fieldsIn(header).title), lines, facts, link: textIn(button?.text) || null }
}

/** Reads a message of the Slack app: a header, facts, text and actions. */
function slackApp(blocks: readonly Json[]): Partial<Shown> {
  const [header] = blocks
  const facts: Facts = listIn(blocks.find(({ fields }) => fields)?.fields).map((one) => {
    const [name = '', value = ''] = textIn(one.text).split('\n')
    return [plain(name), plain(value)]
  })
  const words = blocks.find(({ type, text }) => type === 'section' && text)
  const elements = listIn(blocks.find(({ type }) => type === 'actions')?.elements)
  return {
    title: plain(fieldsIn(header?.text).text),
    lines: linesIn(plain(fieldsIn(words?.text).text)),
    facts,
    buttons: elements.map(({ text }) => textIn(fieldsIn(text).text))
  }
}

const slack = (body: Json): Partial<Shown> => {
  const blocks = listIn(body.blocks)
  if (blocks.length === 0) return ofText(textIn(body.text))
  if (blocks[0]?.type === 'header') return slackApp(blocks)
  const section = textIn(fieldsIn(blocks[0]?.text).text)
  const context = listIn(blocks[1]?.elements).map(({ text }) => plain(text))
  const [small = ''] = context
  return ofText(section, {
    facts: small.split(' · ').flatMap((part) => (part.includes(': ') ? [part.split(': ') as [string, string]] : [])),
    link: 'open incident'
  })
}

const discord = (body: Json): Partial<Shown> => {
  const [embed] = listIn(body.embeds)
  if (!embed) return ofText(textIn(body.content))
  return {
    over: plain(body.content) || null,
    title: plain(embed.title),
    lines: linesIn(plain(embed.description)),
    facts: factsIn(embed.fields, 'name', 'value'),
    buttons: listIn(listIn(body.components)[0]?.components).map(({ label }) => textIn(label))
  }
}

/** Returns the text of a Jira document. */
const documentText = (node: unknown): string => {
  const { type, text, content } = fieldsIn(node)
  return type === 'text'
    ? textIn(text)
    : listIn(content)
        .map(documentText)
        .join(type === 'doc' ? '\n' : '')
}

const jira = (body: Json): Partial<Shown> => {
  const { summary, description } = fieldsIn(body.fields)
  return summary
    ? { title: textIn(summary), lines: linesIn(documentText(description)) }
    : ofText(documentText(body.body), { over: 'Done, with a comment' })
}

const formOf = (text: string): Json => Object.fromEntries(new URLSearchParams(text))
const code = (value: unknown): Partial<Shown> => ({ lines: JSON.stringify(value, null, 1).split('\n') })

/** Adds the state as small text above the record. */
const record =
  (read: (body: Json) => Partial<Shown>, opened: string, ended: string) =>
  (body: Json, isEnd: boolean): Partial<Shown> => ({ over: isEnd ? ended : opened, ...read(body) })

type Reader = (body: Json, isEnd: boolean) => Partial<Shown>

const note =
  (title: string, text: string, link: string | null = null): Reader =>
  (body) => ({ title: plain(body[title]), lines: linesIn(plain(body[text])), link: link !== null && body[link] ? 'Open incident' : null })

const trimmed = ({ event, incident, message, severity, monitor_id }: Json): Json => {
  const { key, status, title } = fieldsIn(incident)
  return { event, severity, message, monitor_id, incident: { key, title, status } }
}

const readers: Readonly<Record<string, [Look, Reader]>> = {
  slack: ['bubble', slack],
  discord: ['bubble', discord],
  telegram: ['bubble', (body) => ofText(textIn(body.text))],
  matrix: ['bubble', (body) => ofText(textIn(body.formatted_body) || textIn(body.body))],
  msteams: ['bubble', card],
  googlechat: ['bubble', googleCard],
  mattermost: ['bubble', attachment],
  rocketchat: ['bubble', attachment],
  ntfy: ['note', note('title', 'message', 'click')],
  gotify: ['note', note('title', 'message')],
  apprise: ['note', note('title', 'body')],
  pushbullet: ['note', note('title', 'body', 'url')],
  pushover: ['note', note('title', 'message', 'url')],
  pagerduty: [
    'record',
    record(
      ({ payload }) => ({
        title: textIn(fieldsIn(payload).summary),
        lines: linesIn(fieldsIn(payload).custom_details && textIn(fieldsIn(fieldsIn(payload).custom_details).message))
      }),
      'Triggered',
      'Resolved: the alert of the same key'
    )
  ],
  opsgenie: [
    'record',
    record(
      ({ message, description, note: words }) =>
        message ? { title: textIn(message), lines: linesIn(description) } : ofText(textIn(words)),
      'Open',
      'Closed, with a note'
    )
  ],
  victorops: [
    'record',
    (body) => ({ over: textIn(body.message_type), title: textIn(body.entity_display_name), lines: linesIn(body.state_message) })
  ],
  jira: ['record', record(jira, 'To do', 'Done')],
  zendesk: [
    'record',
    record(
      ({ ticket }) => ({ title: textIn(fieldsIn(ticket).subject), lines: linesIn(fieldsIn(fieldsIn(ticket).comment).body) }),
      'New',
      'Solved, with an internal note'
    )
  ],
  servicenow: [
    'record',
    record(
      (body) => ({ title: textIn(body.short_description), lines: linesIn(body.description ?? body.close_notes) }),
      'New',
      'Resolved, with close notes'
    )
  ],
  freshservice: [
    'record',
    record(
      (body) => ({ title: textIn(body.subject), lines: linesIn(plain(body.description ?? body.body)) }),
      'Open',
      'Resolved, with a private note'
    )
  ],
  linear: [
    'record',
    record(
      ({ variables }) => {
        const input = fieldsIn(fieldsIn(variables).input)
        return input.title ? { title: textIn(input.title), lines: linesIn(plain(input.description)) } : ofText(textIn(input.body))
      },
      'Todo',
      'Done, with a comment'
    )
  ],
  sms: ['phone', (body) => ({ lines: linesIn(body.Body) })],
  voice: [
    'phone',
    (body) => ({
      over: body.Twiml ? 'A voice says' : 'By text message',
      lines: body.Twiml ? linesIn(plain(body.Twiml)) : linesIn(body.Body)
    })
  ],
  webhook: ['code', (body) => code(trimmed(body))],
  sns: ['code', (body) => code(trimmed(fieldsIn(JSON.parse(textIn(body.Message)))))]
}

const ofMail = ({ subject, text }: MailRequest): Partial<Shown> => ({
  title: subject,
  lines: linesIn((text.split('\n-- ')[0] ?? '').split('\n').slice(1).join('\n'))
})

function bodyOf({ body, headers }: HttpRequest): Json {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  return type.includes('form-urlencoded') ? formOf(body ?? '') : fieldsIn(JSON.parse(body ?? '{}'))
}

export const lookOf = (kind: string): Look => (kind === 'email' ? 'mail' : (readers[kind]?.[0] ?? 'bubble'))

/** Reads a payload. Throws for a kind without a reader, and for a payload without text. */
export function shownBy(kind: string, request: SendRequest, isEnd: boolean): Shown {
  const read = readers[kind]?.[1]
  if (request.via === 'http' && !read) throw new Error(`${kind}: nobody knows how its payload is shown`)
  const words = request.via === 'smtp' ? ofMail(request) : (read?.(bodyOf(request), isEnd) ?? {})
  const shown: Shown = { ...nothing, ...words, tone: isEnd ? 'good' : 'bad' }
  if (shown.title === '' && shown.lines.length === 0 && shown.over === null) throw new Error(`${kind}: its payload says nothing`)
  return shown
}
