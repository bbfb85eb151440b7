/**
 * What the stories of a file share: a workspace, a browser, and a site to watch. Other files may
 * use the same product at the same time.
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import type { Test } from 'tap'
import type { MemberRole } from '../../../schemas/http/endpoints.ts'
import { type Answer, accessOf, attach, type Product } from '../../harness/product.ts'
import { type Cookies, isLoggedIn, logInUnseen, openBrowser, otherScheme, type View, type Visit, visit, walks } from './browser.ts'
import type { ChatPage } from './chat-page.ts'
import { type DiscordPage, openDiscord } from './discord-page.ts'
import { openSlack, type SlackPage } from './slack-page.ts'
import { startStoryProduct } from './story-product.ts'
import { makeStoryWorkspace } from './story-workspace.ts'

export interface Site {
  url: string
  /** Sets what the site answers from now on. */
  answer(status: number, body?: unknown): void
  close(): Promise<void>
}

/** A visit to a workspace that is still empty. */
export interface Newcomer extends Visit {
  /** Sends a request with the token of the workspace's owner. */
  api(method: string, path: string, body?: unknown): Promise<Answer>
}

export interface Stage {
  product: Pick<Product, 'dataDir' | 'access' | 'pids' | 'port' | 'api' | 'pool'>
  /** Address of the dashboard. */
  base: string
  browser: Browser
  site: Site
  /** Takes the place of Slack until the test ends. */
  slack(t: Test): Promise<SlackPage>
  /** Takes the place of Discord until the test ends. */
  discord(t: Test): Promise<DiscordPage>
  /**
   * Starts a visit by somebody who is logged in as the owner. No page is open yet. It is closed
   * with the test.
   */
  enter(t: Test, view?: View): Promise<Visit>
  /**
   * Starts a visit to a new workspace by its owner, or by a second member with another role. No
   * page is open yet. At the end of the test the visit is closed and the workspace is emptied.
   */
  newcomer(t: Test, view?: View, role?: MemberRole): Promise<Newcomer>
  /**
   * Runs `work` at each width, examined in both schemes. Then checks that the page had no
   * complaints.
   */
  inEachView(t: Test, work: (t: Test, visit: Visit) => Promise<void>): Promise<void>
  /**
   * Checks that axe-core finds nothing serious or critical in what is shown, and saves a picture.
   * If the view asks for both schemes, it does so in the other scheme, too, and the page stays in
   * that one.
   */
  looksRight(t: Test, visit: Visit, name: string): Promise<void>
  close(): Promise<void>
}

/** How many characters of a page's text are printed when its story fails. */
const MAX_SHOWN = 3000

export type Story = (t: Test, stage: Stage) => Promise<void>

/** Ends the visit with the test. If the test failed, prints what the page shows. */
async function leave(t: Test, { page, close }: Visit): Promise<void> {
  if (!t.passing() && !page.isClosed()) {
    const shown = await page.evaluate<string>('document.body.innerText').catch(({ message }: Error) => message)
    t.comment(`${page.url()} shows:\n${shown.slice(0, MAX_SHOWN)}`)
  }
  await close()
}

