/**
 * npm run fuzz -- [parsers] [--executions N] [--source kind] [--seed S]: sends hostile payloads
 * through the doors' code; each source gets its share of the executions. No payload may make it
 * throw anything but a refusal, break a contract, or take over 50 ms. Ends with `N passed, N
 * failed`; the seed makes the same payloads again.
 */
import { parseArgs } from 'node:util'
import { sourceTypes } from '../../schemas/generated/source-types.ts'
import { UsageError } from '../../services/operator/tool.ts'
import { printMachine } from '../bench/figures.ts'
import { localCodec } from '../harness/codec.ts'
import { fuzz, type Run, told } from './run.ts'
import { seedOf, wholeNumber } from './words.ts'

const MAX_MS = 50

export async function fuzzParsers(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { executions: { type: 'string', default: '1000000' }, source: { type: 'string' }, seed: { type: 'string' } }
  })
  const executions = wholeNumber(values.executions, 'executions')
  const seed = seedOf(values.seed)
  const kinds = sourceTypes.filter((kind) => values.source === undefined || kind === values.source)
  if (kinds.length === 0) throw new UsageError(`--source: expected one of ${sourceTypes.join(', ')}`)

  printMachine(
    `payloads made from fixtures, samples and fast-check's values; decode, control, parse, normalise and encode each; every 16th also proven, kept and parsed twice`
  )
  console.log(`seed: ${seed}`)
  const codec = localCodec()
  const each = Math.floor(executions / kinds.length)
  const runs: Run[] = []
  const from = performance.now()
  for (const [index, kind] of kinds.entries()) {
    const share = index === 0 ? executions - each * (kinds.length - 1) : each
    const began = performance.now()
    const run = await fuzz({ kind, executions: share, seed, codec, mostMs: MAX_MS })
    const { outcomes, slowest, failures } = run
    runs.push(run)
    console.log(
      `${kind}: ${share} executions, ${Math.round(share / ((performance.now() - began) / 1000))}/s; accepted ${outcomes.accepted}, ignored ${outcomes.ignored}, refused ${outcomes.refused}; slowest ${slowest.ms.toFixed(1)} ms with ${slowest.bytes} bytes (payload ${slowest.n})`
    )
    for (const failure of failures) console.log(told(failure, kind, seed))
  }
  const seconds = (performance.now() - from) / 1000
  const [slow] = [...runs].sort((one, other) => other.slowest.ms - one.slowest.ms)
  const failed = runs.reduce((sum, { failures }) => sum + failures.length, 0)
  const taken = runs.reduce((sum, { outcomes }) => sum + outcomes.accepted + outcomes.ignored + outcomes.refused, 0)
  console.log(`${Math.round(taken / seconds)} executions per second; slowest: ${slow?.kind} ${slow?.slowest.ms.toFixed(1)} ms`)
  console.log(`${taken} passed, ${failed} failed`)
  return failed === 0 && taken > 0 ? 0 : 1
}
