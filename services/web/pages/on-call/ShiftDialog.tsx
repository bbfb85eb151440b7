/**
 * One shift: who has it, when in either zone, what put them on call, and the ways to change who has
 * it.
 */
import { Button, Group } from '@mantine/core'
import { useMay, useSession } from '../../api/session.ts'
import type { Schedule, ShiftItem } from '../../api/shapes.ts'
import { serverNow } from '../../live/server-clock.ts'
import { ownZone } from '../../parts/clock.ts'
import { LateModal } from '../../parts/LateModal.tsx'
import { Facts } from '../../parts/Page.tsx'
import { durationInWords } from '../../parts/Since.tsx'
import { onCallText } from '../../texts/on-call.ts'
import { originOf, whoOf } from './bars.ts'
import { EndOverride } from './Changes.tsx'
import type { Asked } from './OverrideDialog.tsx'
import { useNameOf } from './people.ts'
import { AskSwap } from './Swaps.tsx'
import { dayTimeIn, knownZone } from './zone-days.ts'

export interface ShiftDialogProps {
  schedule: Schedule
  /** null: it is closed. */
  shift: ShiftItem | null
  onClose: () => void
  onOverride: (asked: Asked) => void
}

export function ShiftDialog({ schedule, shift, onClose, onOverride }: ShiftDialogProps) {
  return (
    <LateModal opened={shift !== null} onClose={onClose} title={onCallText('shift.title')}>
      {shift && <Shift schedule={schedule} shift={shift} onClose={onClose} onOverride={onOverride} />}
    </LateModal>
  )
}

function Shift({ schedule, shift, onClose, onOverride }: ShiftDialogProps & { shift: ShiftItem }) {
  const { user } = useSession()
  const mayWrite = useMay('write')
  const mayAct = useMay('act')
  const nameOf = useNameOf()
  const zone = knownZone(schedule.time_zone)
  const own = ownZone()
  const [from, to] = [Date.parse(shift.starts_at), Date.parse(shift.ends_at)]
  const over = to <= serverNow()
  const mine = user !== null && !shift.gap && shift.user_ids.includes(user.id)
  const spanIn = (of: string): string => onCallText('shift.span', { from: dayTimeIn(of, from), to: dayTimeIn(of, to) })
  const [only] = shift.user_ids
  return (
    <>
      <Facts
        facts={[
          [onCallText('shift.who'), whoOf(shift, nameOf)],
          [onCallText('shift.in', { zone }), spanIn(zone)],
          own === zone ? null : [onCallText('shift.yours', { zone: own }), spanIn(own)],
          [onCallText('shift.length'), durationInWords((to - from) / 1000)],
          [onCallText('shift.origin'), originOf(shift)]
        ]}
      />
      {over ? (
        <p>{onCallText('shift.over')}</p>
      ) : (
        <Group mt="md" gap="xs">
          {(mayWrite || mayAct) && (
            <Button
              variant="default"
              onClick={() =>
                onOverride({
                  from: Math.max(from, serverNow()),
                  to,
                  replaces: !shift.gap && shift.user_ids.length > 1 ? (only ?? null) : null
                })
              }
            >
              {onCallText('override.open')}
            </Button>
          )}
          {mine && (mayWrite || mayAct) && <AskSwap schedule={schedule} shift={shift} onDone={onClose} />}
          {shift.override_id !== null && (mayWrite || mine) && (
            <EndOverride id={shift.override_id} what={whoOf(shift, nameOf)} onDone={onClose} />
          )}
        </Group>
      )}
    </>
  )
}
