/**
 * Tests of importing monitors from JSON or a table. The import creates all of them or none, and
 * reports every error by row and field.
 */
import t from 'tap'
import { ApiError } from '../../../services/api/http/errors.ts'
import { definitionsOfCsv, recordsOf } from '../../../services/api/monitors/csv.ts'
import { type Body, configsOf, create, MONITORS, rowsOf } from './monitoring.ts'
import { makeRegions } from './probing.ts'
import { stand } from './stand.ts'

t.setTimeout(120_000)

t.test('records of CSV texts', async (t) => {
  const cases: [name: string, text: string, records: string[][]][] = [
    [
      'plain',
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2']
      ]
    ],
    [
      'ends with a line',
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2']
      ]
    ],
    ['quotes', 'a\n"x, ""y"""', [['a'], ['x, "y"']]],
    [
      'a line in a value',
      'a,b\n"1\n2",3',
      [
        ['a', 'b'],
        ['1\n2', '3']
      ]
    ],
    [
      'semicolons',
      'a;b\n1,5;2',
      [
        ['a', 'b'],
        ['1,5', '2']
      ]
    ],
    [
      'tabs',
      'a\tb\n1\t2',
      [
        ['a', 'b'],
        ['1', '2']
      ]
    ],
    ['a mark at the beginning', '\ufeffa\n1', [['a'], ['1']]],
    [
      'empty lines',
      'a,b\n\n1,2\n\n',
      [
        ['a', 'b'],
        ['1', '2']
      ]
    ],
    [
      'a comma in the name of a column',
      '"a,b";c\n1;2',
      [
        ['a,b', 'c'],
        ['1', '2']
      ]
    ]
  ]
  for (const [name, text, records] of cases) t.same(recordsOf(text), records, name)
  t.throws(() => recordsOf('a\n"1'), { code: 'VALIDATION_FAILED' })
})

/** Returns the errors of a table; none if it can be read. */
function faultsOf(text: string): unknown {
  try {
    definitionsOfCsv(text)
    return []
  } catch (error) {
    return error instanceof ApiError && error.details
  }
}

t.test('CSV rows become monitor definitions', async (t) => {
  const text = [
    'Name,type,target,interval_seconds,tags,labels,open_on_degraded,tls_expiry_days,assertions,description',
    'Shop,http,https://shop.example/,60,web;shop,team=web; env=prod,yes,30;7,"[{""source"":""status"",""op"":""eq"",""value"":200}]",',
    'Mail,smtp,mail.example:25,often,,,,,[broken,The way in'
  ].join('\n')
  t.same(definitionsOfCsv(text), [
    {
      name: 'Shop',
      type: 'http',
      target: 'https://shop.example/',
      interval_seconds: 60,
      tags: ['web', 'shop'],
      labels: { team: 'web', env: 'prod' },
      open_on_degraded: true,
      tls_expiry_days: [30, 7],
      assertions: [{ source: 'status', op: 'eq', value: 200 }]
    },
    { name: 'Mail', type: 'smtp', target: 'mail.example:25', interval_seconds: 'often', assertions: '[broken', description: 'The way in' }
  ])
  for (const [text, rule] of [
    ['target\nx', 'required'],
    ['name,colour\nx,red', 'unknown_field'],
    ['name,name\nx,y', 'duplicate']
  ] as const)
    t.match(faultsOf(text), [{ path: 'content', rule }])
})

