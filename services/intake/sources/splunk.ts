/**
 * Splunk, webhook alert action: one body per trigger, with the first row of the results. Splunk
 * itself reports no recovery. By a convention of this source, a row whose field status is
 * "resolved" is one; an integration may also resolve alerts that are not repeated.
 *
 * Source: docs/design/inbound-sources.md#s9; help.splunk.com, Use a webhook alert action. Samples:
 * test/fixtures/sources/splunk/
 */
import { cut, labelsOf, link, linksOf, objectOrNothing, optionalText, severityOf, single, textsOf } from '../readers.ts'
import { type Json, type ParsedEvent, type Source, Unparseable } from '../source.ts'
import { curl, incomingUrl, usualWords } from '../source-text.ts'

const MAX_LINES = 60
/** Limit for a value of the row: a raw event may be huge. */
const MAX_VALUE = 2000

const resolving = new Set(['resolved', 'ok', 'closed', 'cleared'])

const sample = {
  sid: 'scheduler__admin__search__RMD5abc_at_1791201600_88',
  search_name: 'Checkout errors',
  app: 'search',
  owner: 'admin',
  results_link: 'https://splunk.example.test/app/search/@go?sid=scheduler__admin__search__RMD5abc_at_1791201600_88',
  result: {
    host: 'web-1',
    count: '57',
    severity: 'critical',
    dedup_key: 'checkout-errors',
    status: 'firing',
    summary: '57 errors in 5 min'
  }
}

export const source: Source = {
  kind: 'splunk',
  about: {
    name: 'Splunk',
    description:
      'The webhook alert action of Splunk. It has no recovery: let the search give a field status ("resolved" ends the incident), or set auto_resolve_minutes. From Splunk Enterprise 9.0 on the address must be on the webhook allow list.',
    severity_map: usualWords,
    resolves_when: 'The row’s field status is resolved, ok, closed or cleared, with the same dedup_key (or the same search).',
    sample,
    instructions: (publicUrl, token) => [
      {
        title: 'Save As > Alert > Trigger Actions > Webhook',
        language: 'text',
        text: `URL: ${incomingUrl(publicUrl, token)}
Allow list: Settings > Server settings > Webhook allow list
Trigger: For each result, where the rows are separate problems
`
      },
      {
        title: 'A search that also recovers: trigger it always',
        language: 'text',
        text: `index=web status>=500 | stats count
| eval dedup_key="checkout-errors", severity="critical", summary=count." errors in 5 min", status=if(count<5,"resolved","firing")
`
      },
      curl('Try it', incomingUrl(publicUrl, token), sample)
    ]
  },
  parse({ body }) {
    return [toEvent(single(body))]
  }
}

function toEvent(alert: Json): ParsedEvent {
  const row = objectOrNothing(alert.result)
  const search = optionalText(alert.search_name)
  const word = fieldOf(row, 'severity') ?? fieldOf(row, 'log_level') ?? fieldOf(row, 'urgency')
  const status = fieldOf(row, 'status')
  return {
    action: status !== null && resolving.has(status.toLowerCase()) ? 'resolve' : 'fire',
    reason: null,
    dedup_key: keyOf(alert, row, search),
    title: fieldOf(row, 'summary') ?? fieldOf(row, 'title') ?? search ?? 'Splunk alert',
    description: lines(row),
    severity: severityOf(word),
    source_severity: word,
    // The row's time is that of an old event: the time of a recovery may be before that of its
    // alert.
    occurred_at: null,
    sequence: null,
    delivery_id: optionalText(alert.sid),
    labels: labelsOf({
      search,
      app: alert.app,
      owner: alert.owner,
      host: fieldOf(row, 'host'),
      source: fieldOf(row, 'source'),
      sourcetype: fieldOf(row, 'sourcetype'),
      index: fieldOf(row, 'index')
    }),
    links: linksOf(link('Results', alert.results_link))
  }
}

/**
 * Returns the row's own key; else the search; else the host of the results. The search id is never
 * used, because it is new on each run.
 */
function keyOf(alert: Json, row: Json, search: string | null): string {
  const own = fieldOf(row, 'dedup_key')
  if (own !== null) return own
  if (search !== null) return `${optionalText(alert.app) ?? ''}|${optionalText(alert.owner) ?? ''}|${search}`
  const address = link('Results', alert.results_link)
  if (address !== null && URL.canParse(address.url)) return new URL(address.url).host
  throw new Unparseable({
    path: 'search_name',
    rule: 'required',
    message: 'the name of the search, a field dedup_key in the result or a link to the results is required'
  })
}

/** Returns a field of a row: a text, or the texts of a multivalue field. */
function fieldOf(row: Json, name: string): string | null {
  const value = row[name]
  if (!Array.isArray(value)) return optionalText(value)
  const texts = textsOf(value)
  return texts.length === 0 ? null : texts.join(', ')
}

/**
 * Returns the row as lines, without empty fields and Splunk's own fields (except the raw event).
 */
function lines(row: Json): string | null {
  const found: string[] = []
  for (const name in row) {
    if (found.length === MAX_LINES) break
    if (name.startsWith('_') && name !== '_raw') continue
    const value = fieldOf(row, name)
    if (value !== null) found.push(`${name}: ${cut(value, MAX_VALUE)}`)
  }
  return found.length === 0 ? null : found.join('\n')
}
