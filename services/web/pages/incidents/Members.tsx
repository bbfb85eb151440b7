/** The alerts of an incident that groups several of them. */
import type { Alert } from '../../api/shapes.ts'
import { Rows } from '../../parts/Rows.tsx'
import { alertsText } from '../../texts/alerts.ts'
import { AlertRow } from '../alerts/AlertRow.tsx'

export function Members({ alerts }: { alerts: readonly Alert[] }) {
  return (
    <Rows label={alertsText('members.title')} items={alerts} idOf={(alert) => alert.id} narrowHeight={80}>
      {(alert) => <AlertRow alert={alert} within />}
    </Rows>
  )
}
