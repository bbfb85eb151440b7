/**
 * The actions on an alert. On a narrow screen they stand at the bottom, above the navigation,
 * within reach of the thumb.
 */
import { ActionIcon, Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { Suspense, useRef, useState } from 'react'
import { acknowledgeAlert, useShowAlert } from '../../api/alerts.ts'
import { useMay } from '../../api/session.ts'
import type { Alert } from '../../api/shapes.ts'
import classes from '../../parts/ActionBar.module.css'
import { MenuButton } from '../../parts/MenuButton.tsx'
import { lazyPart } from '../../parts/part.ts'
import { tellRefused } from '../../parts/tell.ts'
import { useKeys } from '../../shell/keys.ts'
import { alertsText } from '../../texts/alerts.ts'
import type { AlertAction } from './AlertDialog.tsx'

// Loaded late: the forms are larger than the page and are not needed for its first view.
const AlertDialog = lazyPart(() => import('./AlertDialog.tsx').then((loaded) => loaded.AlertDialog))

export function AlertActions({ alert }: { alert: Alert }) {
  const may = useMay('act')
  const show = useShowAlert()
  const navigate = useNavigate()
  const [action, setAction] = useState<AlertAction | null>(null)
  const again = useRef<() => void>(() => undefined)
  const { mutate: acknowledge, isPending } = useMutation({
    mutationFn: () => acknowledgeAlert(alert.id, { comment: null }),
    onSuccess: show,
    onError: (error) => tellRefused(alertsText('act.refused'), error, () => again.current())
  })
  again.current = acknowledge
  const ongoing = alert.status === 'ongoing'
  const waits = alert.dashboard_state === 'Triggered'
  const alone = ongoing && alert.incident_id === null
  const [wanted, setWanted] = useState(false)
  if (action !== null && !wanted) setWanted(true)
  useKeys({
    a: () => may && waits && acknowledge(),
    r: () => may && ongoing && setAction('resolve')
  })
  if (!may) return null
  return (
    <>
      {alert.dashboard_state !== 'Closed' && (
        <div className={classes.bar}>
          {alone && (
            <Button className={classes.first} aria-haspopup="dialog" onClick={() => setAction('promote')}>
              {alertsText('act.promote')}
            </Button>
          )}
          {waits && (
            <Button className={classes.first} variant={alone ? 'default' : 'filled'} loading={isPending} onClick={() => acknowledge()}>
              {alertsText('act.acknowledge')}
            </Button>
          )}
          {ongoing ? (
            <>
              <Button
                className={waits || alone ? undefined : classes.first}
                variant={waits || alone ? 'default' : 'filled'}
                aria-haspopup="dialog"
                onClick={() => setAction('resolve')}
              >
                {alertsText('act.resolve')}
              </Button>
              <MenuButton
                button={
                  <ActionIcon variant="default" className={classes.more} aria-label={alertsText('act.more')}>
                    <Ellipsis size={17} aria-hidden />
                  </ActionIcon>
                }
                entries={[
                  waits && { label: alertsText('act.comment_menu'), act: () => setAction('acknowledge'), opens: 'dialog' },
                  {
                    label: alertsText('silence.this'),
                    act: () => void navigate({ to: '/silences/new', search: { alert: alert.id } })
                  },
                  { label: alertsText('act.close_menu'), act: () => setAction('close'), opens: 'dialog' }
                ]}
              />
            </>
          ) : (
            <Button variant="default" className={classes.first} aria-haspopup="dialog" onClick={() => setAction('close')}>
              {alertsText('act.close')}
            </Button>
          )}
        </div>
      )}
      {wanted && (
        <Suspense fallback={null}>
          <AlertDialog alert={alert} action={action} onClose={() => setAction(null)} />
        </Suspense>
      )}
    </>
  )
}
