/** Closed-loop load by wrk: as many requests as so many connections bring through. */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'

export interface Script {
  file: string
  method?: 'GET' | 'POST'
  path: string
  headers: Readonly<Record<string, string>>
  /** Sent in turn. An empty text stands for no body. */
  bodies: readonly string[]
  /** Paths in turn with the bodies, instead of `path`. */
  paths?: readonly string[]
}

/**
 * A wrk script that sends bodies in turn, from anywhere among them. Bodies are written as Lua long
 * strings.
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
  /** Answers that are not 2xx or 3xx. */
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
