/**
 * GET /health of api, intake and gateway says that the process runs and answers. Whether it can
 * work is said by /health/ready.
 */
import { version } from '../process/version.ts'

export const health = (): { status: 'ok'; version: string; time: string } => ({
  status: 'ok',
  version,
  time: new Date().toISOString()
})
