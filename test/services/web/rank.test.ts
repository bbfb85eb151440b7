/**
 * Tests, as tables, of what a person means by a few typed letters, and what search offers in which
 * order.
 */
import t from 'tap'
import { hitsOf } from '../../../services/web/shell/hits.ts'
import { matchOf, ranked } from '../../../services/web/shell/rank.ts'

t.test('search ranks the start of a label first, then words, parts and scattered letters', async (t) => {
  const order = (typed: string, ...labels: string[]): string[] =>
    ranked(
      typed,
      labels.map((label) => ({ label }))
    ).map(({ label }) => label)
  t.same(order('mon', 'Common errors', 'New monitor', 'Monitors', 'Member of the nation'), ['Monitors', 'New monitor', 'Common errors'])
  t.same(order('rr', 'Routing rules', 'Carrier', 'Your account'), ['Carrier'], 'letters far apart are chance')
  t.same(order('hrtb', 'Heartbeats', 'Incidents'), ['Heartbeats'])
  t.same(order('kaffee', 'Kaffeé bar', 'Tea'), ['Kaffeé bar'], 'marks of letters do not count')
  t.same(order('new rule', 'New routing rule', 'Rule of the new', 'New schedule'), ['New routing rule', 'Rule of the new'])
  t.same(order('', 'b', 'a'), ['b', 'a'], 'nothing typed: as they are')
  t.equal(matchOf('x', 'abc'), null)
})

t.test('another word for a page finds it, after labels with that word', async (t) => {
  const hits = [{ label: 'Heartbeats', also: 'cron jobs' }, { label: 'Cron of the shop' }]
  t.same(
    ranked('cron', hits).map(({ label }) => label),
    ['Cron of the shop', 'Heartbeats']
  )
})

t.test('what search offers, and in which order', async (t) => {
  const run = (): void => undefined
  const offer = {
    typed: '',
    origin: 'https://watch.example',
    page: [{ label: 'Acknowledge INC-7', run }],
    always: [{ label: 'Log out', run }],
    recent: [{ path: '/monitors/1', title: 'Shop' }],
    found: [],
    may: () => false
  }
  const labels = (more: Partial<typeof offer> & { typed: string }): string[] => hitsOf({ ...offer, ...more }).map(({ label }) => label)
  t.same(
    labels({ typed: '' }).slice(0, 3),
    ['Acknowledge INC-7', 'Shop', 'Overview'],
    'first what can be done here, then what was seen last'
  )
  t.notOk(labels({ typed: '' }).includes('New monitor'), 'not what the role does not allow')
  t.notOk(labels({ typed: '' }).includes('Audit log'))
  t.ok(hitsOf({ ...offer, may: () => true }).some(({ label }) => label === 'Audit log'))
  t.equal(labels({ typed: '42' })[0], 'INC-42')
  t.equal(labels({ typed: 'inc-42' })[0], 'INC-42')
  t.equal(labels({ typed: 'https://watch.example/monitors?tag=eu' })[0], '/monitors?tag=eu')
  t.notOk(labels({ typed: 'https://evil.example/' }).includes('/'), 'an address of others leads nowhere')
  t.same(labels({ typed: 'log' }).slice(0, 1), ['Log out'])
})
