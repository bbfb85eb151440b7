/**
 * IDLE: CPU of all the product's Node processes together over a minute in which only ten monitors
 * are checked from three regions, and the memory of every process of the stack (proportional set
 * size). The product runs as `npm start` runs it. The server that the monitors check is in this
 * process.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { localRegions } from '../../services/local/regions.ts'
import { startProduct } from '../harness/product.ts'
import { figure, printMachine } from './figures.ts'
import { cpuSeconds, memoryMiB, tree } from './processes.ts'

const CPU_SHARE = 0.05
const STACK_MIB = 1600
const MONITORS = 10

const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0] ?? ''

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { secs: { type: 'string', default: '60' }, settle: { type: 'string', default: '20' } } })
  printMachine(`CPU from /proc over ${values.secs} s after ${values.settle} s of settling; memory as PSS at the end`)
  const watched = createServer((_, response) => response.end('well'))
  await new Promise<void>((resolve) => watched.listen(0, '127.0.0.1', resolve))
  const target = `http://127.0.0.1:${(watched.address() as AddressInfo).port}/`
  const product = await startProduct({ environment: { PROBER_ALLOW_CIDRS: '127.0.0.0/8' } })
  try {
    const regions = localRegions.map(({ code }) => code)
    for (let index = 0; index < MONITORS; index++) {
      const made = await product.api('POST', '/api/v1/monitors', {
        name: `Watched ${index}`,
        type: 'http',
        target,
        regions,
        interval_seconds: 60
      })
      if (made.status !== 201) throw new Error(`POST /monitors answered ${made.status}: ${JSON.stringify(made.body)}`)
    }
    await new Promise((resolve) => setTimeout(resolve, Number(values.settle) * 1000))
    const supervisor = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${product.pids().api}/status`, 'utf8'))?.[1])
    const named = new Map(Object.entries(product.pids()).map(([name, pid]) => [pid, name]))
    named.set(supervisor, 'supervisor')
    const pids = tree(supervisor)
    const before = new Map(pids.map((pid) => [pid, cpuSeconds(pid)]))
    const from = process.hrtime.bigint()
    await new Promise((resolve) => setTimeout(resolve, Number(values.secs) * 1000))
    const seconds = Number(process.hrtime.bigint() - from) / 1e9
    let node = 0
    let memory = 0
    const others = new Map<string, { cpu: number; memory: number }>()
    for (const pid of pids) {
      if (!existsSync(`/proc/${pid}`)) continue // Postgres's own helpers come and go.
      const cpu = (cpuSeconds(pid) - (before.get(pid) ?? 0)) / seconds
      const own = memoryMiB(pid)
      memory += own
      const command = commandOf(pid)
      const name = named.get(pid) ?? (command.includes('postgres') ? 'postgres' : command.split('/').at(-1) || 'helper')
      if (/\bnode$/.test(command)) node += cpu
      const known = others.get(name) ?? { cpu: 0, memory: 0 }
      others.set(name, { cpu: known.cpu + cpu, memory: known.memory + own })
    }
    for (const [name, { cpu, memory: own }] of others)
      console.log(`  ${name.padEnd(14)} ${(cpu * 100).toFixed(2).padStart(6)} % of a core  ${own.toFixed(0).padStart(5)} MiB`)
    figure({ id: 'IDLE', value: node, unit: 'cores', target: { op: '<=', value: CPU_SHARE } })
    figure({ id: 'IDLE_MEMORY', value: memory, unit: 'MiB', target: { op: '<=', value: STACK_MIB } })
  } finally {
    await product.stop()
    watched.close()
  }
}
