/** Tests of saved views over HTTP: each belongs to one person and has a name. */
import t from 'tap'
import { MAX_VIEWS } from '../../../schemas/http/views.ts'
import { as, person } from './people.ts'
import { stand } from './stand.ts'

const VIEWS = '/api/v1/account/views'

t.test('saved views of a person', async (t) => {
  const s = await stand(t)
  const save = (body: object) => s.call(s.acme, 'POST', VIEWS, body)
  const namesOf = async () => (await s.call(s.acme, 'GET', VIEWS)).json().items.map(({ name }: { name: string }) => name)

  await t.test('a view is saved, listed by name, replaced by one of the same name, and deleted', async (t) => {
    const first = await save({ page: 'incidents', name: ' Payments ', search: { status: 'triggered', label: 'team=payments' } })
    t.equal(first.statusCode, 201)
    t.match(first.json(), { name: 'Payments', page: 'incidents', search: { status: 'triggered', label: 'team=payments' }, version: 1 })
    await save({ page: 'incidents', name: 'Mine', search: { mine: 'true' } })
    t.same(await namesOf(), ['Mine', 'Payments'])
    const again = await save({ page: 'incidents', name: 'PAYMENTS', search: { q: 'disk' } })
    t.match(again.json(), { id: first.json().id, name: 'PAYMENTS', search: { q: 'disk' }, version: 2 })
    t.same(await namesOf(), ['Mine', 'PAYMENTS'])
    t.equal((await s.call(s.acme, 'DELETE', `${VIEWS}/${first.json().id}`)).statusCode, 204)
    t.equal((await s.call(s.acme, 'DELETE', `${VIEWS}/${first.json().id}`)).statusCode, 404)
    t.same(await namesOf(), ['Mine'])
  })

  await t.test('an invalid view is refused with the path of its fault', async (t) => {
    const cases: [body: object, path: string][] = [
      [{ page: 'monitors', name: 'x', search: {} }, 'page'],
      [{ page: 'incidents', name: '', search: {} }, 'name'],
      [{ page: 'incidents', name: 'x', search: { q: 7 } }, 'search.q'],
      [{ page: 'incidents', name: 'x', search: { 'a b': 'x' } }, 'search'],
      [{ page: 'incidents', name: 'x' }, 'search']
    ]
    for (const [body, path] of cases) {
      const answer = await save(body)
      t.equal(answer.statusCode, 422, path)
      t.match(answer.json().details[0].path, path)
    }
  })

  await t.test('each member has their own saved views', async (t) => {
    const kim = await person(s, s.acme, 'kim', 'viewer')
    t.same((await as(s, kim, 'GET', VIEWS)).json().items, [])
    t.equal((await as(s, kim, 'POST', VIEWS, { page: 'incidents', name: 'Mine', search: {} })).statusCode, 201)
    t.same(await namesOf(), ['Mine'], 'of the same name, beside the other')
  })

  await t.test('the number of saved views per person is limited', async (t) => {
    const { rows } = await s.systemPool.query('SELECT count(*)::int AS count FROM saved_views WHERE tenant_id = $1 AND user_id = $2', [
      s.acme.tenant_id,
      s.acme.user_id
    ])
    await s.systemPool.query(
      `INSERT INTO saved_views (tenant_id, view_id, user_id, page, name, search)
       SELECT $1, gen_random_uuid(), $2, 'incidents', 'filler ' || n, '{}' FROM generate_series(1, $3) n`,
      [s.acme.tenant_id, s.acme.user_id, MAX_VIEWS - rows[0].count]
    )
    const answer = await save({ page: 'incidents', name: 'one too many', search: {} })
    t.equal(answer.statusCode, 409)
    t.match(answer.json(), { code: 'CONFLICT', details: [{ rule: 'max', limit: MAX_VIEWS }] })
    t.equal((await save({ page: 'incidents', name: 'Mine', search: { q: 'x' } })).statusCode, 201, 'one that is there can be replaced')
  })
})
