/**
 * Decides anew who is on call in a schedule. The version that worked while the migration ran
 * decided by its own order of overrides, for as long as the present shift lasts. The upgrade starts
 * one job for each such schedule (schemas/postgres/0237_overrides_decided_again.sql).
 * Source: docs/design/api/on-call.md#s7-1.
 */
import { changing } from '../../store/schedule-history.ts'
import { payloadText, type RunJob } from '../job.ts'

export const run: RunJob = (tx, job) => changing(tx, job.tenant_id, payloadText(job, 'schedule_id'), 'shift', async () => undefined)
