/**
 * Zabbix, media type webhook: one event of a trigger per body, built by the script and parameters
 * that this source gives out. The parameter names of Zabbix's own media types are read as well.
 * Every value is a text. A recovery has the id of the problem that it ends. Times are in the
 * server's zone without an offset, so the time of receipt orders events.
 *
 * Source: docs/design/inbound-sources.md#s11; zabbix.com/documentation (webhook media type, macros
 * by location). Samples: test/fixtures/sources/zabbix/
 */
import type { Severity } from '../../../schemas/generated/events.ts'
import { secretHeaders, sharedSecret } from '../proof.ts'
import {
  cut,
  fieldsOf,
  innerJson,
  labelsOf,
  link,
  linksOf,
  listOrNothing,
  objectOrNothing,
  optionalText,
  paragraphs,
  severityOf,
  single
} from '../readers.ts'
import { type ParsedEvent, type Source, Unparseable } from '../source.ts'
import { curl, incomingUrl } from '../source-text.ts'

/** {EVENT.NSEVERITY}: 0 not classified, 1 information, 2 warning, 3 average, 4 high, 5 disaster. */
const levels: readonly Severity[] = ['info', 'info', 'warning', 'warning', 'critical', 'critical']
const MAX_TAGS = 60
/** Longer than any title that is stored. */
const MAX_SUBJECT = 2000

const parameters = (publicUrl: string, token: string): string => `url            ${incomingUrl(publicUrl, token)}
secret         (only where this integration has one)
event_id       {EVENT.ID}
event_source   {EVENT.SOURCE}
event_value    {EVENT.VALUE}
update_status  {EVENT.UPDATE.STATUS}
update_action  {EVENT.UPDATE.ACTION}
nseverity      {EVENT.NSEVERITY}
severity       {EVENT.SEVERITY}
name           {EVENT.NAME}
opdata         {EVENT.OPDATA}
subject        {ALERT.SUBJECT}
message        {ALERT.MESSAGE}
trigger_id     {TRIGGER.ID}
host           {HOST.NAME}
host_ip        {HOST.IP}
tags_json      {EVENT.TAGSJSON}
event_time     {EVENT.DATE} {EVENT.TIME}
zabbix_url     {$ZABBIX.URL}
`

const script = `var p = JSON.parse(value), req = new HttpRequest(), url = p.url;
delete p.url;
if (p.HTTPProxy) { req.setProxy(p.HTTPProxy); }
delete p.HTTPProxy;
req.addHeader('Content-Type: application/json');
if (p.secret) { req.addHeader('X-Webhook-Secret: ' + p.secret); }
delete p.secret;
var answer = req.post(url, JSON.stringify(p));
if (req.getStatus() < 200 || req.getStatus() > 299) { throw 'HTTP ' + req.getStatus() + ': ' + answer; }
return 'OK';
`

const sample = {
  event_id: '48213377',
  event_source: '0',
  event_value: '1',
  update_status: '0',
  update_action: '',
  nseverity: '4',
  severity: 'High',
  name: 'High CPU on db-7',
  opdata: 'Load: 31.2',
  subject: 'Problem: High CPU on db-7',
  message: 'Problem started at 12:00:00',
  trigger_id: '18422',
  host: 'db-7',
  host_ip: '192.0.2.7',
  tags_json: '[{"tag":"team","value":"db"}]',
  event_time: '2026.10.05 12:00:00',
  zabbix_url: 'https://zabbix.example.test'
}

