/**
 * Tests of the dashboard's texts: placeholders are filled, keys look alike, no text is unused, and
 * every area is read through its own function.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import * as account from '../../../services/web/texts/account.ts'
import * as alerts from '../../../services/web/texts/alerts.ts'
import * as analytics from '../../../services/web/texts/analytics.ts'
import * as audit from '../../../services/web/texts/audit.ts'
import * as bulk from '../../../services/web/texts/bulk.ts'
import * as certificates from '../../../services/web/texts/certificates.ts'
import * as channels from '../../../services/web/texts/channels.ts'
import * as chat from '../../../services/web/texts/chat.ts'
import * as checks from '../../../services/web/texts/checks.ts'
import { german } from '../../../services/web/texts/de/german.ts'
import * as deliveries from '../../../services/web/texts/deliveries.ts'
import * as deliveryPages from '../../../services/web/texts/delivery-pages.ts'
import * as escalation from '../../../services/web/texts/escalation.ts'
import * as feed from '../../../services/web/texts/feed.ts'
import * as forms from '../../../services/web/texts/forms.ts'
import * as heartbeatForm from '../../../services/web/texts/heartbeat-form.ts'
import * as heartbeats from '../../../services/web/texts/heartbeats.ts'
import * as held from '../../../services/web/texts/held.ts'
import * as help from '../../../services/web/texts/help.ts'
import * as importTexts from '../../../services/web/texts/import.ts'
import * as inbound from '../../../services/web/texts/inbound.ts'
import * as incidentBulk from '../../../services/web/texts/incident-bulk.ts'
import * as incidentCause from '../../../services/web/texts/incident-cause.ts'
import * as incidentForms from '../../../services/web/texts/incident-forms.ts'
import * as incidentList from '../../../services/web/texts/incident-list.ts'
import * as incidentPage from '../../../services/web/texts/incident-page.ts'
import * as incidents from '../../../services/web/texts/incidents.ts'
import * as integrationSettings from '../../../services/web/texts/integration-settings.ts'
import * as integrations from '../../../services/web/texts/integrations.ts'
import * as limits from '../../../services/web/texts/limits.ts'
import * as links from '../../../services/web/texts/links.ts'
import * as lists from '../../../services/web/texts/lists.ts'
import * as locations from '../../../services/web/texts/locations.ts'
import * as login from '../../../services/web/texts/login.ts'
import * as lost from '../../../services/web/texts/lost.ts'
import * as mailbox from '../../../services/web/texts/mailbox.ts'
import * as maintenance from '../../../services/web/texts/maintenance.ts'
import * as members from '../../../services/web/texts/members.ts'
import * as monitorBulk from '../../../services/web/texts/monitor-bulk.ts'
import * as monitorDetails from '../../../services/web/texts/monitor-details.ts'
import * as monitorForm from '../../../services/web/texts/monitor-form.ts'
import * as monitorGroups from '../../../services/web/texts/monitor-groups.ts'
import * as monitorList from '../../../services/web/texts/monitor-list.ts'
import * as monitorPage from '../../../services/web/texts/monitor-page.ts'
import * as monitorWhy from '../../../services/web/texts/monitor-why.ts'
import * as monitorWords from '../../../services/web/texts/monitor-words.ts'
import * as monitors from '../../../services/web/texts/monitors.ts'
import * as names from '../../../services/web/texts/names.ts'
import * as onCall from '../../../services/web/texts/on-call.ts'
import * as overview from '../../../services/web/texts/overview.ts'
import * as plots from '../../../services/web/texts/plots.ts'
import * as policies from '../../../services/web/texts/policies.ts'
import * as policyChoice from '../../../services/web/texts/policy-choice.ts'
import * as postmortemPage from '../../../services/web/texts/postmortem-page.ts'
import * as postmortems from '../../../services/web/texts/postmortems.ts'
import * as ranges from '../../../services/web/texts/ranges.ts'
import * as reach from '../../../services/web/texts/reach.ts'
import * as roles from '../../../services/web/texts/roles.ts'
import * as routing from '../../../services/web/texts/routing.ts'
import * as rules from '../../../services/web/texts/rules.ts'
import * as search from '../../../services/web/texts/search.ts'
import * as settings from '../../../services/web/texts/settings.ts'
import * as setup from '../../../services/web/texts/setup.ts'
import * as shell from '../../../services/web/texts/shell.ts'
import * as silences from '../../../services/web/texts/silences.ts'
import * as states from '../../../services/web/texts/states.ts'
import * as status from '../../../services/web/texts/status.ts'
import * as strip from '../../../services/web/texts/strip.ts'
import * as teamMarks from '../../../services/web/texts/team-marks.ts'
import * as teams from '../../../services/web/texts/teams.ts'
import * as templates from '../../../services/web/texts/templates.ts'
import { filled, speak } from '../../../services/web/texts/text.ts'
import * as time from '../../../services/web/texts/time.ts'
import * as timeline from '../../../services/web/texts/timeline.ts'
import * as tokens from '../../../services/web/texts/tokens.ts'
import * as undo from '../../../services/web/texts/undo.ts'
import * as wall from '../../../services/web/texts/wall.ts'
import * as warRooms from '../../../services/web/texts/war-rooms.ts'
import * as welcome from '../../../services/web/texts/welcome.ts'
import * as why from '../../../services/web/texts/why.ts'
import * as workspace from '../../../services/web/texts/workspace.ts'
import { messagesIn, textsIn, textsPage, wordsIn } from './texts-page.ts'

/** The texts of each area, by the name of its file. */
const areas: Readonly<Record<string, object>> = {
  account,
  alerts,
  analytics,
  audit,
  bulk,
  certificates,
  channels,
  chat,
  checks,
  deliveries,
  'delivery-pages': deliveryPages,
  escalation,
  feed,
  forms,
  'heartbeat-form': heartbeatForm,
  heartbeats,
  held,
  help,
  import: importTexts,
  inbound,
  'incident-bulk': incidentBulk,
  'incident-cause': incidentCause,
  'incident-forms': incidentForms,
  'incident-list': incidentList,
  'incident-page': incidentPage,
  incidents,
  'integration-settings': integrationSettings,
  integrations,
  limits,
  links,
  lists,
  locations,
  login,
  lost,
  mailbox,
  maintenance,
  members,
  'monitor-bulk': monitorBulk,
  'monitor-details': monitorDetails,
  'monitor-form': monitorForm,
  'monitor-groups': monitorGroups,
  'monitor-list': monitorList,
  'monitor-page': monitorPage,
  'monitor-why': monitorWhy,
  'monitor-words': monitorWords,
  monitors,
  names,
  'on-call': onCall,
  overview,
  plots,
  policies,
  'policy-choice': policyChoice,
  'postmortem-page': postmortemPage,
  postmortems,
  ranges,
  reach,
  roles,
  routing,
  rules,
  search,
  settings,
  setup,
  shell,
  silences,
  states,
  status,
  strip,
  'team-marks': teamMarks,
  teams,
  templates,
  time,
  timeline,
  tokens,
  undo,
  wall,
  'war-rooms': warRooms,
  welcome,
  why,
  workspace
}

