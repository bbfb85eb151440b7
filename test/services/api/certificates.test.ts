/**
 * Tests of the list of certificates: ordered by expiry, filtered, in pages, and only of monitors
 * that the caller can see.
 */
import t from 'tap'
import { create, setState } from './monitoring.ts'
import { as, person } from './people.ts'
import { onlineEverywhere } from './probing.ts'
import { stand } from './stand.ts'

const DAY = 86_400_000
const CERTIFICATES = '/api/v1/certificates'

t.test('the list of certificates', async (t) => {
  const s = await stand(t)
  await onlineEverywhere(s)
  const home = await s.workspace('certificates-list')
  const now = Date.now()
  const seen = async (name: string, days: number | null, more: Record<string, unknown> = {}) => {
    const { id } = await create(s, home, { name, target: `https://${name}.example.com/`, ...more })
    await setState(s, home, id, {
      certificate_not_after: days === null ? null : now + days * DAY,
      certificate_issuer: 'CN=Test CA',
      certificate_chain_ok: days !== 3.5,
      last_checked_at: now
    })
    return id
  }
  const list = async (query = '', who = home) => (await s.call(who, 'GET', `${CERTIFICATES}${query}`)).json()
  const names = async (query = ''): Promise<string[]> =>
    (await list(query)).items.map(({ monitor_name }: { monitor_name: string }) => monitor_name)

  t.same(await list(), { items: [], total: 0, page: 1, per_page: 50, total_pages: 0 })
  const late = await seen('late', 80.5)
  const over = await seen('over', -0.5)
  const soon = await seen('soon', 3.5)
  await seen('plain', null)
  const mail = await seen('mail', 20.5)
  // As if a prober of this test supported this type.
  await s.systemPool.query("UPDATE monitors SET type = 'tls', target = 'mail.example.com:465', config = $2 WHERE monitor_id = $1", [
    mail,
    JSON.stringify({ server_name: 'mx.example.com' })
  ])

  await t.test('the certificate that expires first is on top, with its remaining days', async (t) => {
    const { items, total } = await list()
    t.equal(total, 4)
    t.match(items, [
      { monitor_id: over, days_left: -1, host: 'over.example.com' },
      { monitor_id: soon, days_left: 3, chain_ok: false, issuer: 'CN=Test CA', monitor_status: 'up', told: null },
      { monitor_id: mail, days_left: 20, host: 'mx.example.com', target: 'mail.example.com:465', type: 'tls' },
      { monitor_id: late, days_left: 80, tls_expiry_days: [30, 14, 7, 3, 1] }
    ])
  })

  await t.test('filters and pages of certificates', async (t) => {
    t.same(await names('?within_days=30'), ['over', 'soon', 'mail'])
    t.same(await names('?within_days=0'), ['over'])
    t.same(await names('?q=MAIL.ex'), ['mail'])
    t.same(await names('?q=nothing'), [])
    t.same(await names('?per_page=2&page=2'), ['mail', 'late'])
    t.match(await list('?per_page=3'), { total: 4, total_pages: 2 })
    for (const query of ['?within_days=-1', '?within_days=x', '?team_id=x', '?q=a', '?sort=name', '?per_page=201'])
      t.ok([400, 422].includes((await s.call(home, 'GET', `${CERTIFICATES}${query}`)).statusCode), query)
  })

  await t.test('certificates of other workspaces, private teams and deleted monitors are hidden', async (t) => {
    t.equal((await list('', s.acme)).total, 0)
    const viewer = await person(s, home, 'viewer-certificates', 'viewer')
    const team = (await s.call(home, 'POST', '/api/v1/teams', { name: 'Secret', visibility: 'private' })).json()
    const hidden = await seen('hidden', 1.5, { team_id: team.id })
    t.same(await names(`?team_id=${team.id}`), ['hidden'])
    t.equal((await as(s, viewer, 'GET', CERTIFICATES)).json().total, 4)
    t.equal((await as(s, viewer, 'GET', `${CERTIFICATES}?team_id=${team.id}`)).json().total, 0)
    t.equal((await s.call(home, 'DELETE', `/api/v1/monitors/${hidden}`)).statusCode, 204)
    t.equal((await list()).total, 4)
  })
})
