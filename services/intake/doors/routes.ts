/** What stands at which address: the doors, GET /health, and an answer to everything else. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../../schemas/files.ts'
import type { App, Handler } from '../../uws.ts'
import { type Answer, accepted, type Failure, failed, methodNotAllowed, notFound } from './answer.ts'
import { doors, incoming } from './doors.ts'
import type { Reception } from './reception.ts'

const { version }: { version: string } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))

/** That the process is there and answers; whether it can work is /health/ready of the internal listener. */
const health = (): Answer => accepted(JSON.stringify({ status: 'ok', version, time: new Date().toISOString() }))

export function openDoors(app: App, reception: Reception): void {
  const refuse =
    (failure: Failure): Handler =>
    (response, request) =>
      reception.reply((request_id) => failed(failure, request_id), response, request)
  for (const door of doors) {
    for (const path of door.paths) {
      app.post(path, (response, request) => reception.receive(door, response, request))
      if (door === incoming) app.get(path, (response, request) => reception.receiveQuery(door, response, request))
      app.any(path, refuse(methodNotAllowed('POST')))
    }
  }
  app.get('/health', (response, request) => reception.reply(health, response, request))
  app.any('/health', refuse(methodNotAllowed('GET')))
  app.any('/*', refuse(notFound))
}