t.test('importing monitors', async (t) => {
  const s = await stand(t)
  await makeRegions(s)
  const run = (body: Body, who = s.acme) => s.call(who, 'POST', `${MONITORS}/import`, body)
  const count = async (): Promise<number> => (await s.call(s.acme, 'GET', MONITORS)).json().total
  const shop = { name: 'Shop', type: 'http', target: 'https://shop.example/', tags: ['web'] }
  const mail = { name: 'Mail', type: 'tcp', target: 'mail.example:25', interval_seconds: 300 }

  await t.test('a dry run reports what the import would do and changes nothing', async (t) => {
    const answer = await run({ items: [shop, mail] })
    t.equal(answer.statusCode, 200, answer.body)
    t.same(answer.json(), {
      dry_run: true,
      create: 2,
      update: 0,
      skip: 0,
      items: [
        { row: 1, name: 'Shop', action: 'create' },
        { row: 2, name: 'Mail', action: 'create' }
      ],
      groups: [],
      errors: []
    })
    t.equal(await count(), 0)
    t.same(await rowsOf(s.systemPool, "SELECT action FROM audit WHERE object_type = 'monitor'", []), [])
  })

  await t.test('an import creates new monitors, updates changed ones and skips equal ones', async (t) => {
    t.match((await run({ items: [shop, mail], dry_run: false })).json(), { dry_run: false, create: 2, update: 0, skip: 0 })
    t.equal(await count(), 2)
    const again = await run({ items: [shop, { ...mail, name: 'MAIL', interval_seconds: 600 }], dry_run: false })
    t.match(again.json(), { create: 0, update: 1, skip: 1, items: [{ action: 'skip' }, { action: 'update' }] })
    const { items } = (await s.call(s.acme, 'GET', MONITORS)).json()
    t.match(items, [
      { name: 'MAIL', interval_seconds: 600, version: 2 },
      { name: 'Shop', tags: ['web'], version: 1 }
    ])
    t.match((await configsOf(s, items[0].id)).at(-1), { version: 2 })
  })

  await t.test('a CSV import creates new monitors and skips equal ones', async (t) => {
    const content = 'name;type;target;tags\nShop;http;https://shop.example/;web\nBlog;http;https://blog.example/;web'
    t.match((await run({ format: 'csv', content, dry_run: false })).json(), { create: 1, update: 0, skip: 1 })
    t.equal(await count(), 3)
  })

  await t.test('an import finds groups by name and creates missing ones', async (t) => {
    const groups = async (): Promise<string[]> =>
      (await s.call(s.acme, 'GET', '/api/v1/monitor-groups')).json().items.map(({ name }: { name: string }) => name)
    const before = await count()
    const content = 'name,type,target,group\nOne,tcp,a.example:1,Network\nTwo,tcp,b.example:1,network\nThree,tcp,c.example:1,'
    const dry = await run({ format: 'csv', content })
    t.match(dry.json(), { create: 3, groups: ['Network'], errors: [] }, dry.body)
    t.same(await groups(), [], 'a dry run makes none')
    t.match((await run({ format: 'csv', content, dry_run: false })).json(), { create: 3, groups: ['Network'] })
    t.same(await groups(), ['Network'])
    const [made] = (await s.call(s.acme, 'GET', '/api/v1/monitor-groups')).json().items
    t.match(made.monitors, { total: 2 })
    t.match((await run({ format: 'csv', content, dry_run: false })).json(), { skip: 3, groups: [] })
    const moved = [{ name: 'Three', type: 'tcp', target: 'c.example:1', group: 'NETWORK' }]
    t.match((await run({ items: moved, dry_run: false })).json(), { update: 1, groups: [] })
    t.match((await run({ items: [{ ...moved[0], group_id: made.id }] })).json().errors, [
      { row: 1, field: 'group', code: 'mutually_exclusive' }
    ])
    const broken = [
      { name: 'Four', type: 'tcp', target: 'd.example:1', group: 'Other' },
      { name: 'Five', type: 'tcp', target: 'd.example:1', group: '' }
    ]
    t.match((await run({ items: broken, dry_run: false })).json().details, [{ path: 'items[1].group', rule: 'length' }])
    t.same(await groups(), ['Network'], 'nor does an import that is refused')
    const theirs = await run(
      { items: [{ name: 'Theirs', type: 'tcp', target: 'd.example:1', group: 'Network' }], dry_run: false },
      s.globex
    )
    t.match(theirs.json(), { create: 1, groups: ['Network'] }, 'names are of a workspace')
    const audited = await rowsOf(s.systemPool, "SELECT action FROM audit WHERE object_type = 'monitor_group' AND tenant_id = $1", [
      s.acme.tenant_id
    ])
    t.same(audited, [{ action: 'monitor_group.created' }])
    for (const { id } of (await s.call(s.acme, 'GET', `${MONITORS}?group_id=${made.id}`)).json().items)
      await s.call(s.acme, 'DELETE', `${MONITORS}/${id}`)
    t.equal(await count(), before)
  })

  await t.test('an import reports all errors by row and field and changes nothing', async (t) => {
    const before = await count()
    const items = [
      { name: 'Good', type: 'http', target: 'https://good.example/' },
      { name: '', type: 'http', target: 'https://x.example/' },
      { name: 'Inside', type: 'http', target: 'http://10.0.0.1/' },
      { name: 'Quick', type: 'http', target: 'https://x.example/', interval_seconds: 1, timeout_seconds: 99 },
      { name: 'good', type: 'http', target: 'https://x.example/' },
      { name: 'Shop', type: 'tcp', target: 'x.example:1' },
      { name: 'Odd', type: 'http', target: 'https://x.example/', colour: 'red' },
      { name: 'Secret', type: 'http', target: 'https://x.example/', config: { auth: { type: 'bearer', token: 'hunter2', scope: 'x' } } }
    ]
    const dry = await run({ items })
    t.equal(dry.statusCode, 200, dry.body)
    t.match(dry.json().errors, [
      { row: 2, name: '', field: 'name', code: 'length' },
      { row: 3, name: 'Inside', field: 'target', code: 'blocked_target' },
      { row: 4, field: 'interval_seconds', code: 'min' },
      { row: 4, field: 'timeout_seconds', code: 'max' },
      { row: 5, field: 'name', code: 'duplicate', message: /row 1/ },
      { row: 6, field: 'type', code: 'immutable' },
      { row: 7, field: 'colour', code: 'unknown_field' },
      { row: 8, name: 'Secret' }
    ])
    t.notMatch(dry.body, 'hunter2')
    const done = await run({ items, dry_run: false })
    t.equal(done.statusCode, 422)
    t.match(done.json().details[0], { path: 'items[1].name', rule: 'length' })
    t.equal(done.json().details.length, dry.json().errors.length)
    t.equal(await count(), before, 'the good one neither')
  })

  await t.test('an import that would exceed the plan is refused as a whole', async (t) => {
    const small = await s.workspace('small', 'free')
    await create(s, small, { interval_seconds: 180 })
    const items = Array.from({ length: 10 }, (_, nth) => ({ name: `Site ${nth}`, type: 'http', target: 'https://x.example/' }))
    for (const dry_run of [true, false]) {
      const answer = await run({ items, dry_run }, small)
      t.equal(answer.statusCode, 403, answer.body)
      t.match(answer.json(), { code: 'TIER_LIMIT_EXCEEDED', details: [{ limit_key: 'monitors', limit: 10, actual: 11 }] })
    }
    t.match((await run({ items: items.slice(0, 9), dry_run: false }, small)).json(), { create: 9 })
  })

  await t.test('an import body that fits neither format is refused', async (t) => {
    const cases: [body: Body, path: string][] = [
      [{}, 'items'],
      [{ items: [] }, 'items'],
      [{ items: ['x'] }, 'items[0]'],
      [{ format: 'csv' }, 'content'],
      [{ format: 'csv', content: 'name' }, 'content'],
      [{ format: 'csv', items: [shop] }, 'items'],
      [{ items: [shop], content: 'x' }, 'content'],
      [{ format: 'xml', content: 'x' }, 'format']
    ]
    for (const [body, path] of cases) {
      const answer = await run(body)
      t.equal(answer.statusCode, 422, `${path}: ${answer.body}`)
      t.match(answer.json().details[0], { path })
    }
    const many = await run({ format: 'csv', content: `name\n${Array.from({ length: 501 }, (_, nth) => `m${nth}`).join('\n')}` })
    t.match(many.json().details[0], { path: 'content', rule: 'length', limit: 500, actual: 501 })
  })
})
