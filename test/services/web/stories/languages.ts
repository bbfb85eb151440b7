/**
 * The account decides how pages are written. Another time zone changes every time at once. Another
 * language changes texts, dates and numbers, and is loaded only by those who chose it.
 */
import type { Page } from 'playwright-core'
import { PATIENCE_MS, type View, visit } from '../browser.ts'
import type { Story } from '../stage.ts'

/** The time at which the story's incident began, as the row shows it on hover. */
const began = (page: Page, title: string) => page.getByRole('listitem').filter({ hasText: title }).locator('time').first()

const phones: readonly View[] = [
  { scheme: 'light', width: 390 },
  { scheme: 'dark', width: 390 }
]

/** Path, what the heading says in German, name of the picture. */
const tour: readonly [path: string, shown: RegExp, name: string][] = [
  ['/', /braucht jemanden/, 'german-overview'],
  ['/incidents', /braucht jemanden/, 'german-incidents'],
  ['/alerts', /Alarm/, 'german-alerts'],
  ['/monitors', /Noch wird nichts überwacht/, 'german-monitors'],
  ['/monitors/new', /Was soll überwacht werden/, 'german-monitor-new'],
  ['/monitors/groups', /Gruppen von Monitoren/, 'german-groups'],
  ['/silences', /Nichts ist stumm/, 'german-silences'],
  ['/on-call', /Noch hat niemand Bereitschaft/, 'german-on-call'],
  ['/settings/routing', /Keine Regel/, 'german-routing'],
  ['/integrations', /Noch keine Integrationen/, 'german-integrations'],
  ['/settings/members', /1 Person/, 'german-members'],
  ['/settings/usage', /innerhalb der Grenzen/, 'german-usage'],
  ['/welcome', /drei Wege/, 'german-welcome'],
  ['/settings/account', /^Sie sind Newcomer/, 'german-account']
]

export const languages: Story = async (t, stage) => {
  const visited = await stage.newcomer(t)
  const { page, api } = visited
  const german: string[] = []
  page.on('request', (request) => {
    if (/\/assets\/german-/.test(request.url())) german.push(request.url())
  })
  const title = 'The clock story'
  const { status, body } = await api('POST', '/api/v1/incidents', { title, severity: 'warning' })
  t.equal(status, 201)
  const key = String(body.key)

  await t.test('another time zone changes all times on the pages', async (t) => {
    await visited.go('/incidents')
    await began(page, title).waitFor()
    t.match(await began(page, title).getAttribute('title'), /GMT\+[12]|CES?T/, 'in the zone of the browser')
    await visited.go('/settings/account')
    const zone = page.getByRole('textbox', { name: 'Time zone' }).or(page.getByRole('combobox', { name: 'Time zone' }))
    t.equal(await zone.inputValue(), 'The zone of this browser: Europe/Berlin')
    await zone.fill('Tokyo')
    await page.getByRole('option', { name: 'Asia/Tokyo' }).click()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Your account is saved').waitFor()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Incidents' }).click()
    await began(page, title).waitFor()
    await page.waitForFunction("[...document.querySelectorAll('time')].every((one) => one.title.includes('GMT+9'))", undefined, {
      timeout: PATIENCE_MS
    })
    await visited.go('/incidents')
    await began(page, title).waitFor()
    t.match(await began(page, title).getAttribute('title'), /GMT\+9/, 'and so after loading again')
    t.same(german, [], 'who reads English loads no German')
  })

  await t.test('another language in the account changes the texts of the pages', async () => {
    await visited.go('/settings/account')
    await page
      .getByRole('textbox', { name: 'Language' })
      .or(page.getByRole('combobox', { name: 'Language' }))
      .click()
    await page.getByRole('option', { name: 'Deutsch', exact: true }).click()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('heading', { name: /^Sie sind Newcomer/ }).waitFor()
    t.equal(await page.evaluate('document.documentElement.lang'), 'de')
    t.equal(new Set(german).size, 1)
    await page.getByRole('link', { name: 'Vorfälle' }).first().waitFor()
  })

  const cookies = await visited.cookies()
  for (const view of phones)
    await t.test(`a few pages in German, ${view.scheme}, ${view.width} px`, async (t) => {
      const phone = await visit(stage.browser, stage.base, view, cookies)
      t.teardown(() => phone.close())
      for (const [path, shown, name] of tour) {
        await phone.go(path)
        await phone.page.getByRole('heading', { name: shown }).first().waitFor()
        await stage.looksRight(t, phone, name)
      }
      await phone.go('/incidents')
      await began(phone.page, title).waitFor()
      t.match(await began(phone.page, title).getAttribute('title'), /\d\d\.\d\d\.\d{4}.*GMT\+9/)
      await phone.go('/settings/usage')
      await phone.page
        .getByRole('main')
        .getByText(/\d\.\d{3}/)
        .first()
        .waitFor()
      t.same(phone.complaints, [])
    })

  const desks: readonly View[] = [{ scheme: 'light', width: 1280 }, ...phones]
  for (const view of desks)
    await t.test(`an incident and its dialog in German, ${view.scheme}, ${view.width} px`, async (t) => {
      const visited = await visit(stage.browser, stage.base, view, cookies)
      t.teardown(() => visited.close())
      const { page } = visited
      await visited.go(`/incidents/${key}`)
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      t.equal(await page.evaluate('document.documentElement.lang'), 'de')
      await page.getByRole('navigation', { name: 'Hauptnavigation' }).getByRole('link', { name: 'Vorfälle' }).waitFor()
      await page.getByText('Noch niemand hat ihn bestätigt').waitFor()
      await page.getByRole('button', { name: 'Bestätigen', exact: true }).waitFor()
      await page.getByText('Warnung', { exact: true }).first().waitFor()
      await stage.looksRight(t, visited, 'german-incident')
      await page.getByRole('button', { name: 'Stummschalten', exact: true }).click()
      const dialog = page.getByRole('dialog', { name: `${key} stummschalten` })
      await dialog.getByText('Andere', { exact: true }).click()
      await dialog.getByText('Höchstens 10.080 Minuten').waitFor()
      await dialog.getByRole('textbox', { name: 'Grund' }).waitFor()
      await stage.looksRight(t, visited, 'german-incident-dialog')
      await dialog.getByRole('button', { name: 'Abbrechen' }).click()
      await dialog.waitFor({ state: 'detached' })
      t.same(visited.complaints, [])
    })

  await t.test('the account returns to English and to the zone of the browser', async (t) => {
    await visited.go('/settings/account')
    await page
      .getByRole('textbox', { name: 'Sprache' })
      .or(page.getByRole('combobox', { name: 'Sprache' }))
      .click()
    await page.getByRole('option', { name: 'English', exact: true }).click()
    const zone = page.getByRole('textbox', { name: 'Zeitzone' }).or(page.getByRole('combobox', { name: 'Zeitzone' }))
    await zone.fill('Browsers')
    await page.getByRole('option', { name: 'Die Zone dieses Browsers: Europe/Berlin' }).click()
    await page.getByRole('button', { name: 'Änderungen speichern' }).click()
    await page.getByRole('heading', { name: /^You are Newcomer/ }).waitFor()
    const { body: account } = await api('GET', '/api/v1/account')
    t.match(account, { user: { time_zone: null, locale: 'en' } })
    t.same(visited.complaints, [])
  })
}
