/** The routes of pings. pings/ping.ts reads the path after the first segment. */
import type { App } from '../../http/uws.ts'
import { answerPreflight, type PingReception } from './reception.ts'

export function openPingDoors(app: App, reception: PingReception): void {
  for (const pattern of ['/api/v1/ping/*', '/ping/*']) {
    app.any(pattern, (response, request) => {
      if (request.getMethod() === 'options') answerPreflight(response, request)
      else reception.receive(response, request)
    })
  }
}
