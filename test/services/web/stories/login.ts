/**
 * Logging in: with the form, with a message when it fails, and back to the page that was requested.
 * Also a forgotten password.
 */
import { visit } from '../browser.ts'
import type { Stage, Story } from '../stage.ts'

/** A local run sends no mail, so the answers of the API are given here. */
async function forgotten(t: Parameters<Story>[0], stage: Stage): Promise<void> {
  const stranger = await visit(stage.browser, stage.base, { scheme: 'dark', width: 390 })
  t.teardown(() => stranger.close())
  const { page } = stranger
  /** Waits for a heading that has the focus, because the pressed button is gone. */
  const focused = (name: string) => page.getByRole('heading', { name }).and(page.locator(':focus')).waitFor()
  await stranger.go('/login')
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await page.waitForURL('**/password')
  // The address changes before the page does, and both have a field for the e-mail address.
  await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor()
  await page.getByLabel('E-mail').fill('ada@example.test')
  await page.getByRole('button', { name: 'Send the link' }).click()
  const refused = page.getByRole('alert')
  await refused.getByText('This service sends no mail', { exact: true }).waitFor()
  await refused.getByText('Ask its operator for a link that sets a new password.', { exact: true }).waitFor()
  await stage.looksRight(t, stranger, 'forgotten-no-mail')
  const asked: unknown[] = []
  await page.route('**/api/v1/auth/password/forgot', (route) => {
    asked.push(route.request().postDataJSON())
    return route.fulfill({ status: 202 })
  })
  await page.getByRole('button', { name: 'Send the link' }).click()
  await focused('Check your mail')
  await page.getByText('ada@example.test').waitFor()
  t.same(asked, [{ email: 'ada@example.test' }])

  await stranger.go('/password/pwd_0')
  await page.getByLabel('New password', { exact: true }).fill('short')
  await page.getByRole('button', { name: 'Set the password' }).click()
  await page.getByText('This must have at least 12').waitFor()
  await page.getByLabel('New password', { exact: true }).fill('seven green tractors')
  await page.getByRole('button', { name: 'Set the password' }).click()
  await focused('This link is no longer valid')
  await stage.looksRight(t, stranger, 'new-password-gone')

  await page.route('**/api/v1/auth/password/reset', (route) => route.fulfill({ status: 204 }))
  await stranger.go('/password/pwd_1')
  await page.getByLabel('New password', { exact: true }).fill('seven green tractors')
  await page.getByRole('button', { name: 'Set the password' }).click()
  await focused('Your password is changed')
  await page.getByRole('link', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
}

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
  await forgotten(t, stage)

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
