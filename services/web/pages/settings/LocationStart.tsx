/** How to start a prober of a location, with its token, which is shown once. */
import { Button, Modal } from '@mantine/core'
import type { LocationWithToken } from '../../api/shapes.ts'
import { CopyBlock } from '../../parts/Copy.tsx'
import { locationsText } from '../../texts/locations.ts'
import classes from './Shown.module.css'

export interface LocationStartProps {
  opened: boolean
  /** null: none was created yet. */
  location: LocationWithToken | null
  onClose: () => void
}

export function LocationStart({ opened, location, onClose }: LocationStartProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={location && locationsText('start.title', { label: location.label })}
      size="lg"
      closeOnClickOutside={false}
    >
      {location && (
        <div className={classes.shown}>
          <p>{locationsText('start.once')}</p>
          <CopyBlock title={locationsText('start.line')} text={location.start} />
          <CopyBlock title={locationsText('start.token')} text={location.token} />
          <p>{locationsText('start.private')}</p>
          <p>{locationsText('start.seen')}</p>
          <Button onClick={onClose}>{locationsText('start.done')}</Button>
        </div>
      )}
    </Modal>
  )
}
