/**
 * Integrations: chosen from the list of tools, set up with a token that is shown only once, seen to
 * deliver and to refuse, tried, changed and deleted.
 */
import { until } from '../../../harness/product.ts'
import { opensWith, PATIENCE_MS } from '../browser.ts'
import type { Newcomer, Story } from '../stage.ts'
import { runBlock } from './welcome.ts'

interface Made {
  id: string
  endpoint_url: string
}

const post = (url: string, body: unknown): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body)
  })

/** Returns what the api has for the integration that is open. */
async function opened({ page, api }: Newcomer): Promise<Record<string, unknown>> {
  await page.waitForURL(/\/integrations\/[0-9a-f-]{36}\?tab=setup$/)
  const id = /[0-9a-f-]{36}/.exec(page.url())?.[0]
  return (await api('GET', `/api/v1/integrations/inbound/${id}`)).body
}

export const integrations: Story = async (t, stage) => {
  await t.test('an integration is created, tried, changed and deleted', async (t) => {
    const visited = await stage.newcomer(t)
    const { page } = visited
    await visited.go('/integrations')
    await page.getByRole('heading', { name: 'No integrations yet' }).waitFor()
    await stage.looksRight(t, visited, 'integrations-empty')
    await page.getByRole('link', { name: 'New integration' }).click()

    await page.getByRole('list', { name: 'Tools' }).getByRole('link').nth(25).waitFor()
    t.equal(await page.getByRole('list', { name: 'Tools' }).getByRole('link').count(), 26, 'all tools are there')
    await page.getByLabel('Search the tools').fill('no such tool')
    await page.getByText('No tool is called').waitFor()
    await page.getByLabel('Search the tools').fill('incoming')
    await page.getByRole('link', { name: /^Incoming webhook/ }).click()

    await page.getByLabel('Name').fill('')
    await page.getByRole('button', { name: 'Create integration' }).click()
    await page.getByText(/This must have at least 1/).waitFor()
    await page.getByLabel('Name').fill('Scripts')
    await page.getByRole('button', { name: 'Create integration' }).click()

    await page.getByRole('heading', { name: 'Shown once: copy the token now' }).waitFor()
    const { id } = await opened(visited)
    const address = (await page.getByRole('region', { name: 'The token, shown once' }).locator('code').last().textContent()) ?? ''
    t.match(address, /\/api\/v1\/webhooks\/incoming\/svc_/)
    await page.getByText('Waiting for the first alert…').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Scripts' }).waitFor()
    await page.getByText('No alert has arrived yet').waitFor()
    await stage.looksRight(t, visited, 'integration-new')
    await runBlock(page, 'Open an incident')
    await page.getByText('An alert arrived').waitFor()
    await page.getByRole('link', { name: /INC-1 Disk full on db-7/ }).waitFor()
    await page.getByText(/^Last alert/).waitFor()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByText('The token was shown when it was created').waitFor()

    // A sender's error is shown with its reason where a person looks for it.
    t.equal((await post(address, { severity: 'high' })).status, 422)
    await page.getByRole('tab', { name: 'Deliveries' }).click()
    const refused = page.getByRole('button', { name: /Rejected.*title: a string that is not blank is required/ })
    await refused.waitFor()
    await page.getByText('Rejected 1 payload in the last 24 h').waitFor()
    await refused.click()
    await page.locator('pre', { hasText: '{"severity":"high"}' }).waitFor()
    await page.reload()
    await page.locator('pre', { hasText: '{"severity":"high"}' }).waitFor()
    await page.getByRole('button', { name: 'Ignored', exact: true }).click()
    await page.getByText('No delivery of this kind is stored').waitFor()
    await page.goBack()

    // The payload is then tried again, without effect, until it is correct.
    await page.getByRole('link', { name: 'Try it again' }).click()
    await page.getByRole('button', { name: 'Try it' }).click()
    await page.getByText('This would be rejected').waitFor()
    await page.getByLabel('Body').fill('{"title":"Queue is stuck","severity":"sev-9","status":"acknowledged"}')
    await page.getByRole('button', { name: 'Try it' }).click()
    await page.getByText('Ignored: acknowledged').waitFor()

    // Settings: what the server refuses is shown at its field, and what is saved takes effect.
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByLabel('Dedup template').fill('{severity}')
    await page.getByLabel('Networks').fill('everywhere')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('This has no field {severity}').waitFor()
    await page.getByText('must be a network such as 192.0.2.0/24').first().waitFor()
    await page.getByLabel('Dedup template').fill('{label.team}/{title}')
    await page.getByLabel('Networks').fill('')
    await page.getByRole('button', { name: 'Add a word' }).click()
    await page.getByLabel('Word 1', { exact: true }).fill('sev-9')
    await page.getByRole('button', { name: 'Add a label' }).click()
    await page.getByLabel('Label 1', { exact: true }).fill('team')
    await page.getByLabel('Value of label 1').fill('payments')
    await page.getByLabel('Resolve automatically').fill('90')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').waitFor()
    t.match((await visited.api('GET', `/api/v1/integrations/inbound/${id}`)).body, {
      dedup_template: '{label.team}/{title}',
      severity_map: { 'sev-9': 'critical' },
      labels_add: { team: 'payments' },
      auto_resolve_minutes: 90,
      allowed_cidrs: []
    })
    await page.getByRole('tab', { name: 'Try a payload' }).click()
    await page.getByLabel('Body').fill('{"title":"Queue is stuck","severity":"sev-9"}')
    await page.getByRole('button', { name: 'Try it' }).click()
    await page.getByText('Opens an incident, or joins the incident with the same key').waitFor()
    await page.getByText('from “sev-9”').waitFor()
    await page.getByText('team=payments').waitFor()
    await stage.looksRight(t, visited, 'integration-tried')

    // A new token is made, and the old one ends at once.
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'New token' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'The old token stays valid for' }).click()
    await page.getByRole('option', { name: 'Not at all: it stops working at once' }).click()
    await dialog.getByRole('button', { name: 'Create a new token' }).click()
    await page.getByRole('heading', { name: 'Shown once: copy the token now' }).waitFor()
    await until('the old token to end', async () => (await post(address, { title: 'x' })).status === 404, PATIENCE_MS)
    t.match(JSON.parse(await runBlock(page, 'Resolve it')), { status: 'accepted' })

    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Delete integration' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'No integrations yet' }).waitFor()
    await visited.go(`/integrations/${id}`)
    await page.getByText('There is nothing here').waitFor()
    t.same(visited.complaints, [])
  })

  await t.test('each kind of source setting can be set in the form', async (t) => {
    const visited = await stage.newcomer(t, { scheme: 'dark', width: 390 })
    const { page } = visited
    await visited.go('/integrations/new?source=github')
    await page.getByLabel('Branches').fill('main\nrelease/*\n')
    await page.getByRole('combobox', { name: 'Events' }).click()
    await page.getByRole('option', { name: 'workflow_run' }).click()
    await page.getByLabel('Secret', { exact: true }).fill('a secret of ours')
    await stage.looksRight(t, visited, 'integrations-form')
    await page.getByRole('button', { name: 'Create integration' }).click()
    t.match(await opened(visited), {
      options: { branches: ['main', 'release/*'], events: 'workflow_run' },
      verify: { secret: '********' }
    })

    await visited.go('/integrations/new?source=statuspage')
    await page.getByLabel('Include maintenance').click()
    await page.getByRole('button', { name: 'Create integration' }).click()
    t.match(await opened(visited), { options: { include_maintenance: true } })

    await visited.go('/integrations/new?source=cloudwatch')
    await page.getByLabel('Topic arn').fill('not an arn')
    await page.getByRole('button', { name: 'Create integration' }).click()
    await page.getByText(/^This must match/).waitFor()
    await page.getByLabel('Topic arn').fill('arn:aws:sns:eu-central-1:123456789012:alarms')
    await page.getByRole('button', { name: 'Create integration' }).click()
    t.match(await opened(visited), { verify: { topic_arn: 'arn:aws:sns:eu-central-1:123456789012:alarms' } })

    // A secret is not shown again. It is kept, and removed on request.
    await visited.go('/integrations')
    await page.getByRole('link', { name: /^GitHub/ }).click()
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByPlaceholder('Set. Type to replace it').waitFor()
    await page.getByRole('button', { name: 'Remove Secret' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByPlaceholder('Not set').waitFor()
    t.same(visited.complaints, [])
  })

  await t.test('a viewer sees why a payload was rejected, but not the payload', async (t) => {
    const visited = await stage.newcomer(t, { scheme: 'dark', width: 390 }, 'viewer')
    const { page, api } = visited
    const { id, endpoint_url } = (await api('POST', '/api/v1/integrations/inbound', { name: 'Scripts', source_type: 'generic' }))
      .body as unknown as Made
    await post(endpoint_url, 'no json')
    await visited.go(`/integrations/${id}`)
    await page.getByRole('button', { name: /Rejected.*The body is neither a JSON object or array nor a form/ }).click()
    await page.getByText('only admins of the workspace can see it').waitFor()
    await stage.looksRight(t, visited, 'integration-viewer')
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByText('This needs the role editor or a higher one').waitFor()
    await page.getByRole('tab', { name: 'Setup' }).click()
    await page.getByText('An editor of the workspace can create a new token').waitFor()
    // Analytics counts the refusal a little later.
    const counted = async () => (await api('GET', `/api/v1/integrations/inbound/${id}`)).body.error_count_24h === 1
    await until('the refusal to be counted', counted, 3 * PATIENCE_MS)
    await opensWith(visited, '/integrations', page.getByRole('heading', { name: '1 integration rejects payloads' }))
    t.equal(await page.getByRole('link', { name: 'New integration' }).count(), 0, 'no button that would be refused')
    // Refusals that are not due to limits are counted separately.
    const refused = page.getByRole('region', { name: 'Rejected because of their content' })
    await opensWith(visited, '/settings/usage', refused.getByText('1 delivery in 24 h'))
    await page.getByText('0 requests rejected over the limit').waitFor()
    await page.getByText('Not available yet').first().waitFor()
    await stage.looksRight(t, visited, 'usage-refusals')
    t.same(visited.complaints, [])
  })

  const made = (
    await stage.product.api('POST', '/api/v1/integrations/inbound', { name: 'Shop alerts', source_type: 'generic', capture: true })
  ).body as unknown as Made
  t.teardown(() => stage.product.api('DELETE', `/api/v1/integrations/inbound/${made.id}`))
  // A recovery without an alert opens nothing that other stories would see.
  await post(made.endpoint_url, { title: 'Queue is stuck', status: 'resolved' })
  await post(made.endpoint_url, { alerts: 'none' })

  await stage.inEachView(t, async (t, visited) => {
    const { page } = visited
    await visited.go('/integrations')
    await page.getByRole('link', { name: /^Shop alerts/ }).waitFor()
    await stage.looksRight(t, visited, 'integrations')
    await visited.go('/integrations/new')
    await page.getByRole('link', { name: /^Zabbix/ }).waitFor()
    await stage.looksRight(t, visited, 'integrations-tools')
    await visited.go(`/integrations/${made.id}`)
    const deliveries = page.getByRole('list', { name: 'Deliveries' })
    await deliveries.getByRole('button', { name: /Accepted/ }).waitFor()
    await deliveries.getByRole('button', { name: /Rejected/ }).click()
    await page.locator('pre', { hasText: '{"alerts":"none"}' }).waitFor()
    await stage.looksRight(t, visited, 'integration-deliveries')
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Add a word' }).click()
    await stage.looksRight(t, visited, 'integration-settings')
  })

  await t.test('the integration pages explain an outage and a plan limit', async (t) => {
    const visited = await stage.enter(t, { scheme: 'dark', width: 390 })
    const { page } = visited
    await page.route('**/api/v1/integrations/inbound?*', (route) =>
      route.fulfill({ status: 503, json: { error: 'Postgres does not answer', code: 'UNAVAILABLE', request_id: 'req-503' } })
    )
    await visited.go('/integrations')
    await page.getByText('Postgres does not answer').waitFor()
    // The message shows the request id to quote when asking for help.
    await page.getByText('req-503').waitFor()
    await page.unroute('**/api/v1/integrations/inbound?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('link', { name: /^Shop alerts/ }).waitFor()

    await page.route('**/api/v1/integrations/inbound', (route) =>
      route.fulfill({
        status: 403,
        json: {
          error: 'No more inbound integrations',
          code: 'TIER_LIMIT_EXCEEDED',
          request_id: 'req-403',
          details: [{ limit_key: 'inbound_integrations', limit: 2, actual: 2, plan: 'free', upgrade_to: 'pro' }]
        }
      })
    )
    await visited.go('/integrations/new?source=generic')
    await page.getByRole('button', { name: 'Create integration' }).click()
    await page.getByRole('alert').getByText('2 inbound integrations on the plan free. The plan pro has more.').waitFor()
    await stage.looksRight(t, visited, 'integrations-limit')
    t.same(visited.complaints, [])
  })
}
