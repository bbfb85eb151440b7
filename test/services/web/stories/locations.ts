/**
 * Private locations: the first is created, its prober is started with the printed line, a monitor
 * chooses it, it is drained, its deletion is refused, and its token is ended. Also what other
 * people see of the page.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Test } from 'tap'
import { projectRoot } from '../../../../schemas/files.ts'
import { makeSealingKeys } from '../../../../services/credentials/sealing.ts'
import { type View, walks } from '../browser.ts'
import type { Newcomer, Stage, Story } from '../stage.ts'

const phone: View = { scheme: 'dark', width: 390 }
/** Time for a process to start on a busy machine and send its hello. */
const STARTED_MS = 120_000
const LABEL = 'Office Berlin'

/** Returns what the line sets, by name. */
const settingsOf = (line: string): Record<string, string> =>
  Object.fromEntries([...line.matchAll(/-e (\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]))

/** Starts the prober of the line as a process on this machine, until the test ends. */
function startProber(t: Test, line: string): void {
  const child = spawn('env', ['-u', 'NODE_OPTIONS', process.execPath, join(projectRoot, 'dist/services/process/run.js'), 'prober'], {
    env: {
      PATH: process.env.PATH,
      ...settingsOf(line),
      SERVICE_PROBER_INSTANCE: 'office-1',
      SERVICE_METRICS_PORT: '0',
      PROBER_ALLOW_CIDRS: '127.0.0.0/8'
    },
    stdio: 'ignore'
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  t.teardown(async () => {
    child.kill('SIGTERM')
    await ended
  })
}

async function makesTheFirst(t: Test, stage: Stage, owner: Newcomer): Promise<string> {
  const { page } = owner
  await owner.go('/settings/locations')
  await page.getByRole('heading', { level: 1, name: 'No private location yet' }).waitFor()
  await page.getByRole('heading', { name: 'Monitor what only your own network can reach' }).waitFor()
  await stage.looksRight(t, owner, 'locations-empty')
  await page.keyboard.press('c')
  const dialog = page.getByRole('dialog', { name: 'New private location' })
  await dialog.getByRole('button', { name: 'Create the location' }).click()
  await dialog.getByText('This must have at least 1 character').waitFor()
  await dialog.getByLabel('Label').fill(LABEL)
  await dialog.getByRole('button', { name: 'Create the location' }).click()
  const shown = page.getByRole('dialog', { name: `Start a prober in ${LABEL}` })
  const line = await shown.getByText('docker run -d').innerText()
  await shown.getByText('Private addresses are refused until').waitFor()
  await stage.looksRight(t, owner, 'locations-start')
  await shown.getByRole('button', { name: 'Done' }).click()
  await row(owner).getByText('Waiting for its first prober').waitFor()
  t.equal(await page.getByText('SERVICE_PROBER_TOKEN=prober_').count(), 0, 'the token is shown once')
  return line
}

const row = ({ page }: Newcomer) =>
  page.getByRole('list', { name: 'Private locations' }).getByRole('listitem').filter({ hasText: LABEL }).first()

async function isChosen(t: Test, stage: Stage, owner: Newcomer): Promise<void> {
  const { page } = owner
  await owner.go('/monitors/new')
  const choice = page.getByRole('checkbox', { name: LABEL })
  await choice.waitFor()
  await page.getByText('Private location of your workspace').waitFor()
  await page.getByLabel('Name', { exact: false }).first().fill('Intranet')
  await page.getByLabel('Address', { exact: false }).first().fill(stage.site.url)
  await choice.check()
  await stage.looksRight(t, owner, 'locations-chosen')
  await page.getByRole('button', { name: 'Create the monitor' }).click()
  await page.waitForURL(/\/monitors\/[0-9a-f-]{36}$/)
  await page.getByRole('heading', { level: 1, name: /Up for/ }).waitFor({ timeout: STARTED_MS })
  await page.getByRole('region', { name: 'Regions' }).getByText(LABEL).waitFor()
}

/** Sends the hello of a prober with another version. */
async function another(line: string, version: string): Promise<void> {
  const { SERVICE_PROBER_URL: url, SERVICE_PROBER_TOKEN: token } = settingsOf(line)
  const answer = await fetch(`${url}/api/v1/prober/hello`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      instance_id: 'office-2',
      version,
      kinds: ['http'],
      public_key: makeSealingKeys().publicKey.toString('base64'),
      leaving: true
    })
  })
  if (!answer.ok) throw new Error(await answer.text())
}

