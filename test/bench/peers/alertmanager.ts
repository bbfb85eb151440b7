/** Debian's Prometheus Alertmanager: keeps alerts in memory only. */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { program } from '../../harness/debian.ts'
import { freePort } from '../../harness/free-ports.ts'
import { version } from '../figures.ts'
import { treeCpuSeconds } from '../processes.ts'
import { answers, end, type Peer } from './peer.ts'

const tellsNobody = 'route: { receiver: none, group_wait: 1h }\nreceivers: [{ name: none }]\n'

export async function alertmanager(folder: string, settings = tellsNobody): Promise<Peer> {
  const file = await program('prometheus-alertmanager', 'prometheus-alertmanager')
  const port = await freePort()
  writeFileSync(join(folder, 'am.yml'), settings)
  const child = spawn(
    file,
    [
      `--config.file=${join(folder, 'am.yml')}`,
      `--storage.path=${join(folder, 'am')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
      '--log.level=error'
    ],
    { stdio: 'ignore' }
  )
  await answers(`http://127.0.0.1:${port}/-/ready`)
  return {
    name: 'alertmanager',
    version: version(file, '--version'),
    port,
    cpu: () => treeCpuSeconds(child.pid ?? 0),
    stop: () => end(child)
  }
}
