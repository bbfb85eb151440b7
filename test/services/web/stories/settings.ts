/**
 * Settings: the workspace, members from invite to removal, tokens, limits, and the person's own
 * account.
 */
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { makeWorkspace, until } from '../../../harness/product.ts'
import { PATIENCE_MS, painted, returnTo, type View, type Visit, visit } from '../browser.ts'
import type { Stage, Story } from '../stage.ts'

const desk: View = { scheme: 'light', width: 1280 }
const phone: View = { scheme: 'dark', width: 390 }
const PASSWORD = 'correct horse battery'

const pathOf = (address: string): string => new URL(address).pathname
const row = (page: Page, list: string, name: string) =>
  page.getByRole('list', { name: list }).getByRole('listitem').filter({ hasText: name })

/** Opens a browser of a person who is not logged in. */
async function stranger(t: Test, stage: Stage, view: View): Promise<Visit> {
  const visited = await visit(stage.browser, stage.base, view)
  t.teardown(() => visited.close())
  return visited
}

/** Makes an invite as a script would. Returns the path of the page that accepts it. */
async function invited(stage: Stage, email: string, role: string, token?: string): Promise<string> {
  const { status, body } = await stage.product.api('POST', '/api/v1/workspace/invites', { email, role }, token)
  if (status !== 201) throw new Error(`the invite was answered ${status}: ${JSON.stringify(body)}`)
  return pathOf(String(body.accept_url))
}

/** Removes what a journey may have left unfinished. */
async function clear(stage: Stage, list: 'invites' | 'tokens', mine: (item: Record<string, unknown>) => boolean): Promise<void> {
  const { body } = await stage.product.api('GET', `/api/v1/workspace/${list}?per_page=200`)
  for (const item of (body.items as Record<string, unknown>[]).filter(mine))
    await stage.product.api('DELETE', `/api/v1/workspace/${list}/${item.id}`)
}

