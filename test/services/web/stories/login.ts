/**
 * Logging in: with the form, with a message when it fails, and back to the page that was requested.
 */
import { visit } from '../browser.ts'
import type { Story } from '../stage.ts'

export const login: Story = async (t, stage) => {
  const { email, password } = stage.product.access
  const stranger = await visit(stage.browser, stage.base, { scheme: 'light', width: 390 })
  t.teardown(() => stranger.close())
  const { page } = stranger
  await stranger.go('/incidents?status=resolved')
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
  await stage.looksRight(t, stranger, 'login')

  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByText('This must have at least 1').waitFor()

  await page.getByLabel('Password', { exact: true }).fill('wrong')
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('alert').getByText('The e-mail address or the password is wrong').waitFor()
  await stage.looksRight(t, stranger, 'login-refused')

  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  // The page that was requested is shown.
  await page.waitForURL('**/incidents?status=resolved')
  t.same(stranger.complaints, [])

  // The address of a login cannot redirect to another site.
  for (const next of ['https://elsewhere.example/', '//elsewhere.example/', '/.//elsewhere.example/']) {
    const lured = await visit(stage.browser, stage.base, { scheme: 'light', width: 390 })
    t.teardown(() => lured.close())
    const left: string[] = []
    await lured.page.route('**://elsewhere.example/**', (route) => {
      left.push(route.request().url())
      return route.abort()
    })
    await lured.go(`/login?next=${encodeURIComponent(next)}`)
    await lured.page.getByLabel('E-mail').fill(email)
    await lured.page.getByLabel('Password', { exact: true }).fill(password)
    await lured.page.getByRole('button', { name: 'Log in' }).click()
    await lured.page.getByRole('navigation', { name: 'Main' }).waitFor()
    t.equal(new URL(lured.page.url()).origin, new URL(stage.base).origin, next)
    t.same(left, [])
  }
}
