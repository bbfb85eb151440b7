/**
 * Tests of Microsoft Teams: cards in the form that a workflow accepts, and the meaning of its
 * answers.
 */
import t from 'tap'
import { channel as msteams } from '../../../services/channels/kinds/msteams.ts'
import { acknowledged, context, deployment, drive, hostile, httpOf, json, message, reply, test, up } from './messages.ts'
import { faults, verdicts } from './verdicts.ts'

const QUERY = '?api-version=1&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=Ab-cd_EF%2Bgh%2Fij%3D'
const PATH = `/powerautomate/automations/direct/workflows/0123456789abcdef0123456789abcdef/triggers/manual/paths/invoke${QUERY}`
const HOST = 'default0123456789abcdef.01.environment.api.powerplatform.com'
const CONFIG = { webhook_url: `https://${HOST}${PATH}` }
const accepted = reply(202)
const cardOf = (driven: ReturnType<typeof drive>) => json(driven.requests[0]).attachments[0].content

t.test('Teams cards for a failure, an acknowledgement, an end and a test', async (t) => {
  const down = drive(msteams, message(), CONFIG, [accepted])
  t.equal(httpOf(down.requests[0]).url, CONFIG.webhook_url, 'the signature stays byte for byte')
  t.ok(httpOf(down.requests[0]).secrets.includes('Ab-cd_EF+gh/ij='))
  t.same(down.outcome, { outcome: 'delivered' })
  t.match(json(down.requests[0]), {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null }]
  })
  const card = cardOf(down)
  t.match(card, { type: 'AdaptiveCard', version: '1.4', msteams: { width: 'Full' } })
  t.match(card.body[0], { type: 'TextBlock', text: '\\[CRITICAL\\] api.example.com is down', color: 'Attention', wrap: true })
  t.match(card.body[1], { text: 'HTTP 503\n\nHTTP 503 from 3 regions' }, 'lines stand apart')
  t.match(card.body[2], {
    type: 'FactSet',
    facts: [
      { title: 'Incident', value: 'INC-42' },
      { title: 'Severity', value: 'critical' }
    ]
  })
  t.same(card.actions, [{ type: 'Action.OpenUrl', title: 'Open incident', url: 'https://app.example.com/incidents/42' }])
  t.match(cardOf(drive(msteams, acknowledged(), CONFIG, [accepted])).body, [{ color: 'Warning' }, { text: 'Acknowledged by Jo Doe.' }])
  t.match(cardOf(drive(msteams, up(), CONFIG, [accepted])).body[0], { color: 'Good', text: /up again/ })
  const tested = cardOf(drive(msteams, test(), CONFIG, [accepted]))
  t.same([tested.body.length, 'actions' in tested], [2, false])
  const set = { ...deployment, base_urls: { msteams: 'http://127.0.0.1:9' } }
  t.equal(
    httpOf(drive(msteams, test(), CONFIG, [accepted], { at: context({ deployment: set }) }).requests[0]).url,
    `http://127.0.0.1:9${PATH}`
  )
})

t.test('hostile text stays text in a Teams card, within the size limit', async (t) => {
  const sent = drive(msteams, hostile(), CONFIG, [accepted])
  t.ok(Buffer.byteLength(httpOf(sent.requests[0]).body ?? '') <= 20_000)
  for (const { text } of cardOf(sent).body.slice(0, 2)) t.notMatch(text, /(?<!\\)\[a/)
  const stars = cardOf(
    drive(msteams, message({ failure: { reason: null, message: '*\n'.repeat(9000), http_status: null, response_time_ms: null } }), CONFIG, [
      accepted
    ])
  )
  t.ok(Buffer.byteLength(JSON.stringify(stars)) <= 20_000, 'also where each character grows')
})

t.test('answers of Teams and their outcomes', async (t) => {
  const error = (status: number, code: string) => reply(status, { error: { code, message: 'no' } })
  verdicts(t, msteams, CONFIG, [
    [accepted, 'delivered'],
    [reply(200, 'anything'), 'delivered'],
    [error(400, 'InvalidRequestContent'), 'permanent delivery'],
    [error(400, 'WorkflowTriggerIsNotEnabled'), 'permanent channel'],
    [error(401, 'DirectApiAuthorizationRequired'), 'permanent channel'],
    [error(403, 'Forbidden'), 'permanent channel'],
    [error(404, 'WorkflowNotFound'), 'permanent channel'],
    [reply(404, '<html>'), 'permanent channel'],
    [reply(410), 'permanent channel at once'],
    [reply(413), 'permanent delivery'],
    [reply(429, '', { 'retry-after': '20' }), 'retry', { after_ms: 20_000 }],
    [reply(502), 'retry']
  ])
})

t.test('accepted and refused webhook addresses of Teams', async (t) => {
  const logic = 'https://prod-23.westeurope.logic.azure.com'
  const older = `/workflows/0123456789abcdef/triggers/manual/paths/invoke${QUERY}`
  faults(t, msteams, [
    [CONFIG, null],
    [{ webhook_url: `https://${HOST.toUpperCase()}:443${PATH}` }, null],
    [{ webhook_url: `https://${HOST}${PATH.replace('direct/', 'direct/cu/23/').replace('invoke?', 'invoke/?')}` }, null],
    [{ webhook_url: `${logic}:443${older}` }, null],
    [{ webhook_url: 'https://outlook.office.com/webhook/1@2/IncomingWebhook/3/4' }, 'legacy_connector_url'],
    [{ webhook_url: 'https://outlook.office365.com/webhook/1@2/IncomingWebhook/3/4' }, 'legacy_connector_url'],
    [{ webhook_url: 'https://Acme.webhook.office.com/webhookb2/1@2/IncomingWebhook/3/4' }, 'legacy_connector_url'],
    [{ webhook_url: 'http://acme.webhook.office.com/webhookb2/1' }, 'legacy_connector_url'],
    [{ webhook_url: 'https://example.com/IncomingWebhook/3/4' }, 'legacy_connector_url'],
    [{ webhook_url: `${logic}/workflows/0123/triggers/manual/paths/invoke?api-version=1` }, 'invalid_webhook_url'],
    [{ webhook_url: `${logic}:8443${older}` }, 'invalid_webhook_url'],
    [{ webhook_url: `http://${HOST}${PATH}` }, 'invalid_webhook_url'],
    [{ webhook_url: `https://${HOST}.example.com${PATH}` }, 'invalid_webhook_url'],
    [{ webhook_url: `https://user:pass@${HOST}${PATH}` }, 'invalid_webhook_url'],
    [{ webhook_url: `https://${HOST}/powerautomate/workflows/1${QUERY}` }, 'invalid_webhook_url'],
    [{ webhook_url: 'https://teams.microsoft.com/l/channel/1' }, 'invalid_webhook_url'],
    [{ webhook_url: 'nowhere' }, 'invalid_webhook_url']
  ])
  t.equal(msteams.target({ webhook_url: 'sealed:x' }), 'Microsoft Teams')
})
