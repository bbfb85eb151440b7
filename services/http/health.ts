/**
 * GET /health of api, intake and gateway: the process is there and answers. Whether it can work is
 * /health/ready.
 */
import { version } from '../process/version.ts'

export const health = (): { status: 'ok'; version: string; time: string } => ({
  status: 'ok',
  version,
  time: new Date().toISOString()
})
