/** The routes: the doors, GET /health, and an answer to every other request. */

import { type Answer, accepted, type Failure, failed, methodNotAllowed, notFound } from '../../http/answer.ts'
import { health } from '../../http/health.ts'
import type { App, Handler } from '../../http/uws.ts'
import { doors, incoming } from './doors.ts'
import { inVendorsWords, nativeDoor, operationOf, segments } from './native.ts'
import type { NativeReads } from './native-reads.ts'
import type { Reception } from './reception.ts'

export function openDoors(app: App, reception: Reception, reads: Pick<NativeReads, 'receive' | 'locate'>): void {
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
  for (const segment of segments) {
    const base = `/api/v1/${segment}/`
    app.any(`${base}*`, (response, request) => {
      const operation = operationOf(request.getMethod(), request.getUrl().slice(base.length), request.getQuery('identifierType') || '')
      if ('write' in operation) reception.receive(nativeDoor(operation.write, request, reads.locate), response, request)
      else if ('read' in operation) reads.receive(operation.read, response, request)
      else {
        const refused = (request_id: string): Answer => failed(operation.refused, request_id, (ours) => inVendorsWords(ours, 0))
        reception.reply(refused, response, request)
      }
    })
  }
  app.get('/health', (response, request) => reception.reply(() => accepted(JSON.stringify(health())), response, request))
  app.any('/health', refuse(methodNotAllowed('GET')))
  app.any('/*', refuse(notFound))
}