export const settings: Story = async (t, stage) => {
  const { api } = stage.product
  /** A new address in each run, because accounts of people are kept. */
  const email = `vera-${Date.now()}@example.com`
  const before = (await api('GET', '/api/v1/workspace')).body
  t.teardown(async () => {
    const { name, reopen_after_seconds, storm_threshold, mass_outage } = before
    await api('PATCH', '/api/v1/workspace', { name, reopen_after_seconds, storm_threshold, mass_outage })
    await clear(stage, 'invites', (invite) => String(invite.email).endsWith(email))
    await clear(stage, 'tokens', ({ name }) => name === 'Deploy script')
  })

  await t.test('a person is invited, joins, gets another role and is removed', async (t) => {
    const owner = await stage.enter(t, desk)
    const { page } = owner
    await owner.go('/settings/members')
    await page.getByRole('button', { name: 'Change role of Owner' }).waitFor()
    await page.keyboard.press('c')
    const dialog = page.getByRole('dialog', { name: 'Invite a person' })
    await dialog.getByLabel('E-mail').fill('vera')
    await dialog.getByRole('radio', { name: 'Viewer' }).check()
    await dialog.getByRole('button', { name: 'Create the invite' }).click()
    await dialog.getByText('This must be an e-mail address').waitFor()
    await dialog.getByLabel('E-mail').fill(email)
    await dialog.getByRole('button', { name: 'Create the invite' }).click()
    const shown = page.getByRole('dialog', { name: `The invite for ${email}` })
    const address = await shown.getByText('/invites/').innerText()
    await stage.looksRight(t, owner, 'settings-invite-made')
    await shown.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('heading', { level: 1, name: /, \d+ invited$/ }).waitFor()
    await row(page, 'Invited', email).getByText('Viewer').waitFor()

    const guest = await stranger(t, stage, phone)
    await guest.go(pathOf(address))
    await guest.page.getByRole('heading', { name: 'Join My workspace' }).waitFor()
    await guest.page.getByLabel('New password').fill('too short')
    await guest.page.getByRole('button', { name: 'Join' }).click()
    await guest.page.getByText('This must have at least 1 character').waitFor()
    await guest.page.getByText('This must have at least 12 characters').waitFor()
    await stage.looksRight(t, guest, 'invite-faults')
    await guest.page.getByLabel('Your name').fill('Vera')
    await guest.page.getByLabel('New password').fill('password1234')
    await guest.page.getByRole('button', { name: 'Join' }).click()
    await guest.page.getByText('This must not be a common password').waitFor()
    await guest.page.getByLabel('New password').fill(PASSWORD)
    await guest.page.getByRole('button', { name: 'Join' }).click()
    await guest.page.getByRole('navigation', { name: 'Main' }).waitFor()

    await guest.go('/settings/members')
    await row(guest.page, 'Members', 'Vera (you)').getByText('Viewer').waitFor()
    t.equal(await guest.page.getByRole('button', { name: /Invite|Remove|Leave|role/ }).count(), 0, 'a viewer sees no button to be refused')
    await guest.page.getByText('Only owners and admins of the workspace can invite people').waitFor()
    await stage.looksRight(t, guest, 'settings-members-viewer')
    await guest.go('/settings/tokens')
    await guest.page.getByText('Your role is Viewer').waitFor()
    await guest.go('/settings')
    await guest.page.getByText('Only owners and admins of the workspace can change these settings').waitFor()
    t.equal(await guest.page.getByRole('button', { name: 'Save changes' }).count(), 0)

    await owner.go(pathOf(address))
    await page.getByRole('heading', { name: 'This invite is no longer valid' }).waitFor()

    await owner.go('/settings/members')
    await page.getByRole('button', { name: 'Change role of Vera' }).click()
    const role = page.getByRole('dialog', { name: 'The role of Vera' })
    await role.getByRole('radio', { name: 'Admin' }).check()
    await role.getByRole('button', { name: 'Change the role' }).click()
    await row(page, 'Members', 'Vera').getByText('Admin', { exact: true }).waitFor()
    await guest.go('/settings/members')
    await guest.page.getByRole('button', { name: 'Invite a person' }).waitFor()
    t.equal(await guest.page.getByRole('button', { name: 'Remove Owner' }).count(), 0, 'an admin does not touch an owner')

    await guest.go('/settings/tokens')
    await row(guest.page, 'API tokens', 'First token').getByText('To change or revoke it, you need the role Owner').waitFor()
    t.equal(await guest.page.getByRole('button', { name: /First token$/ }).count(), 0, 'nor a token of an owner')
    await guest.page.getByRole('button', { name: 'Create a token' }).click()
    const making = guest.page.getByRole('dialog', { name: 'Create a token' })
    await making.getByLabel('Name').fill('Of Vera')
    t.equal(await making.getByRole('checkbox', { name: 'Billing' }).count(), 0, 'a scope that the role does not have is not offered')
    await making.getByRole('button', { name: 'Create the token' }).click()
    const value = guest.page.getByRole('dialog', { name: 'The value of Of Vera' })
    await value.getByRole('button', { name: 'Done' }).click()
    await guest.page.getByRole('button', { name: 'Rotate Of Vera' }).waitFor()
    await stage.looksRight(t, guest, 'settings-tokens-admin')

    await owner.go('/settings/tokens')
    await page.getByRole('button', { name: 'Restrict Of Vera' }).click()
    t.equal(await page.getByRole('button', { name: 'Rotate Of Vera' }).count(), 0, 'the value of a token is for its owner')
    const narrowing = page.getByRole('dialog', { name: 'Restrict Of Vera' })
    await narrowing.getByRole('checkbox', { name: 'Write' }).uncheck()
    await narrowing.getByLabel('Allowed networks').fill('127.0.0.0/8')
    await stage.looksRight(t, owner, 'settings-token-narrowed')
    await narrowing.getByRole('button', { name: 'Save changes' }).click()
    await row(page, 'API tokens', 'Of Vera').getByText('Only from 127.0.0.0/8').waitFor()
    await row(page, 'API tokens', 'Of Vera').getByText('Read, Act on incidents').waitFor()
    await page.waitForURL('**/settings/tokens')
    await owner.go('/settings/members')

    await page.getByRole('button', { name: 'Leave My workspace' }).click()
    const leaving = page.getByRole('dialog', { name: 'Leave My workspace?' })
    await leaving.getByRole('button', { name: 'Leave' }).click()
    await leaving.getByRole('alert').getByText('at least one owner').waitFor()
    await stage.looksRight(t, owner, 'settings-last-owner')
    await leaving.getByRole('button', { name: 'Cancel' }).click()

    await page.getByRole('button', { name: 'Remove Vera' }).click()
    await page.getByRole('dialog', { name: 'Remove Vera?' }).getByRole('button', { name: 'Remove' }).click()
    await row(page, 'Members', 'Vera').waitFor({ state: 'detached' })
    await guest.page.getByRole('heading', { name: 'Log in' }).waitFor()
    t.same([...owner.complaints, ...guest.complaints], [])
  })

  await t.test('a person with an account joins with its password, and changes the password', async (t) => {
    const path = await invited(stage, email, 'responder')
    const guest = await stranger(t, stage, desk)
    const { page } = guest
    await guest.go(path)
    await page.getByLabel('Your password').fill('not the password')
    await page.getByRole('button', { name: 'Join' }).click()
    await page.getByRole('alert').getByText('The e-mail address or the password is wrong').waitFor()
    await page.getByLabel('Your password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Join' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()

    const elsewhere = await stranger(t, stage, phone)
    await elsewhere.go('/login?next=/settings/account')
    await elsewhere.page.getByLabel('E-mail').fill(email)
    await elsewhere.page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await elsewhere.page.getByRole('button', { name: 'Log in' }).click()
    await elsewhere.page.getByRole('heading', { name: 'You are Vera. Your role in My workspace: Responder' }).waitFor()

    await guest.go('/settings/account')
    await page.getByLabel('Current password').fill('not the password')
    await page.getByLabel('New password').fill('short')
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByText('This must have at least 12 characters').waitFor()
    await page.getByLabel('New password').fill(`${PASSWORD} staple`)
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByText('This is not the password of the account').waitFor()
    await stage.looksRight(t, guest, 'settings-password-wrong')
    await page.getByLabel('Current password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByText('You are logged out everywhere else').waitFor()
    await elsewhere.page.getByRole('heading', { name: 'Log in' }).waitFor()

    await page
      .getByRole('textbox', { name: 'Language' })
      .or(page.getByRole('combobox', { name: 'Language' }))
      .click()
    await page.getByRole('option', { name: 'English (United Kingdom)' }).click()
    await page.getByLabel('Name').fill('Vera Example')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('heading', { name: 'You are Vera Example. Your role in My workspace: Responder' }).waitFor()
    await page.getByText('Dark', { exact: true }).click()
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
    await stage.looksRight(t, guest, 'settings-account-chosen-dark')

    const pool = stage.product.pool()
    const other = await makeWorkspace(pool, `other-${Date.now()}`, 'generic').finally(() => pool.end())
    const joining = await invited(stage, email, 'viewer', other.apiToken)
    await guest.go(joining)
    await page.getByLabel('Your password').fill(`${PASSWORD} staple`)
    await page.getByRole('button', { name: 'Join' }).click()
    await page.getByRole('button', { name: /^other-/ }).click()
    await page.getByText('Vera Example · viewer').waitFor()
    await stage.looksRight(t, guest, 'workspaces')
    await page.getByRole('menuitemradio', { name: 'My workspace' }).click()
    await page.getByRole('button', { name: 'My workspace' }).click()
    await page.getByText('Vera Example · responder').waitFor()

    const { body } = await api('GET', '/api/v1/workspace/members')
    const vera = (body.items as { user_id: string; email: string }[]).find((one) => one.email === email)
    t.equal((await api('DELETE', `/api/v1/workspace/members/${vera?.user_id}`)).status, 204)
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    t.same([...guest.complaints, ...elsewhere.complaints], [])
  })

  await t.test('a token is created, used, rotated, restricted and revoked', async (t) => {
    const owner = await stage.enter(t, desk)
    const { page } = owner
    const ask = async (token: string): Promise<number> => (await api('GET', '/api/v1/auth/session', undefined, token)).status
    const dead = (token: string): Promise<true> =>
      until('the old value to be refused', async () => (await ask(token)) === 401 || null, PATIENCE_MS)
    await owner.go('/settings/tokens')
    await row(page, 'API tokens', 'First token').waitFor()
    await page.keyboard.press('c')
    const making = page.getByRole('dialog', { name: 'Create a token' })
    await making.getByLabel('Allowed networks').fill('here')
    await making.getByRole('button', { name: 'Create the token' }).click()
    await making.getByText('This must have at least 1 character').waitFor()
    await making.getByLabel('Name').fill('Deploy script')
    await making.getByRole('button', { name: 'Create the token' }).click()
    await making.getByText('This must be a network such as 192.0.2.0/24').waitFor()
    await stage.looksRight(t, owner, 'settings-token-faults')
    await making.getByLabel('Allowed networks').fill('127.0.0.0/8\n::1/128')
    await making.getByRole('button', { name: 'Create the token' }).click()
    const shown = page.getByRole('dialog', { name: 'The value of Deploy script' })
    const value = await shown.getByText(/^service_/).innerText()
    await shown.getByText(`authorization: Bearer ${value}`).waitFor()
    await stage.looksRight(t, owner, 'settings-token-shown')
    await shown.getByRole('button', { name: 'Done' }).click()
    t.equal(await ask(value), 200, 'the value works')

    const made = row(page, 'API tokens', 'Deploy script')
    await made.getByText('Only from 127.0.0.0/8, ::1/128').waitFor()
    await made.getByText('Read, Write, Act on incidents').waitFor()
    await page.getByRole('button', { name: 'Rotate Deploy script' }).click()
    await page.getByRole('dialog', { name: 'Rotate Deploy script?' }).getByRole('button', { name: 'Rotate' }).click()
    const rotated = await shown.getByText(/^service_/).innerText()
    t.not(rotated, value)
    await shown.getByRole('button', { name: 'Done' }).click()
    t.equal(await ask(rotated), 200, 'the new value works')
    await dead(value)

    await page.getByRole('button', { name: 'Edit Deploy script' }).click()
    const editing = page.getByRole('dialog', { name: 'Edit Deploy script' })
    await editing.getByRole('checkbox', { name: 'Write' }).uncheck()
    await editing.getByRole('checkbox', { name: 'Act on incidents' }).uncheck()
    await editing.getByRole('button', { name: 'Save changes' }).click()
    await made.getByText('Read', { exact: true }).waitFor()
    // The dialog is no longer in the address.
    await page.waitForURL('**/settings/tokens')

    const notNow = { status: 503, json: { error: 'Not now', code: 'UNAVAILABLE' } }
    const revoking = page.getByRole('dialog', { name: 'Revoke Deploy script?' })
    let answer: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/api/v1/workspace/tokens/*', (route) => held.then(() => route.fulfill(notNow)))
    await page.getByRole('button', { name: 'Revoke Deploy script' }).click()
    await revoking.getByRole('button', { name: 'Revoke' }).click()
    // What is under way cannot be cancelled. A dialog that was left tells what came of it.
    await revoking.getByRole('button', { name: 'Cancel', disabled: true }).waitFor()
    await page.keyboard.press('Escape')
    await revoking.waitFor({ state: 'detached' })
    answer()
    await page.getByText('Revoke did not work').waitFor()
    await page.unroute('**/api/v1/workspace/tokens/*')

    await page.getByRole('button', { name: 'Revoke Deploy script' }).click()
    await revoking.waitFor()
    t.equal(await revoking.getByText('Not now').count(), 0, 'the refusal is not told before anything is tried')
    await revoking.getByRole('button', { name: 'Revoke' }).click()
    await made.waitFor({ state: 'detached' })
    await dead(rotated)

    await page.route('**/api/v1/auth/logout', (route) => route.fulfill(notNow))
    await page.getByRole('button', { name: 'My workspace' }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).click()
    await page.getByText('Logging out did not work').waitFor()
    await page.unroute('**/api/v1/auth/logout')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    // After a new login, the person returns to this page.
    await page.waitForURL('**/login?next=%2Fsettings%2Ftokens')
    t.same(owner.complaints, [])
  })

  await t.test('wrong workspace settings are marked at their fields, and right ones are saved', async (t) => {
    const owner = await stage.enter(t, desk)
    const { page } = owner
    await owner.go('/settings')
    await page.getByLabel('Slug', { exact: true }).fill('Not a slug')
    await page.getByLabel('Reopen time, number').fill('99999')
    await page.getByLabel('Storm threshold').fill('0')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('This must be lower-case letters and digits').waitFor()
    await page.getByText('This must be at most 7 d').waitFor()
    await page.getByText('This must be at least 1').waitFor()
    await stage.looksRight(t, owner, 'settings-workspace-faults')
    await owner.go('/settings')
    await page.getByLabel('Name').fill('Acme')
    // Somebody else saves other settings meanwhile.
    await api('PATCH', '/api/v1/workspace', { mass_outage: { min_monitors: 7 } })
    await page.getByLabel('Reopen time, number').fill('45')
    await page.getByText('no new incident opens for 45 min').waitFor()
    await page.getByLabel('Storm threshold').fill('50')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('heading', { name: /^Acme is on the/ }).waitFor()
    await page.getByRole('button', { name: 'Acme' }).waitFor()
    const saved = (await api('GET', '/api/v1/workspace')).body
    t.match(saved, { name: 'Acme', reopen_after_seconds: 2700, storm_threshold: 50 })
    t.match(saved, { mass_outage: { min_monitors: 7 } }, 'what somebody else saved stays')
    t.same(owner.complaints, [])
  })

  await t.test('limits that are reached, exceeded or unknown are explained', async (t) => {
    const owner = await stage.enter(t, phone)
    const { page } = owner
    const since = new Date(Date.now() - 300_000).toISOString()
    await page.route('**/api/v1/workspace/usage', async (route) => {
      const usage = await (await route.fetch()).json()
      const limits = usage.limits.map((limit: { used: number; unit: string }) => ({ ...limit, limit: limit.used }))
      await route.fulfill({
        json: { ...usage, limits, ingest: { ...usage.ingest, limited_since: since, refused_1m: 40, refused_1h: 200 } }
      })
    })
    await owner.go('/settings/usage')
    await page.getByRole('heading', { level: 1, name: /^Alerts are rejected/ }).waitFor()
    await page.getByRole('alert').getByText('40 in the last minute').waitFor()
    await stage.looksRight(t, owner, 'settings-usage-limited')
    await owner.go('/settings/members')
    await page.getByText(/All \d+ seats of the plan are taken/).waitFor()
    await page.getByRole('button', { name: 'Invite a person', disabled: true }).waitFor()
    await stage.looksRight(t, owner, 'settings-members-full')
    for (const [path, words] of [
      ['/monitors/new', /monitors\. Delete one/],
      ['/heartbeats/new', /heartbeats\. Delete one/],
      ['/integrations/new', /integrations\. Delete one/]
    ] as const) {
      await owner.go(path)
      await page.getByRole('alert').getByText(words).waitFor()
      await stage.looksRight(t, owner, `full${path.replaceAll('/', '-')}`)
    }

    // A request may still be on its way through the handler above.
    await page.unrouteAll({ behavior: 'wait' })
    const refusal = { error: 'The store cannot be reached just now', code: 'UNAVAILABLE', request_id: 'req-settings' }
    for (const path of ['usage', 'limits'])
      await page.route(`**/api/v1/workspace/${path}`, (route) => route.fulfill({ status: 503, json: refusal }))
    await owner.load('/settings/usage')
    await page.getByText('req-settings').first().waitFor()
    await stage.looksRight(t, owner, 'settings-usage-unavailable')
    await page.route('**/api/v1/workspace/tokens?*', (route) =>
      route.fulfill({ json: { items: [], total: 0, page: 1, per_page: 200, total_pages: 0 } })
    )
    await owner.go('/settings/tokens')
    await page.getByRole('heading', { name: 'No API token yet' }).waitFor()
    await stage.looksRight(t, owner, 'settings-tokens-empty')
    t.same(owner.complaints, [])
  })

  await t.test('unsaved input survives a failed reload of the data', async (t) => {
    const owner = await stage.enter(t, desk)
    const { page } = owner
    await page.clock.install()
    await owner.go('/settings/account')
    await page.getByLabel('Name').fill('Not saved yet')
    let refused = 0
    await page.route('**/api/v1/account', async (route) => {
      refused++
      await route.fulfill({ status: 503, json: { error: 'The store cannot be reached just now', code: 'UNAVAILABLE' } })
    })
    await page.clock.fastForward(10_000)
    await returnTo(page)
    await until(
      'the page to give up',
      async () => {
        await page.clock.fastForward(1_000)
        return refused >= 3 || null
      },
      PATIENCE_MS
    )
    await painted(page)
    t.equal(await page.getByLabel('Name').inputValue(), 'Not saved yet')
  })

  const path = await invited(stage, `tour-${email}`, 'editor')
  await stage.inEachView(t, async (t, visited) => {
    const { page } = visited
    const tour: readonly [path: string, shown: RegExp, name: string][] = [
      ['/settings', /is on the .+ plan$/, 'settings-workspace'],
      ['/settings/members', /\d+ invited$/, 'settings-members'],
      ['/settings/tokens', /API token/, 'settings-tokens'],
      ['/settings/usage', /within its limits$/, 'settings-usage'],
      ['/settings/account', /^You are /, 'settings-account'],
      [path, /^Join /, 'invite']
    ]
    for (const [place, shown, name] of tour) {
      await visited.go(place)
      await page.getByRole('heading', { name: shown }).waitFor()
      await stage.looksRight(t, visited, name)
    }
    await visited.go('/settings/members?invite=yes')
    await page.getByRole('heading', { name: 'Invite a person' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'Invite a person' }).waitFor({ state: 'detached' })
    await page.waitForURL('**/settings/members')
  })
}
