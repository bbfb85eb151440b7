/**
 * Finds the alerts that a silence would hold if it were active now. Nothing is stored, counted or
 * sent. Only alerts that the caller sees are looked at.
 * Source: docs/design/api/alerts-and-routing.md#si-2.
 */
import type { Alert } from '../../../schemas/generated/events.ts'
import { type CreateSilenceBody, MAX_PREVIEW, type SilencePreview } from '../../../schemas/http/silences.ts'
import { CostMeter } from '../../../streams/routing/budget.ts'
import { compileSilences, matchingSilence } from '../../../streams/routing/silences.ts'
import { type AlertPlace, listAlerts } from '../../store/alert-reads.ts'
import { loadHoldFacts } from '../../store/hold-facts.ts'
import type { Tx } from '../../store/pool.ts'
import { privateTeams } from '../../store/silences.ts'
import { toAlertDetail } from '../alerts/detail.ts'
import type { Caller } from '../http/caller.ts'
import { alertsAsSeen } from '../routing/hidden.ts'
import { addChecked, checkTeams } from './change.ts'
import { changedSettings, silenceWarnings } from './shapes.ts'

/** Alerts read at once; between two reads other work gets a turn. */
const PAGE = 200
const MAX_LOOKED_AT = 5000
/** The most steps of text search over all alerts that are looked at. */
const MAX_PREVIEW_STEPS = 100_000_000

export async function preview(tx: Tx, caller: Caller, body: CreateSilenceBody): Promise<SilencePreview> {
  const { tenant_id } = caller
  const now = Date.now()
  const { matchers } = changedSettings(null, body, now)
  await checkTeams(tx, caller, matchers)
  const meter = new CostMeter()
  addChecked(meter, matchers)
  const draft = { silence_id: '', matchers, starts_at: now, ends_at: Infinity, expired_at: null }
  const set = compileSilences([draft], await privateTeams(tx, tenant_id))
  const most = Math.min(MAX_LOOKED_AT, Math.floor(MAX_PREVIEW_STEPS / Math.max(1, meter.cost.steps)))
  const found: Alert[] = []
  let total = 0
  let looked = 0
  let before: AlertPlace | null = null
  let complete = false
  while (!complete && looked < most) {
    const limit = Math.min(PAGE, most - looked)
    const page: Alert[] = await listAlerts(tx, tenant_id, { status: ['ongoing'] }, { before, limit: limit + 1 })
    const alerts = page.slice(0, limit)
    for (const alert of alerts) {
      if (matchingSilence(set, alert, now) === null) continue
      total += 1
      if (found.length < MAX_PREVIEW) found.push(alert)
    }
    looked += alerts.length
    before = alerts.at(-1) ?? null
    complete = page.length <= limit
  }
  const present = await loadHoldFacts(tx, tenant_id, found, now)
  const [warnings = []] = await silenceWarnings(tx, tenant_id, [matchers])
  const alerts = found.map((alert) => toAlertDetail(alert, present, now))
  return { alerts: await alertsAsSeen(tx, tenant_id, alerts), total, complete, warnings }
}
