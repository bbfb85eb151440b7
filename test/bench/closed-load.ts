/**
 * Closed-loop load by wrk: a fixed number of connections, each of which sends its next request
 * after the answer to the previous one.
 */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'

export interface Script {
  file: string
  method?: 'GET' | 'POST'
  path: string
  headers: Readonly<Record<string, string>>
  /** Bodies, sent in turn. An empty text means no body. */
  bodies: readonly string[]
  /** Paths to use in turn together with the bodies, instead of `path`. */
  paths?: readonly string[]
}

/**
 * Writes a wrk script that sends the bodies in turn, starting anywhere in the list. Bodies are
 * written as Lua long strings.
 */
export function writeScript({ file, method = 'POST', path, headers, bodies, paths }: Script): void {
  const lua = [
    `local bodies = { ${bodies.map((body) => `[==[${body}]==]`).join(',\n')} }`,
    `local paths = { ${(paths ?? []).map((one) => `"${one}"`).join(', ')} }`,
    `local headers = { ${Object.entries(headers)
      .map(([name, value]) => `["${name}"] = "${value}"`)
      .join(', ')} }`,
    'local requests, at = {}, os.time() * 997 % #bodies',
    `function init(args) for i, body in ipairs(bodies) do requests[i] = wrk.format("${method}", paths[i] or "${path}", headers, body ~= "" and body or nil) end end`,
    'function request() at = at % #requests + 1; return requests[at] end',
    'function done(summary, latency, requests) io.write(string.format("RESULT %d %d %d %d\\n", summary.requests, summary.errors.status, summary.duration, latency:percentile(99))) end'
  ]
  writeFileSync(file, lua.join('\n'))
}

export interface LoadResult {
  requests: number
  /** Number of answers that are not 2xx or 3xx. */
  refused: number
  seconds: number
  p99Ms: number
}

export async function closedLoad(file: string, port: number, connections: number, seconds: number): Promise<LoadResult> {
  const text = await new Promise<string>((resolve, reject) => {
    const wrk = spawn('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', file, `http://127.0.0.1:${port}`], {
      stdio: ['ignore', 'pipe', 'inherit']
    })
    let output = ''
    wrk.stdout.on('data', (chunk: Buffer) => {
      output += chunk
    })
    wrk.once('error', reject)
    wrk.once('exit', (code) => (code === 0 ? resolve(output) : reject(new Error(`wrk ended with code ${code}`))))
  })
  const [, requests = 0, refused = 0, microseconds = 1, p99 = Number.NaN] = (/RESULT (\d+) (\d+) (\d+) (\d+)/.exec(text) ?? []).map(Number)
  return { requests, refused, seconds: microseconds / 1e6, p99Ms: p99 / 1000 }
}