const web = join(projectRoot, 'services/web')
const folder = join(web, 'texts')

t.test('placeholders are filled by name', async (t) => {
  t.equal(filled('{count} open, {count} in all; {name}', { count: 3, name: 'Ada {count}' }), '3 open, 3 in all; Ada {count}')
  t.equal(filled('{count} open', {}), '{count} open')
  t.equal(incidentForms.incidentFormsText('resolve.note'), 'Note')
})

/**
 * Returns the keys in calls of `asks`: written out, one of several, or in part, as in
 * `event.${one}`.
 */
function asked(source: string, asks: string): { keys: Set<string>; stems: string[]; ends: string[] } {
  const keys = new Set<string>()
  const stems: string[] = []
  const ends: string[] = []
  for (const { index } of source.matchAll(new RegExp(`\\b${asks}\\(`, 'g'))) {
    let depth = 0
    let end = index + asks.length
    do {
      if (source[end] === '(') depth++
      if (source[end] === ')') depth--
      end++
    } while (depth > 0 && end < source.length)
    const call = source.slice(index, end)
    for (const [, key = ''] of call.matchAll(/'([a-z_]+(?:\.[a-z_]+)+)'/g)) keys.add(key)
    for (const [, stem = ''] of call.matchAll(/`([a-z_.]+\.)\$\{/g)) stems.push(stem)
    for (const [, end = ''] of call.matchAll(/`\$\{\w+\}(\.[a-z_]+)`/g)) ends.push(end)
  }
  return { keys, stems, ends }
}

t.test('every text key is used, has a dotted name, and has a text', async (t) => {
  const sources = readdirSync(web, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('texts/'))
    .map((file) => readFileSync(join(web, file), 'utf8'))
  const all = sources.join('\n')
  const files = readdirSync(folder).flatMap((name) => (name.endsWith('.ts') ? [name.replace(/\.ts$/, '')] : []))
  t.same(files.filter((name) => name !== 'text').sort(), Object.keys(areas).sort(), 'every area is looked at')
  for (const [file, kept] of Object.entries(areas)) {
    const texts = Object.values(kept).find((one): one is Record<string, string> => typeof one === 'object') ?? {}
    const asks = Object.entries(kept).find(([, one]) => typeof one === 'function')?.[0] ?? ''
    t.match(asks, /^[a-z]\w*Text$/, `${file} is asked by a function of its own`)
    const { keys, stems, ends } = asked(all, asks)
    // A key that is written in a table of words counts only if that file uses the area.
    const askers = sources.filter((source) => source.includes(asks)).join('\n')
    for (const [key, value] of Object.entries(texts)) {
      t.match(key, /^[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+$/)
      t.ok(
        keys.has(key) || stems.some((stem) => key.startsWith(stem)) || ends.some((end) => key.endsWith(end)) || askers.includes(`'${key}'`),
        `${file} ${key} is used`
      )
      t.not(value.trim(), '', `${file} ${key} has a text`)
    }
  }
})

const textsOfArea = (kept: object): Readonly<Record<string, string>> =>
  Object.values(kept).find((one): one is Record<string, string> => typeof one === 'object') ?? {}

t.test('a hint of several sentences ends with punctuation', async (t) => {
  const open = (texts: Readonly<Record<string, string>>): string[] =>
    Object.entries(texts).flatMap(([key, text]) =>
      key.endsWith('hint') && /[\p{Ll})}\d][.!?] \p{Lu}/u.test(text) && !/[.?!:…]$/.test(text) ? [`${key}: ${text}`] : []
    )
  t.same(open({ 'a.hint': 'One. Two', 'b.hint': 'One. Two.', 'c.hint': 'one', 'd.word': 'One. Two' }), ['a.hint: One. Two'])
  for (const [area, kept] of Object.entries(areas)) t.same(open(textsOfArea(kept)), [], area)
  for (const [area, texts] of Object.entries(german)) t.same(open(texts), [], `${area}, in German`)
})

/** Returns the placeholder names in braces, sorted. */
const placesOf = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort()

t.test('German texts have the same placeholders and no stale keys, and are shown if chosen', async (t) => {
  t.teardown(() => speak({}))
  let missing = 0
  for (const [file, kept] of Object.entries(areas)) {
    const english = textsOfArea(kept)
    const texts = german[file] ?? {}
    t.ok(Object.keys(texts).length > 0, `${file} has German: services/web/texts/de/${file}.ts, named in german.ts`)
    for (const [key, text] of Object.entries(english)) {
      const said = texts[key]
      if (said === undefined) missing++
      else t.same(placesOf(said), placesOf(text), `${file} ${key}: ${said}`)
    }
    t.same(
      Object.keys(texts).filter((key) => !(key in english)),
      [],
      `${file} has no German for a text that is gone`
    )
    const asks = Object.values(kept).find((one): one is (key: string) => string => typeof one === 'function')
    const [key = ''] = Object.keys(texts)
    speak({ [file]: { [key]: 'so' } })
    t.equal(asks?.(key), 'so', `${file} is asked by its name`)
    speak({})
    t.equal(asks?.(key), english[key], `${file} is English otherwise`)
  }
  t.comment(`${missing} texts have no German yet`)
})

t.test('the page of texts lists texts, words of pages and messages of the API', async (t) => {
  t.same(textsIn("export const a = {\n  'one.two': 'It’s {count}',\n  'one.long':\n    'A \\'text\\'',\n  'b.c': \"Don't\"\n}"), {
    'one.two': 'It’s {count}',
    'one.long': "A 'text'",
    'b.c': "Don't"
  })
  t.same(wordsIn('<p title="A title">Words of a page</p> // Not This One here\n<Button label={x}>Save it</Button>'), [
    'A title',
    'Words of a page',
    'Save it'
  ])
  t.same(messagesIn("throw new ApiError('CONFLICT', 'It has ended') || invalid('name', 'required', 'is missing')"), [
    'CONFLICT: It has ended',
    'required: is missing'
  ])
  const page = textsPage()
  for (const part of ['## Catalogue of the dashboard', '### on-call', '## Said by pages themselves', '## Messages of the API', '## Guides'])
    t.match(page, part)
  const missing = Object.values(areas)
    .flatMap((kept) => Object.values(textsOfArea(kept)))
    .filter((text) => !page.includes(text.replaceAll('|', '\\|')))
  t.same(missing, [])
})
