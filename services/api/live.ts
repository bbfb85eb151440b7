/** The bare live page: three files, read once. Its script and style are files of their own, as the content policy wants it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { projectRoot } from '../../schemas/files.ts'
import { sha256 } from '../credentials.ts'

const files = [
  { url: '/', file: 'index.html', type: 'text/html; charset=utf-8' },
  { url: '/live.js', file: 'live.js', type: 'text/javascript; charset=utf-8' },
  { url: '/live.css', file: 'live.css', type: 'text/css; charset=utf-8' }
]

export function installLive(app: FastifyInstance): void {
  for (const { url, file, type } of files) {
    const body = readFileSync(join(projectRoot, 'services/api/live', file))
    const etag = `"${sha256(body.toString('utf8')).toString('hex').slice(0, 16)}"`
    app.get(url, async (request, reply) => {
      reply.headers({ etag, 'cache-control': 'no-cache' })
      if (request.headers['if-none-match'] === etag) return reply.code(304).send()
      return reply.type(type).send(body)
    })
  }
}
