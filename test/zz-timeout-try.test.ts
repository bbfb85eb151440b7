import t from 'tap'
t.setTimeout(20_000)
t.test('slow', async (t) => { await new Promise((r) => setTimeout(r, 8000)); t.pass('x') })