async function isEnded(t: Test, stage: Stage, owner: Newcomer): Promise<void> {
  const { page } = owner
  await owner.go('/settings/locations')
  await row(owner).getByRole('link', { name: 'Used by 1 monitor' }).waitFor()
  await page.getByRole('button', { name: `Delete ${LABEL}` }).click()
  const deleting = page.getByRole('dialog', { name: `Delete ${LABEL}?` })
  await deleting.getByRole('button', { name: 'Delete' }).click()
  await deleting.getByRole('alert').getByText('Used by 1 monitor: Intranet.').waitFor()
  await stage.looksRight(t, owner, 'locations-in-use')
  await deleting.getByRole('button', { name: 'Cancel' }).click()

  await page.getByRole('button', { name: `Drain ${LABEL}` }).click()
  await page
    .getByRole('dialog', { name: `Drain ${LABEL}?` })
    .getByRole('button', { name: 'Drain' })
    .click()
  await row(owner).getByText('Its probers start no checks').waitFor()
  await page.getByRole('button', { name: `Resume ${LABEL}` }).click()
  await row(owner).getByText('Its probers start no checks').waitFor({ state: 'detached' })

  await page.getByRole('button', { name: `New token for ${LABEL}` }).click()
  await page
    .getByRole('dialog', { name: `Create a new token for ${LABEL}?` })
    .getByRole('button', { name: 'Create a new token' })
    .click()
  const shown = page.getByRole('dialog', { name: `Start a prober in ${LABEL}` })
  await shown.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: `Revoke token of ${LABEL}` }).click()
  await page
    .getByRole('dialog', { name: `Revoke the token of ${LABEL}?` })
    .getByRole('button', { name: 'Revoke' })
    .click()
  await row(owner).getByText('Token revoked').waitFor()
  await stage.looksRight(t, owner, 'locations-revoked')

  const { items } = (await owner.api('GET', '/api/v1/monitors')).body as { items: { id: string }[] }
  for (const { id } of items) await owner.api('DELETE', `/api/v1/monitors/${id}`)
  await page.getByRole('button', { name: `Rename ${LABEL}` }).click()
  const renaming = page.getByRole('dialog', { name: `Rename ${LABEL}` })
  await renaming.getByLabel('Label').fill('Office Hamburg')
  await renaming.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('button', { name: 'Delete Office Hamburg' }).click()
  await page.getByRole('dialog', { name: 'Delete Office Hamburg?' }).getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { level: 1, name: 'No private location yet' }).waitFor()
}

export const locations: Story = async (t, stage) => {
  await t.test('a private location is created, used, drained and deleted', async (t) => {
    const owner = await stage.newcomer(t)
    const line = await makesTheFirst(t, stage, owner)
    startProber(t, line)
    await owner.page.getByRole('heading', { level: 1, name: '1 private location, online' }).waitFor({ timeout: STARTED_MS })
    const probers = owner.page.getByRole('list', { name: `Probers of ${LABEL}` }).getByRole('listitem')
    await probers.filter({ hasText: 'office-1' }).getByText('Online').waitFor()
    await another(line, '99.0.0')
    await probers.filter({ hasText: 'office-2' }).getByText('Newer than this service').waitFor()
    await probers.filter({ hasText: 'office-2' }).getByText('Stopped').waitFor()
    await stage.looksRight(t, owner, 'locations-online')
    await isChosen(t, stage, owner)
    await isEnded(t, stage, owner)
    t.same(owner.complaints, [])
  })

  await t.test('the page of locations at each width', async (t) => {
    for (const view of walks) {
      const visited = await stage.newcomer(t, view)
      for (const label of ['Office Berlin', 'Data centre of a name that is as long as labels of people sometimes are, for good'])
        await visited.api('POST', '/api/v1/private-locations', { label: label.slice(0, 80) })
      await visited.go('/settings/locations')
      await visited.page.getByRole('heading', { level: 1, name: '2 private locations, 0 online' }).waitFor()
      await stage.looksRight(t, visited, `locations-${view.scheme}-${view.width}`)
      t.same(visited.complaints, [])
    }
  })

  await t.test('a viewer can only look at locations, and an outage is explained', async (t) => {
    const visited = await stage.newcomer(t, phone, 'viewer')
    const { page } = visited
    await visited.api('POST', '/api/v1/private-locations', { label: LABEL })
    await visited.go('/settings/locations')
    await page.getByText('Only owners and admins can create private locations.').waitFor()
    await row(visited).getByText('Waiting for its first prober').waitFor()
    t.equal(await page.getByRole('button', { name: /New location|Delete|Drain|token/ }).count(), 0, 'no button to be refused')
    await stage.looksRight(t, visited, 'locations-viewer')
    const refusal = { error: 'Not now', code: 'UNAVAILABLE', request_id: 'req_1' }
    await page.route('**/api/v1/private-locations?*', (route) => route.fulfill({ status: 503, json: refusal }))
    await visited.go('/settings/locations')
    await page.getByRole('heading', { name: 'This part of the service is not available at the moment' }).waitFor()
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await page.unroute('**/api/v1/private-locations?*')
    await row(visited).getByText('Waiting for its first prober').waitFor()
    t.same(visited.complaints, [])
  })
}
