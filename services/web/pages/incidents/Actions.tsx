/**
 * The actions on an incident. On a narrow screen they stand at the bottom, above the navigation,
 * within reach of the thumb.
 */
import { ActionIcon, Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { BellOff, Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { useAcknowledge } from '../../api/incidents.ts'
import { useMay, useSession } from '../../api/session.ts'
import type { Incident } from '../../api/shapes.ts'
import classes from '../../parts/ActionBar.module.css'
import { MenuButton } from '../../parts/MenuButton.tsx'
import { useActions } from '../../shell/actions.ts'
import { useKeys } from '../../shell/keys.ts'
import { incidentPageText } from '../../texts/incident-page.ts'
import { incidentsText } from '../../texts/incidents.ts'
import type { Action } from './ActionDialog.tsx'
import { ActionDialog } from './dialogs.tsx'
import { useTake } from './take.ts'

export function Actions({ incident }: { incident: Incident }) {
  const may = useMay('act')
  const navigate = useNavigate()
  const { user } = useSession()
  const { mutate: acknowledge } = useAcknowledge()
  const { mutate: take } = useTake()
  const [action, setAction] = useState<Action | null>(null)
  const ongoing = incident.status === 'ongoing'
  const waits = incident.dashboard_state === 'Triggered'
  useKeys({
    a: () => may && waits && acknowledge({ incident }),
    r: () => may && ongoing && setAction('resolve'),
    e: () => may && ongoing && setAction('silence')
  })
  useActions(
    !may
      ? []
      : [
          ...(waits ? [{ label: incidentsText('do.acknowledge', { key: incident.key }), run: () => acknowledge({ incident }) }] : []),
          ...(ongoing
            ? (['resolve', 'silence', 'assign', 'escalate'] as const).map((one) => ({
                label: incidentsText(`do.${one}`, { key: incident.key }),
                run: () => setAction(one)
              }))
            : []),
          { label: incidentsText('do.edit', { key: incident.key }), run: () => setAction('edit') }
        ]
  )
  if (!may) return null
  const silencing = incidentPageText(incident.silenced_until === null ? 'act.silence' : 'act.silence_change')
  const mayMerge = incident.merged_into === null && incident.resolution?.reason !== 'merged'
  const isClosed = incident.dashboard_state === 'Closed'
  const opens = (label: string, one: Action) => ({ label, act: () => setAction(one), opens: 'dialog' as const })
  return (
    <>
      {!isClosed && (
        <div className={classes.bar}>
          {waits && (
            <Button className={classes.first} onClick={() => acknowledge({ incident })}>
              {incidentPageText('act.acknowledge')}
            </Button>
          )}
          {ongoing && (
            <Button
              className={waits ? undefined : classes.first}
              variant={waits ? 'default' : 'filled'}
              aria-haspopup="dialog"
              onClick={() => setAction('resolve')}
            >
              {incidentPageText('act.resolve')}
            </Button>
          )}
          {ongoing && (
            <Button
              variant="default"
              className={classes.silence}
              aria-haspopup="dialog"
              onClick={() => setAction('silence')}
              aria-label={silencing}
            >
              <BellOff size={16} aria-hidden />
              <span className={classes.word}>{silencing}</span>
            </Button>
          )}
          {!ongoing && (
            <Button variant="default" className={classes.first} aria-haspopup="dialog" onClick={() => setAction('close')}>
              {incidentPageText('act.close')}
            </Button>
          )}
          <MenuButton
            button={
              <ActionIcon variant="default" className={classes.more} aria-label={incidentPageText('act.more')}>
                <Ellipsis size={17} aria-hidden />
              </ActionIcon>
            }
            entries={[
              ongoing && opens(incidentPageText(waits ? 'menu.acknowledge' : 'menu.acknowledged'), 'acknowledge'),
              ongoing &&
                user !== null &&
                (waits || incident.assignee_id !== user.id) && {
                  label: incidentsText(waits ? 'take.both' : 'take.assign'),
                  act: () => take(incident)
                },
              ongoing && !waits && opens(incidentPageText('menu.hand_back'), 'unacknowledge'),
              ongoing && opens(incidentPageText('menu.assign'), 'assign'),
              ongoing && opens(incidentPageText('menu.escalate'), 'escalate'),
              opens(incidentPageText('menu.edit'), 'edit'),
              mayMerge && opens(incidentPageText('menu.merge'), 'merge'),
              ongoing && {
                label: incidentPageText('menu.silence'),
                act: () => void navigate({ to: '/silences/new', search: { incident: incident.id } })
              },
              ongoing && opens(incidentPageText('menu.close'), 'close')
            ]}
          />
        </div>
      )}
      <ActionDialog incident={incident} action={action} onClose={() => setAction(null)} />
    </>
  )
}
