/** Runs the notifier as its own process, which a test kills: jobs and deliveries, until SIGTERM. */
import { createPool } from '../../../services/store/pool.ts'
import { notifierOn } from './channels.ts'

const url = process.env.SERVICE_POSTGRES_SYSTEM_URL
if (url === undefined) throw new Error('SERVICE_POSTGRES_SYSTEM_URL is not set')
const pool = createPool(url, { application_name: 'notifier', max: 6 })
const { close } = notifierOn(pool, { limits: { connectMs: 2000, totalMs: 500 } })
process.once('SIGTERM', () => void close().then(() => pool.end()))
process.stdout.write('started\n')