export const source: Source = {
  kind: 'zabbix',
  about: {
    name: 'Zabbix',
    description:
      'A media type of type Webhook with the parameters and the script shown here ("Process tags" off). Add recovery operations ("Notify all involved") to the trigger action, or nothing resolves.',
    severity_map: {
      Disaster: 'critical',
      High: 'critical',
      Average: 'warning',
      Warning: 'warning',
      Information: 'info',
      'Not classified': 'info'
    },
    resolves_when: 'event_value is 0 and it is no update, with the same event_id.',
    sample,
    instructions: (publicUrl, token) => [
      { title: 'Alerts > Media types > Create: type Webhook, parameters', language: 'text', text: parameters(publicUrl, token) },
      { title: 'Script', language: 'javascript', text: script },
      curl('Try it', incomingUrl(publicUrl, token), sample)
    ]
  },
  headers: secretHeaders,
  verify: sharedSecret,
  parse({ body }) {
    const fields = fieldsOf(single(body))
    /** A macro that cannot be resolved is sent as *UNKNOWN*. */
    const text = (...names: string[]): string | null => {
      const found = fields.text(...names)
      return found === '*UNKNOWN*' ? null : found
    }
    const value =
      text('event_value', 'event.value', 'eventvalue', 'trigger_value') ?? eventValue(text('event_status', 'trigger_status', 'status'))
    const isTest =
      value === null && fields.unexpanded('event_value', 'event.value', 'event_id', 'event.id', 'event_status', 'status') !== null
    if (value === null && !isTest) {
      throw new Unparseable({ path: 'event_value', rule: 'required', message: 'expected "1" (a problem) or "0" (its end)' })
    }
    const [action, reason] = isTest
      ? (['ignore', 'a test of the media type'] as const)
      : actionOf(value, text('event_source'), text('update_status', 'event_update_status'), text('update_action', 'event_update_action'))
    const address = text('link', 'url')
    const trigger_id = text('trigger_id', 'triggerid') ?? triggerOf(address)
    const host = text('host', 'host_name', 'hostname', 'host.name')
    const event_id = text('event_id', 'event.id', 'eventid')
    const key = event_id ?? (trigger_id === null ? null : `trigger:${trigger_id}:${host ?? ''}`)
    if (key === null && action !== 'ignore') {
      throw new Unparseable({ path: 'event_id', rule: 'required', message: 'the id of the event, or of the trigger, is required' })
    }
    const name = text('name', 'event_name', 'trigger', 'trigger_name') ?? withoutPrefix(text('subject', 'alert_subject', 'title'))
    const level = text('nseverity', 'event_nseverity', 'trigger_nseverity')
    const word = text('severity', 'event_severity', 'trigger_severity')
    return [
      {
        action,
        reason,
        dedup_key: key ?? 'test',
        title: titleOf(name, host),
        description: paragraphs(text('message', 'alert_message', 'description'), text('opdata', 'event_opdata')),
        severity: severityBy(level, word),
        source_severity: word ?? level,
        occurred_at: null,
        // An update of the severity has the problem's id, and is not an exact repeat.
        sequence: null,
        delivery_id: null,
        labels: {
          ...tagsOf(fields.value('tags_json', 'event_tags_json', 'event_tags')),
          ...labelsOf({ host, host_ip: text('host_ip', 'host.ip'), trigger_id })
        },
        links: linksOf(link('Event', address ?? eventUrl(text('zabbix_url', 'zabbixurl'), trigger_id, event_id)))
      }
    ]
  }
}

/** For media types that send a word as the status. */
function eventValue(status: string | null): string | null {
  const word = status?.toUpperCase()
  return word === 'PROBLEM' ? '1' : word === 'OK' || word === 'RESOLVED' ? '0' : null
}

type Decision = readonly [action: ParsedEvent['action'], reason: string | null]

/** An update that does not say what it is counts as a change of the severity. */
const changesSeverity = (update_action: string | null): boolean => update_action === null || /changed severity/i.test(update_action)

function actionOf(value: string | null, event_source: string | null, update_status: string | null, update_action: string | null): Decision {
  // Discovery and autoregistration report what they find, but never its end.
  if (event_source === '1' || event_source === '2') return ['ignore', 'an event of discovery or autoregistration']
  if (value === '1') return update_status === '1' && !changesSeverity(update_action) ? ['ignore', 'an update of a problem'] : ['fire', null]
  if (value !== '0') return ['ignore', 'neither a problem nor its end']
  return update_status === '1' ? ['ignore', 'an update of what is already resolved'] : ['resolve', null]
}

function severityBy(level: string | null, word: string | null): Severity | null {
  const known = level === null ? undefined : levels[Number(level)]
  return known ?? (word?.toLowerCase() === 'not classified' ? 'info' : severityOf(word))
}

const withoutPrefix = (subject: string | null): string | null =>
  subject === null
    ? null
    : cut(subject, MAX_SUBJECT)
        .replace(/^(?:problem|resolved|updated problem|ok)(?: in [^:]{1,40})?: ?/i, '')
        .trim() || null

function titleOf(name: string | null, host: string | null): string {
  if (name === null) return host === null ? 'Zabbix problem' : `Problem on ${host}`
  return host === null || name.includes(host) ? name : `${name} on ${host}`
}

/** Reads the trigger's id from the address of the page that Zabbix's own media types link to. */
const triggerOf = (address: string | null): string | null => /[?&]triggerid=(\d{1,20})/.exec(address?.slice(0, 2048) ?? '')?.[1] ?? null

function eventUrl(zabbix_url: string | null, trigger_id: string | null, event_id: string | null): string | null {
  if (zabbix_url === null || trigger_id === null || event_id === null || !/^\d{1,20}$/.test(trigger_id) || !/^\d{1,20}$/.test(event_id))
    return null
  return `${zabbix_url.endsWith('/') ? zabbix_url.slice(0, -1) : zabbix_url}/tr_events.php?triggerid=${trigger_id}&eventid=${event_id}`
}

/**
 * Reads [{"tag": "team", "value": "db"}], as a text or as JSON. Anything else, such as the plain
 * list of {EVENT.TAGS}, gives no tags: an alert is not refused because of them.
 */
function tagsOf(sent: unknown): Record<string, string> {
  const tags: Record<string, string> = Object.create(null)
  for (const each of listOrNothing(typeof sent === 'string' ? innerJson(sent) : sent).slice(0, MAX_TAGS)) {
    const { tag, value } = objectOrNothing(each)
    const name = optionalText(tag)
    if (name !== null) tags[name] ??= optionalText(value) ?? ''
  }
  return tags
}