async function openSite(): Promise<Site> {
  let answer: { status: number; body: unknown } = { status: 200, body: { healthy: true } }
  const server: Server = createServer((_request, response) => {
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    answer: (status, body = { healthy: status < 400 }) => {
      answer = { status, body }
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}

/**
 * Opens a stage: a workspace, a browser and a site of its own. The product is the run's, or with
 * `alone` one of its own, for a story that breaks it. Such a story also takes the network away, so
 * its browser asks again for what failed (`openBrowser`). To work on a page, it can also be a
 * product that already runs: `STAGE=<its data folder>`, started with
 * PROBER_ALLOW_CIDRS=127.0.0.0/8, and `STAGE_URL` if the dashboard under work is served elsewhere
 * (`npx vite services/web --host 127.0.0.1`).
 */
export async function openStage({ alone = false } = {}): Promise<Stage> {
  const { STAGE, STAGE_URL, STAGE_CHATS = '{}' } = process.env
  const started = STAGE && !alone ? null : startStoryProduct()
  const [own, browser, site] = await Promise.all([started, openBrowser({ asksAgain: alone }), openSite()])
  const dataDir = own?.environment.STAGE ?? STAGE ?? ''
  const chats = JSON.parse(own?.environment.STAGE_CHATS ?? STAGE_CHATS) as { slack?: number; discord?: number }
  const pool = attach(dataDir).pool()
  const made = await makeStoryWorkspace(pool, { named: 'My workspace', user_name: 'Owner', token_name: 'First token', reaches_owner: true })
  const { base_url } = accessOf(dataDir)
  const access = { ...made, base_url }
  const product = attach(dataDir, access)
  const base = STAGE_URL ?? access.base_url

  /**
   * Cookies of a person who stays logged in. Only one story tests the login form, and each login
   * costs a slow password hash.
   */
  let remembered: Cookies | null = null

  async function enter(t: Test, view: View = { scheme: 'light', width: 1280 }): Promise<Visit> {
    const visited = await visit(browser, base, view, remembered ?? [])
    t.teardown(() => leave(t, visited))
    // A story may have ended the remembered session.
    if (remembered && (await isLoggedIn(visited))) return visited
    await logInUnseen(visited, base, access)
    remembered = await visited.cookies()
    return visited
  }

  async function chat<Page extends ChatPage>(t: Test, opening: Promise<Page>): Promise<Page> {
    const page = await opening
    t.teardown(() => page.close())
    return page
  }

  async function newcomer(t: Test, view: View = { scheme: 'light', width: 1280 }, role: MemberRole = 'owner'): Promise<Newcomer> {
    const { tenant_id, email, password, password_hash, api_token } = await makeStoryWorkspace(pool, {
      named: 'Newcomers',
      user_name: 'Newcomer',
      token_name: 'test'
    })
    const other = `${role}-${email}`
    if (role !== 'owner') {
      const { rows } = await pool.query<{ user_id: string }>(
        'INSERT INTO users (user_id, email, name, password_hash) VALUES (gen_random_uuid(), $1, $2, $3) RETURNING user_id',
        [other, `The ${role}`, password_hash]
      )
      await pool.query('INSERT INTO members (tenant_id, user_id, role) VALUES ($1, $2, $3)', [tenant_id, rows[0]?.user_id, role])
    }
    const api: Newcomer['api'] = (method, path, body) => product.api(method, path, body, api_token)
    const visited = await visit(browser, base, view)
    t.teardown(async () => {
      await leave(t, visited)
      // Deleted, so that nobody keeps checking or missing what the story has left.
      for (const list of ['monitors', 'heartbeats', 'integrations/inbound']) {
        const { items = [] } = (await api('GET', `/api/v1/${list}`)).body as { items?: { id: string }[] }
        for (const { id } of items) await api('DELETE', `/api/v1/${list}/${id}`)
      }
    })
    await logInUnseen(visited, base, { email: role === 'owner' ? email : other, password })
    return { ...visited, api }
  }

  return {
    product,
    base,
    browser,
    site,
    slack: (t) => chat(t, openSlack(chats.slack ?? 0)),
    discord: (t) => chat(t, openDiscord(chats.discord ?? 0)),
    enter,
    newcomer,
    async inEachView(t, work) {
      for (const view of walks) {
        await t.test(`${view.scheme}, ${view.width} px`, async (t) => {
          const visited = await enter(t, view)
          await work(t, visited)
          t.same(visited.complaints, [], 'the page complains of nothing')
        })
      }
    },
    async looksRight(t, visited, name) {
      const looks = async (what: string): Promise<void> => {
        await visited.shot(name)
        t.same(await visited.findings(), [], `${what}: axe-core finds nothing serious`)
        const overflow = await visited.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
        t.equal(overflow, 0, `${what}: nothing stands beyond the edge`)
      }
      const scheme = visited.shownIn()
      await looks(`${name}, ${scheme}`)
      if (!visited.view.bothSchemes) return
      const other = otherScheme(scheme)
      await visited.showIn(other)
      await looks(`${name}, ${other}`)
    },
    async close() {
      await browser.close()
      await site.close()
      await pool.end()
      await own?.stop()
    }
  }
}
