/**
 * Incidents: alerts come through a real intake and appear by themselves. People take incidents from
 * the list, open, discuss, silence, reassign and resolve them.
 */
import type { Page } from 'playwright-core'
import { until } from '../../../harness/until.ts'
import { agreed, logIn, PATIENCE_MS, visit } from '../browser.ts'
import type { Story } from '../stage.ts'
import { MAX_TILL_SHOWN_BYTES, weigh } from '../weight.ts'

interface Made {
  id: string
  endpoint_url: string
  key: string
}

/** The newest with that name, because an earlier run may have left others. */
const rowOf = (page: Page, name: RegExp) => page.getByRole('list', { name: 'Incidents' }).getByRole('link', { name }).first()

export const incidents: Story = async (t, stage) => {
  const { product, base, browser } = stage
  const made = async (path: string, body: unknown): Promise<Made> => {
    const answer = await product.api('POST', path, body)
    if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body as unknown as Made
  }
  const { id: integration_id, endpoint_url } = await made('/api/v1/integrations/inbound', {
    name: 'Story Prometheus',
    source_type: 'alertmanager'
  })

  const startsAt = new Date(Date.now() - 60_000).toISOString()
  /** Sends an alert in Alertmanager's format. */
  const send = async (alertname: string, severity: string, status = 'firing'): Promise<void> => {
    const answer = await fetch(endpoint_url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        version: '4',
        groupKey: '{}',
        status,
        receiver: 'story',
        groupLabels: {},
        commonLabels: {},
        commonAnnotations: {},
        externalURL: 'http://alertmanager.example.com',
        alerts: [
          {
            status,
            labels: { alertname, severity, instance: 'story-7:9100' },
            annotations: {
              summary: `${alertname} on story-7`,
              description: alertname === 'StoryDisk' ? 'Less than **4 %** left on `/var`' : 'Less than 4 % left on /var'
            },
            startsAt,
            endsAt: status === 'resolved' ? new Date().toISOString() : '0001-01-01T00:00:00Z',
            generatorURL: 'http://prometheus.example.com/graph?g0.expr=up',
            fingerprint: alertname
          }
        ]
      })
    })
    if (!answer.ok) throw new Error(`the door answered ${answer.status}`)
  }
  /** Returns the newest incident of that alert, once it exists. */
  const opened = (alertname: string): Promise<Made> =>
    until(
      `an incident of ${alertname}`,
      async () => {
        const { body } = await product.api('GET', `/api/v1/incidents?integration_id=${integration_id}&q=${alertname}`)
        return (body.items as Made[])[0] ?? null
      },
      PATIENCE_MS
    )

  t.teardown(async () => {
    for (const alertname of ['StoryDisk', 'StoryLatency', 'StoryPhone', 'StoryViewer']) await send(alertname, 'warning', 'resolved')
    await product.api('DELETE', `/api/v1/integrations/inbound/${integration_id}`)
  })

  await t.test('new incidents appear without a reload and are acknowledged from the list', async (t) => {
    const visited = await stage.enter(t)
    const { page } = visited
    await visited.go('/incidents')
    await page.getByRole('heading', { level: 1, name: /need|wrong|acknowledged/ }).waitFor()
    await send('StoryDisk', 'critical')
    await send('StoryLatency', 'warning')
    await rowOf(page, /StoryDisk on story-7/).waitFor()
    await rowOf(page, /StoryLatency on story-7/).waitFor()
    await page.getByRole('heading', { level: 1, name: /needs? someone/ }).waitFor()

    const disk = await opened('StoryDisk')
    await rowOf(page, /StoryDisk/).focus()
    await page.keyboard.press('a')
    await rowOf(page, /StoryDisk.*by you/).waitFor()
    await until(
      'the acknowledgement',
      async () => {
        const { body } = await product.api('GET', `/api/v1/incidents/${disk.id}`)
        return body.acknowledged_at
      },
      PATIENCE_MS
    )

    const latency = await opened('StoryLatency')
    const take = page.getByRole('button', { name: `Acknowledge ${latency.key}` })
    await page.route('**/acknowledge', (route) =>
      route.fulfill({ status: 503, json: { error: 'The store is not there just now', code: 'UNAVAILABLE', request_id: 'req-rollback' } })
    )
    await take.click()
    await page.getByText(`Acknowledging ${latency.key} did not work`).waitFor()
    await page.getByText('req-rollback').waitFor()
    await take.waitFor()
    t.match((await product.api('GET', `/api/v1/incidents/${latency.id}`)).body, { acknowledged_at: null })
    await page.unroute('**/acknowledge')

    await rowOf(page, /StoryLatency/).focus()
    await page.keyboard.press('r')
    await page.getByRole('dialog', { name: `Resolve ${latency.key}` }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    // The keyboard focus has returned to the row.
    await page.locator('a:focus', { hasText: 'StoryLatency' }).waitFor()

    await page.getByRole('link', { name: /^Needs someone/ }).click()
    await page.waitForURL('**/incidents?status=triggered')
    await rowOf(page, /StoryDisk/).waitFor({ state: 'detached' })
    await rowOf(page, /StoryLatency/).waitFor()
    await page.getByRole('button', { name: 'Critical' }).click()
    await page.waitForURL('**/incidents?status=triggered&severity=critical')
    await rowOf(page, /StoryLatency/).waitFor({ state: 'detached' })
    await page.goBack()
    await page.getByLabel('Title contains').fill('storylat')
    await page.waitForURL('**/incidents?status=triggered&q=storylat')
    await rowOf(page, /StoryLatency/).waitFor()
    // Typing continues while the address takes over what was typed.
    await page.getByLabel('Title contains').focus()
    await page.evaluate(`{
      const replace = history.replaceState.bind(history)
      history.replaceState = (...change) => {
        replace(...change)
        if (!location.search.includes('q=nothing+i')) return
        history.replaceState = replace
        document.execCommand('insertText', false, 's called so')
      }
    }`)
    await page.getByLabel('Title contains').fill('nothing i')
    await page.waitForURL('**q=nothing+is+called+so')
    await page.getByRole('heading', { name: 'No incident matches' }).waitFor()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await rowOf(page, /StoryLatency/).waitFor()

    await visited.go(`/incidents?status=all&integration_id=${integration_id}`)
    await rowOf(page, /StoryDisk/).waitFor()
    await page.getByRole('button', { name: 'Remove the filter Integration Story Prometheus' }).click()
    await page.waitForURL('**/incidents?status=all')
    t.same(visited.complaints, [])
  })

  await t.test('an incident is opened, commented, silenced, handed back, edited and resolved', async (t) => {
    const visited = await stage.enter(t)
    const { page } = visited
    const disk = await opened('StoryDisk')
    await visited.go('/incidents')
    await rowOf(page, /StoryDisk/).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/incidents/${disk.id}`)
    await page.getByRole('heading', { level: 1, name: 'StoryDisk on story-7' }).waitFor()
    await page.locator('strong', { hasText: /^4 %$/ }).waitFor()
    const happened = page.getByRole('region', { name: 'What happened' })
    await happened.getByText('Story Prometheus reported this incident').waitFor()
    await happened.getByText('You acknowledged the incident').waitFor()
    await page.getByText(/Acknowledged by you at/).waitFor()
    await happened.getByRole('button', { name: 'Why' }).last().click()
    await happened.getByText('opened, version 1').waitFor()
    await happened.getByText('routing version 1').waitFor()

    await page
      .getByLabel('Comment')
      .fill('The log of the **broker** fills `/var`:\n\n- see https://wiki.example.test/disk\n- <b>no HTML</b>')
    await page.getByRole('button', { name: 'Comment', exact: true }).click()
    await happened.getByText('You commented').waitFor()
    await happened.locator('strong', { hasText: /^broker$/ }).waitFor()
    t.equal(await happened.getByRole('link', { name: 'https://wiki.example.test/disk' }).getAttribute('rel'), 'noreferrer nofollow')
    // HTML is shown as text.
    await happened.getByText('<b>no HTML</b>').waitFor()

    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('e')
    const silencing = page.getByRole('dialog', { name: `Silence ${disk.key}` })
    await silencing.getByRole('radio', { name: '1 h' }).and(page.locator(':focus')).waitFor({ state: 'attached' })
    await silencing.getByText('Other', { exact: true }).click()
    await silencing.getByLabel('Minutes').fill('20000')
    await silencing.getByRole('button', { name: 'Silence', exact: true }).click()
    // A silence that is too long is reported at its field.
    await silencing.getByText(/10080/).waitFor()
    await stage.looksRight(t, visited, 'incident-silence')
    await silencing.getByText('15 min', { exact: true }).click()
    await silencing.getByLabel('Reason').fill('Cleaning up')
    await silencing.getByRole('button', { name: 'Silence', exact: true }).click()
    await silencing.waitFor({ state: 'detached' })
    await page.getByText(/Silenced, ends in/).waitFor()
    await happened.getByText('Cleaning up').waitFor()
    await page.keyboard.press('e')
    // The focus is on the dialog's main choice, not on the button that ends the silence.
    await silencing.getByRole('radio', { name: '1 h' }).and(page.locator(':focus')).waitFor({ state: 'attached' })
    await silencing.getByRole('button', { name: 'End the silence now' }).click()
    await happened.getByText('You ended the silence').waitFor()

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Assign…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Assign' }).click()
    await happened.getByText('You took the incident').waitFor()

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Hand back…' }).click()
    const handing = page.getByRole('dialog', { name: `Hand back ${disk.key}` })
    await handing.getByLabel('Reason').fill('My shift ends')
    await handing.getByRole('button', { name: 'Hand back' }).click()
    await happened.getByText('You took back the acknowledgement').waitFor()
    await happened.getByText('My shift ends').waitFor()
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).click()
    await page.getByText(/Acknowledged by you at/).waitFor()

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Edit…' }).click()
    const editing = page.getByRole('dialog', { name: `Edit ${disk.key}` })
    await editing.getByLabel('Title').fill('')
    await editing.getByRole('button', { name: 'Save' }).click()
    // A missing value is reported at its field.
    await editing.getByText(/must have at least 1/).waitFor()
    await editing.getByLabel('Title').fill('StoryDisk on story-7 fills')
    await editing.getByLabel('Major incident').check()
    await stage.looksRight(t, visited, 'incident-edit')
    await editing.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'StoryDisk on story-7 fills' }).waitFor()
    await happened.getByText('You changed the title to “StoryDisk on story-7 fills” and whether it is major').waitFor()

    // Somebody else edits the incident while the form is open. Their fields stay as they are.
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Edit…' }).click()
    await editing.getByLabel('Title').fill('StoryDisk is full')
    await product.api('PATCH', `/api/v1/incidents/${disk.id}`, { severity: 'info', summary: 'The broker fills it', is_major: false })
    await page.locator('#main').getByText('The broker fills it').first().waitFor()
    await editing.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'StoryDisk is full' }).waitFor()
    t.match((await product.api('GET', `/api/v1/incidents/${disk.id}`)).body, {
      title: 'StoryDisk is full',
      severity: 'info',
      summary: 'The broker fills it',
      is_major: false
    })

    await page.getByRole('region', { name: 'Signals' }).getByText('opened the incident').waitFor()
    await page.getByRole('region', { name: 'Signals' }).getByRole('button').first().click()
    await page.getByRole('region', { name: 'Signals' }).getByText('story-7:9100').waitFor()
    await stage.looksRight(t, visited, 'incident-told')

    await page.getByRole('button', { name: 'Delete the comment' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the comment' }).click()
    await happened.getByText('You commented. The comment was deleted').waitFor()

    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('r')
    const resolving = page.getByRole('dialog', { name: `Resolve ${disk.key}` })
    await resolving.getByLabel('Note').fill('Deleted the old segments')
    await stage.looksRight(t, visited, 'incident-resolve')
    await resolving.getByRole('button', { name: 'Resolve' }).click()
    await happened.getByText('You resolved the incident').waitFor()
    await happened.getByText('Deleted the old segments').waitFor()
    await page.getByText('Ended by you').waitFor()
    await resolving.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click()
    await happened.getByText('You closed the incident manually').waitFor()
    await page.getByRole('button', { name: 'Close' }).waitFor({ state: 'detached' })
    t.same(visited.complaints, [])
  })

  await t.test('on a phone one tap acknowledges an incident, within reach of the thumb', async (t) => {
    await send('StoryPhone', 'critical')
    const { key } = await opened('StoryPhone')
    const visited = await stage.enter(t, { scheme: 'dark', width: 390 })
    const { page } = visited
    await visited.go('/incidents')
    const inList = page.getByRole('button', { name: `Acknowledge ${key}` })
    await inList.waitFor()
    t.ok(((await inList.boundingBox())?.height ?? 0) >= 44, 'a row’s button is large enough for a finger')
    const take = page.getByRole('button', { name: 'Acknowledge' })
    const bytes = await weigh(page, `${base}/incidents/${key}`, () => take.waitFor())
    t.ok(bytes > 50_000, 'it was weighed')
    t.ok(bytes <= MAX_TILL_SHOWN_BYTES, `what a link to an incident loads weighs ${bytes} bytes`)
    const box = await take.boundingBox()
    const navigation = await page.getByRole('navigation', { name: 'Main' }).boundingBox()
    t.ok((box?.height ?? 0) >= 44, 'large enough for a finger')
    t.ok(
      (box?.y ?? 0) > 844 / 2 && (box?.y ?? 0) + (box?.height ?? 0) <= (navigation?.y ?? 0),
      'within reach of the thumb, above the navigation'
    )
    // The page shows the change at once. If it is closed before the server has the request, the
    // change is lost.
    await agreed(page, 'POST', '/acknowledge', () => take.tap())
    await page.getByText(/Acknowledged by you at/).waitFor()
    t.same(visited.complaints, [])
  })

  await t.test('holds of an incident are named in the list and on its page', async (t) => {
    const { body } = await product.api('GET', `/api/v1/incidents?integration_id=${integration_id}&q=StoryPhone`)
    const [found] = body.items as Record<string, unknown>[]
    if (!found) throw new Error('there is no incident of StoryPhone')
    const until = new Date(Date.now() + 3_600_000).toISOString()
    const hold = (kind: string, end: string | null) => ({ kind, id: found.id, until: end })
    const held = {
      ...found,
      // Nobody has taken it, so the button to take it is where its state would be.
      status: 'ongoing',
      dashboard_state: 'Triggered',
      acknowledged_at: null,
      acknowledged_by: null,
      flapping: true,
      storm_until: until,
      held_by: [
        hold('pause', null),
        hold('matcher_silence', until),
        hold('dependency', null),
        hold('mass_outage', null),
        hold('storm', until),
        hold('flap', null)
      ]
    }
    const shown = { ...held, related_ids: [], related: [], alerts_preview: [], changes: [], postmortem_status: 'none' }
    const answer = { items: [held], total: 1, page: 1, per_page: 50, total_pages: 1 }
    await stage.inEachView(t, async (t, visited) => {
      const { page } = visited
      await page.route(/\/api\/v1\/incidents\?/, (route) => route.fulfill({ json: answer }))
      await page.route(new RegExp(`/api/v1/incidents/(?:${found.id}|${found.key})(?:\\?|$)`), (route) => route.fulfill({ json: shown }))
      await visited.go('/incidents')
      const marks = [
        'Paused',
        'Silenced by a matching silence',
        'Waiting for a dependency',
        'Part of a mass outage',
        'In a storm',
        'Flapping'
      ]
      for (const mark of marks) await page.getByLabel(mark, { exact: true }).waitFor()
      await stage.looksRight(t, visited, 'incidents-held')
      await visited.go(`/incidents/${found.key}`)
      await page.getByText('In a storm, ends').waitFor()
      await page.getByText('Silenced by a matching silence, ends').waitFor()
      await page.getByText('Flapping', { exact: true }).waitFor()
      await stage.looksRight(t, visited, 'incident-held')
    })
  })

  await t.test('a person declares an incident', async (t) => {
    const visited = await stage.enter(t, { scheme: 'dark', width: 1280 })
    const { page } = visited
    await visited.go('/incidents')
    await page.getByRole('button', { name: 'Declare an incident' }).waitFor()
    await page.keyboard.press('c')
    const dialog = page.getByRole('dialog', { name: 'Declare an incident' })
    await dialog.getByRole('button', { name: 'Declare' }).click()
    await dialog.getByText(/must have at least 1/).waitFor()
    await stage.looksRight(t, visited, 'incident-declare')
    await dialog.getByLabel('Title').fill('Story payments fail')
    await dialog.getByRole('button', { name: 'Declare' }).click()
    await page.getByRole('heading', { level: 1, name: 'Story payments fail' }).waitFor()
    await page.getByText('You declared this incident').first().waitFor()
    await page.getByRole('button', { name: 'Acknowledge' }).waitFor()
    await agreed(page, 'POST', '/acknowledge', () => page.keyboard.press('a'))
    await page.getByText(/Acknowledged by you at/).waitFor()
    await page.keyboard.press('r')
    await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click()
    await page.getByText('You resolved the incident').waitFor()
    t.same(visited.complaints, [])
  })

  await t.test('a viewer sees incidents without buttons, and the page says why', async (t) => {
    await send('StoryViewer', 'info')
    const { key } = await opened('StoryViewer')
    const email = `viewer-${integration_id}@example.test`
    const password = `a long password of ${integration_id}`
    const { accept_url } = (await made('/api/v1/workspace/invites', { email, role: 'viewer' })) as unknown as { accept_url: string }
    const token = new URL(accept_url).pathname.split('/').at(-1)
    const accepted = await fetch(`${product.access.base_url}/api/v1/invites/${token}/accept`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: product.access.base_url },
      body: JSON.stringify({ name: 'Story Viewer', password })
    })
    t.ok(accepted.ok, `the invite is accepted: ${accepted.status}`)
    const { body } = await product.api('GET', '/api/v1/workspace/members?per_page=200')
    const member = (body.items as { user_id: string; email: string }[]).find((one) => one.email === email)
    t.teardown(() => product.api('DELETE', `/api/v1/workspace/members/${member?.user_id}`))

    const viewer = await visit(browser, base, { scheme: 'light', width: 1280 })
    t.teardown(() => viewer.close())
    await logIn(viewer, { ...product.access, email, password })
    await viewer.go('/incidents')
    await rowOf(viewer.page, /StoryViewer/).waitFor()
    t.equal(await viewer.page.getByRole('button', { name: /^Acknowledge|^Declare/ }).count(), 0)
    await viewer.go(`/incidents/${key}`)
    await viewer.page.getByText('Your role (viewer) can view').waitFor()
    t.equal(await viewer.page.getByRole('button', { name: /^(Acknowledge|Resolve|Silence|Comment|More actions)$/ }).count(), 0)
    await stage.looksRight(t, viewer, 'incident-viewer')
    t.same(viewer.complaints, [])
  })

  const { id } = await opened('StoryLatency')
  await stage.inEachView(t, async (t, visited) => {
    const { page } = visited
    // Some incidents wait, some are taken, some are over.
    await visited.go('/incidents?status=all')
    await rowOf(page, /StoryDisk/).waitFor()
    await stage.looksRight(t, visited, 'incidents')
    await rowOf(page, /StoryLatency/).click()
    await page.waitForURL(`**/incidents/${id}`)
    await page.getByText('Story Prometheus reported this incident').waitFor()
    await stage.looksRight(t, visited, 'incident')
  })

  await t.test('pages for an unknown address, for no incidents, and for a forbidden list', async (t) => {
    const visited = await stage.enter(t)
    const { page } = visited
    for (const address of ['/nonsense', '/settings/nonsense', '/on-call/nonsense/2', '/incidents/INC-1/nonsense']) {
      const answer = await page.goto(address)
      t.equal(answer?.status(), address === '/nonsense' ? 404 : 200, address)
      await page.getByRole('heading', { level: 1, name: 'There is no page at this address' }).waitFor()
      await page.getByRole('navigation', { name: 'Main' }).waitFor()
    }
    await stage.looksRight(t, visited, 'not-found')
    await visited.go('/incidents/INC-99999999')
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
    await stage.looksRight(t, visited, 'incident-not-found')
    const list = /\/api\/v1\/incidents\?/
    await page.route(list, (route) => route.fulfill({ json: { items: [], total: 0, page: 1, per_page: 50, total_pages: 0 } }))
    await visited.go('/incidents')
    await page.getByRole('heading', { level: 1, name: 'Nothing is wrong' }).waitFor()
    await stage.looksRight(t, visited, 'incidents-none')
    await page.unroute(list)
    await page.route(list, (route) =>
      route.fulfill({ status: 403, json: { error: 'The role billing may not do this', code: 'FORBIDDEN', request_id: 'req-forbidden' } })
    )
    await visited.go('/incidents')
    await page.getByRole('heading', { name: 'You may not see or do this' }).waitFor()
    await page.getByText('req-forbidden').waitFor()
    await stage.looksRight(t, visited, 'incidents-forbidden')
    t.same(visited.complaints, [])
  })
}
