/**
 * nginx with one worker that reads the body, keeps nothing and answers 202 to everything: the floor
 * of an HTTP server in C.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { program } from '../../harness/debian.ts'
import { freePort } from '../../harness/free-ports.ts'
import { version } from '../figures.ts'
import { treeCpuSeconds } from '../processes.ts'
import { answers, end, type Peer } from './peer.ts'

export async function nginx(folder: string): Promise<Peer> {
  const file = await program('nginx', 'nginx-light')
  const port = await freePort()
  const prefix = join(folder, 'nginx')
  mkdirSync(prefix, { recursive: true })
  writeFileSync(
    join(prefix, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${prefix}/pid; error_log ${prefix}/error.log crit;
events { worker_connections 2048; }
http { access_log off; keepalive_requests 100000000; client_body_temp_path ${prefix}/body; proxy_temp_path ${prefix}/proxy; fastcgi_temp_path ${prefix}/fastcgi;
  uwsgi_temp_path ${prefix}/uwsgi; scgi_temp_path ${prefix}/scgi; client_max_body_size 2m;
  server { listen 127.0.0.1:${port}; location / { return 202; } } }
`
  )
  const child = spawn(file, ['-p', prefix, '-c', join(prefix, 'nginx.conf')], { stdio: 'ignore' })
  await answers(`http://127.0.0.1:${port}/`)
  return {
    name: 'nginx-202',
    version: version('sh', '-c', `${file} -v 2>&1`),
    port,
    cpu: () => treeCpuSeconds(child.pid ?? 0),
    stop: () => end(child, 'SIGQUIT')
  }
}
