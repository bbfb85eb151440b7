import { createPool, transaction } from '/work/main/services/store/pool.ts'
import { uuidv4, uuidv7 } from '/work/main/schemas/uuid.ts'
import { incidentProcessor } from '/work/main/streams/topology.ts'
import { incidentStore } from '/work/main/services/store/incidents.ts'
import { insertOutgoing } from '/work/main/services/store/outbox.ts'
import { localCodec } from '/work/main/test/harness/codec.ts'
import { alertInput } from '/work/main/test/incidents/build.ts'
import { database } from '/work/main/test/harness/engines.ts'
const downs: (() => unknown)[] = []
const urls = await database({ teardown: (f) => downs.push(f) })
console.log(urls.systemUrl.split('/').pop()); const pool = createPool(urls.systemUrl, { application_name: 'bench test', max: 2, pipeline: true })
const codec = localCodec()
const tenants = Array.from({ length: 20 }, () => uuidv4())
const make = (n: number, action: 'fire' | 'resolve', keys: string[], at: number) => keys.map((k, i) => alertInput({ tenant_id: tenants[i % 20], dedup_key: k, event_id: uuidv4(), action, occurred_at: at, received_at: at }, { offset: i }))
const t = { load: 0, fold: 0, save: 0, out: 0, commit: 0 }
async function go(inputs) {
  let c0 = 0
  await transaction(pool, async (tx) => {
    let a = performance.now(); const loaded = await incidentStore.load(tx, inputs); let b = performance.now(); t.load += b - a
    const r = incidentProcessor.fold(loaded, inputs); a = performance.now(); t.fold += a - b
    await incidentStore.save(tx, r.saved); b = performance.now(); t.save += b - a
    await insertOutgoing(tx, r.outgoing, codec); a = performance.now(); t.out += a - b; c0 = a
  }); t.commit += performance.now() - c0
  await pool.query('DELETE FROM outbox')
}
for (const size of [1, 10, 100, 500]) {
  for (const kind of ['warm', 'open', 'repeat', 'resolve']) {
    const rounds = Math.max(6, Math.ceil((kind === 'warm' ? 300 : 1000) / size))
    const batches = Array.from({ length: rounds }, () => Array.from({ length: size }, () => 'int:' + uuidv7()))
    const start = Date.now()
    if (kind !== 'open' && kind !== 'warm') for (const b of batches) await go(make(size, 'fire', b, start))
    const inputs = batches.map((b) => make(size, kind === 'resolve' ? 'resolve' : 'fire', b, start + (kind === 'open' || kind === 'warm' ? 0 : 5)))
    for (const k of Object.keys(t)) t[k] = 0
    const cpu = process.cpuUsage()
    for (const i of inputs) await go(i)
    const used = process.cpuUsage(cpu)
    const per = Object.fromEntries(Object.entries(t).map(([k, v]) => [k, +(v * 1000 / rounds).toFixed(0)]))
    if (kind !== 'warm') console.log(size, kind, 'µs a batch', per, 'node cpu µs/alert', ((used.user + used.system) / rounds / size).toFixed(1))
  }
}
await pool.end(); for (const d of downs) await d()
