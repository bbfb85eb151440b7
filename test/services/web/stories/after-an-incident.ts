/**
 * What people do with an incident when there are several, or when it is over: they merge it into
 * another, tag it, and write its postmortem. Somebody else may write at the same time, and no text
 * is lost.
 */
import { agreed, PATIENCE_MS, returnsUntil, returnsUntilRead } from '../browser.ts'
import type { Story } from '../stage.ts'

interface Declared {
  id: string
  key: string
}

export const afterwards: Story = async (t, stage) => {
  const { product } = stage
  const declare = async (title: string): Promise<Declared> => {
    const { status, body } = await product.api('POST', '/api/v1/incidents', { title, severity: 'warning' })
    if (status !== 201) throw new Error(JSON.stringify(body))
    return body as unknown as Declared
  }
  const read = async (key: string) => (await product.api('GET', `/api/v1/incidents/${key}`)).body

  await t.test('an incident is merged and tagged, and its postmortem is written, in each view', (t) =>
    stage.inEachView(t, async (t, visited) => {
      const { page, view } = visited
      const name = `${view.scheme} ${view.width}`
      const [slow, down] = [await declare(`Story merge: checkout is slow ${name}`), await declare(`Story merge: payments are down ${name}`)]

      await visited.go(`/incidents/${slow.key}`)
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Merge into another…' }).click()
      const merging = page.getByRole('dialog', { name: `Merge ${slow.key}` })
      await merging.getByRole('button', { name: 'Merge', exact: true }).click()
      await merging.getByText('Choose an incident to merge into.').waitFor()
      await merging.getByLabel('Into').fill('payments are down')
      await page.getByRole('option', { name: `${down.key} ` }).waitFor()
      await stage.looksRight(t, visited, 'incident-merge')
      await page.getByRole('option', { name: `${down.key} ` }).click()
      await merging.getByRole('button', { name: 'Merge', exact: true }).click()
      await page.waitForURL(`**/incidents/${down.id}`)
      await page.getByRole('region', { name: 'Related' }).getByRole('link', { name: slow.key }).waitFor()
      await page.getByText(`You merged ${slow.key} into this incident`).waitFor()
      t.match(await read(slow.key), { status: 'resolved', merged_into: down.id })

      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Edit…' }).click()
      const editing = page.getByRole('dialog', { name: `Edit ${down.key}` })
      await editing.getByLabel('Tags').and(editing.locator('input')).first().fill(`story ${view.scheme}`)
      await page.keyboard.press('Enter')
      await editing.getByRole('button', { name: 'Save' }).click()
      await editing.waitFor({ state: 'detached' })
      await page.getByRole('link', { name: `story ${view.scheme}`, exact: true }).waitFor()
      await page.getByText('You can write it when the incident is over.').waitFor()
      await stage.looksRight(t, visited, 'incident-merged-target')

      await visited.go(`/incidents/${slow.key}`)
      await page.getByRole('link', { name: `Merged into ${down.key}` }).waitFor()
      await stage.looksRight(t, visited, 'incident-merged-source')

      await product.api('POST', `/api/v1/incidents/${down.key}/resolve`, {})
      await visited.go(`/incidents/${down.key}`)
      await page.getByRole('link', { name: 'Write the postmortem' }).click()
      await page.waitForURL(`**/incidents/${down.id}/postmortem`)
      const impact = page.getByLabel('Impact')
      await impact.waitFor()
      t.match(await impact.inputValue(), 'payments are down', 'the template knows the facts')
      await impact.fill('Nobody could **pay** for an hour.')
      await page.getByText('Saved as a draft').waitFor()
      t.match((await product.api('GET', `/api/v1/incidents/${down.key}/postmortem`)).body, { status: 'draft', version: 1 })

      await page.getByRole('button', { name: 'Add an action item' }).click()
      const item = page.getByRole('group', { name: 'Action item 1' })
      await item.getByLabel('What').fill('Alert on the queue')
      await item.getByLabel('Ticket').fill('no address')
      await page.getByRole('button', { name: 'Publish' }).click()
      await item.getByText(/http:\/\/ or https:\/\//).waitFor()
      await item.getByLabel('Ticket').fill('https://tickets.example/7')
      await stage.looksRight(t, visited, 'postmortem-edit')
      await page.getByRole('button', { name: 'Publish' }).click()
      await page.getByText('Published', { exact: true }).waitFor()
      await page.locator('strong', { hasText: /^pay$/ }).waitFor()
      await page.getByRole('link', { name: 'Alert on the queue' }).waitFor()
      await stage.looksRight(t, visited, 'postmortem')
      t.match(await read(down.key), { postmortem_status: 'published' })
    })
  )

  await t.test('a tag narrows the list of incidents', async (t) => {
    const { key } = await declare('Story tags: only one')
    await product.api('PATCH', `/api/v1/incidents/${key}`, { tags: ['story-only'] })
    const visited = await stage.enter(t)
    const { page } = visited
    await visited.go(`/incidents/${key}`)
    await page.getByRole('link', { name: 'story-only' }).click()
    await page.waitForURL('**/incidents?**tag=story-only**')
    await page
      .getByRole('list', { name: 'Incidents' })
      .getByRole('link', { name: /Story tags: only one/ })
      .waitFor()
    await page.getByRole('button', { name: 'Remove the filter Tag story-only' }).click()
    await page.waitForURL(({ search }) => !search.includes('tag='))
    t.same(visited.complaints, [])
  })

  await t.test('a concurrent postmortem edit is not overwritten until the writer chooses', async (t) => {
    const { key } = await declare('Story clash')
    await product.api('POST', `/api/v1/incidents/${key}/resolve`, {})
    const write = (impact: string) => product.api('PUT', `/api/v1/incidents/${key}/postmortem`, { impact })
    const visited = await stage.enter(t)
    const { page } = visited
    await visited.go(`/incidents/${key}/postmortem`)
    await page.getByLabel('Impact').waitFor()
    await write('Written by somebody else')
    await page.getByLabel('Impact').fill('Written here')
    await page.getByRole('alert').getByText('Somebody else has saved a change.', { exact: false }).waitFor()
    t.match((await product.api('GET', `/api/v1/incidents/${key}/postmortem`)).body, { impact: 'Written by somebody else', version: 1 })
    t.equal(await page.getByLabel('Impact').inputValue(), 'Written here')
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await page.getByText('Saved as a draft').waitFor({ timeout: PATIENCE_MS })
    t.match((await product.api('GET', `/api/v1/incidents/${key}/postmortem`)).body, { impact: 'Written here', version: 2 })

    await write('Once more by somebody else')
    await page.getByLabel('Impact').fill('Written here, too')
    await page.getByRole('button', { name: 'Show theirs' }).click()
    await page.getByText('Once more by somebody else').waitFor()
    t.same(visited.complaints, [])
  })

  await t.test('the last words of a draft are saved on leaving, and an unfinished item does not stop it', async (t) => {
    const { key } = await declare('Story leaving')
    await product.api('POST', `/api/v1/incidents/${key}/resolve`, {})
    const visited = await stage.enter(t)
    const { page } = visited
    await visited.go(`/incidents/${key}/postmortem`)
    await page.getByRole('button', { name: 'Add an action item' }).click()
    const item = page.getByRole('group', { name: 'Action item 1' })
    await item.getByLabel('What').fill('Alert on the queue')
    await item.getByLabel('Ticket').fill('no address')
    await page.getByLabel('Impact').fill('Nobody could pay.')
    await page.getByText('Saved as a draft').waitFor()
    await item.getByText(/http:\/\/ or https:\/\//).waitFor()
    const read = async () => (await product.api('GET', `/api/v1/incidents/${key}/postmortem`)).body
    t.match(await read(), { impact: 'Nobody could pay.', action_items: [{ title: 'Alert on the queue', link: null }] })

    await page.getByLabel('Lessons').fill('My last words')
    await agreed(page, 'PUT', '/postmortem', () => page.getByRole('link', { name: key }).first().click())
    t.match(await read(), { lessons: 'My last words' })
    await page.goBack()
    await page.getByText('My last words').waitFor()

    // What is typed while it is published must not make it a draft again.
    await page.getByRole('button', { name: 'Edit' }).click()
    const lessons = page.getByLabel('Lessons')
    await lessons.fill('Published words')
    await page.getByText('Saved as a draft').waitFor()
    const sent: string[] = []
    page.on('request', (request) => void (request.method() === 'PUT' && sent.push(request.url())))
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/postmortem', async (route) => {
      if (route.request().method() === 'PUT') await held
      await route.continue()
    })
    await page.getByRole('button', { name: 'Publish' }).click()
    await lessons.focus()
    await page.keyboard.type(' and more')
    release()
    await page.getByText('Published', { exact: true }).waitFor()
    t.match(await read(), { lessons: 'Published words', status: 'published' })
    t.equal(sent.length, 1)
    t.same(visited.complaints, [])
  })

  await t.test('only what somebody types is saved as a postmortem, and it stays when they return to the tab', async (t) => {
    const { key } = await declare('Story return')
    await product.api('POST', `/api/v1/incidents/${key}/resolve`, {})
    const visited = await stage.enter(t)
    const { page } = visited
    await visited.go(`/incidents/${key}/postmortem`)
    const impact = page.getByLabel('Impact')
    await impact.waitFor()
    await product.api('PATCH', `/api/v1/incidents/${key}`, { title: 'Story return, renamed' })
    await returnsUntil(page, page.getByText('Story return, renamed', { exact: true }))
    t.equal(
      await page.getByText(/^(You have unsaved changes|Saving…|Saved as a draft)$/).count(),
      0,
      'the template alone is nothing to save'
    )
    t.equal((await product.api('GET', `/api/v1/incidents/${key}/postmortem`)).status, 404)

    // Nothing can be saved for now.
    await page.route('**/postmortem', (route) =>
      route.request().method() === 'PUT'
        ? route.fulfill({ status: 503, json: { error: 'The store is not there just now', code: 'UNAVAILABLE', request_id: 'req-draft' } })
        : route.continue()
    )
    await impact.fill('Written before the return')
    await returnsUntilRead(page, '/postmortem')
    t.equal(await impact.inputValue(), 'Written before the return')

    // Somebody else writes one. The text stays, and the writer chooses.
    await page.unroute('**/postmortem')
    await product.api('PUT', `/api/v1/incidents/${key}/postmortem`, { impact: 'Written by somebody else' })
    await returnsUntilRead(page, '/postmortem')
    await impact.fill('Written after the return')
    await page.getByRole('alert').getByText('Somebody else has saved a change.', { exact: false }).waitFor()
    t.equal(await impact.inputValue(), 'Written after the return')
    t.same(visited.complaints, [])
  })

  await t.test('a viewer can read a postmortem but not edit it', async (t) => {
    const visited = await stage.newcomer(t, undefined, 'viewer')
    const { page } = visited
    const { body } = await visited.api('POST', '/api/v1/incidents', { title: 'Story viewer', severity: 'info' })
    const { key } = body as unknown as Declared
    await visited.go(`/incidents/${key}/postmortem`)
    await page.getByText('No postmortem yet').waitFor()
    await stage.looksRight(t, visited, 'postmortem-none')
    await visited.api('PUT', `/api/v1/incidents/${key}/postmortem`, { lessons: 'We had luck.', status: 'published' })
    await page.reload()
    await page.getByText('We had luck.').waitFor()
    t.equal(await page.getByRole('button', { name: 'Edit' }).count(), 0)
    t.same(visited.complaints, [])
  })
}
