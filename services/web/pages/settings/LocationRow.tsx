/**
 * One private location: whether it checks, its probers with their versions, what uses it, and the
 * actions of an admin.
 */
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, CirclePause, CloudOff, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { changeLocation, deleteLocation, readLocationsAgain, revokeLocationToken, rotateLocationToken } from '../../api/locations.ts'
import type { Location, LocationWithToken } from '../../api/shapes.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Copyable } from '../../parts/Copy.tsx'
import { Since } from '../../parts/Since.tsx'
import { Status } from '../../parts/Status.tsx'
import { tellDone, tellRefused } from '../../parts/tell.ts'
import { locationsText } from '../../texts/locations.ts'
import classes from './List.module.css'
import { locationLook, monitorsInWords, skewInWords } from './location-words.ts'

export interface LocationRowProps {
  location: Location
  mayChange: boolean
  onEdit: () => void
  onToken: (location: LocationWithToken) => void
}

export function LocationRow({ location, mayChange, onEdit, onToken }: LocationRowProps) {
  const { label, code, draining, last_seen_at, types, capacity, monitors, token_prefix, probers } = location
  return (
    <li className={classes.row}>
      <div>
        <p className={classes.name}>{label}</p>
        <p className={classes.facts}>
          <Status look={locationLook(location)} />
          <Copyable text={code} what={code} />
          <span>
            {last_seen_at ? (
              <>
                {locationsText('row.seen')} <Since at={last_seen_at} />
              </>
            ) : (
              locationsText('row.never_seen')
            )}
          </span>
          {monitors > 0 ? (
            <Link to="/monitors" search={{ region: code }}>
              {monitorsInWords(monitors)}
            </Link>
          ) : (
            <span>{monitorsInWords(monitors)}</span>
          )}
          {token_prefix !== null && <code>{token_prefix}…</code>}
        </p>
        <p className={classes.facts}>
          {types.length > 0 && <span>{locationsText('row.types', { types: types.join(', ') })}</span>}
          {capacity && <span>{locationsText('row.capacity', { concurrent: capacity.concurrent })}</span>}
          {draining && <span>{locationsText('row.draining_hint')}</span>}
        </p>
        {probers.length > 0 && <Probers label={label} probers={probers} />}
      </div>
      {mayChange && <Actions location={location} onEdit={onEdit} onToken={onToken} />}
    </li>
  )
}

function Probers({ label, probers }: Pick<Location, 'label' | 'probers'>) {
  return (
    <ul className={classes.inner} aria-label={locationsText('probers.label', { label })}>
      {probers.map(({ instance_id, version, version_skew, online, leaving, last_seen_at }) => {
        const skew = skewInWords(version_skew)
        return (
          <li key={instance_id} className={classes.facts}>
            <code>{instance_id}</code>
            {online ? (
              <Status look={{ tone: 'good', icon: CircleCheck, word: locationsText('state.online') }} />
            ) : leaving ? (
              <Status look={{ tone: 'off', icon: CirclePause, word: locationsText('probers.left') }} />
            ) : (
              <Status look={{ tone: 'bad', icon: CloudOff, word: locationsText('state.offline') }} />
            )}
            <span>{locationsText('probers.version', { version })}</span>
            <span>
              {locationsText('row.seen')} <Since at={last_seen_at} />
            </span>
            {skew !== null && <Status look={{ tone: 'warn', icon: TriangleAlert, word: skew }} />}
          </li>
        )
      })}
    </ul>
  )
}

function Actions({ location, onEdit, onToken }: Omit<LocationRowProps, 'mayChange'>) {
  const { id, label, draining, token_prefix } = location
  const queries = useQueryClient()
  const [resuming, setResuming] = useState(false)
  const again = (): Promise<void> => readLocationsAgain(queries)

  async function setDraining(wanted: boolean): Promise<void> {
    await changeLocation(id, { draining: wanted })
    await again()
    tellDone(locationsText(wanted ? 'drain.done' : 'resume.done', { label }))
  }

  return (
    <div className={classes.actions}>
      <Button variant="default" aria-haspopup="dialog" onClick={onEdit} aria-label={locationsText('rename.name', { label })}>
        {locationsText('rename.label')}
      </Button>
      {draining ? (
        <Button
          variant="default"
          loading={resuming}
          onClick={() => {
            setResuming(true)
            void setDraining(false)
              .catch((error: unknown) => tellRefused(locationsText('resume.what', { label }), error))
              .finally(() => setResuming(false))
          }}
          aria-label={locationsText('resume.name', { label })}
        >
          {locationsText('resume.label')}
        </Button>
      ) : (
        <Confirm
          label={locationsText('drain.label')}
          aria-label={locationsText('drain.name', { label })}
          question={locationsText('drain.question', { label })}
          verb={locationsText('drain.label')}
          act={() => setDraining(true)}
        >
          {locationsText('drain.hint')}
        </Confirm>
      )}
      <Confirm
        label={locationsText('rotate.label')}
        aria-label={locationsText('rotate.name', { label })}
        question={locationsText('rotate.question', { label })}
        verb={locationsText('rotate.verb')}
        act={async () => {
          onToken(await rotateLocationToken(id))
          await again()
        }}
      >
        {locationsText('rotate.hint')}
      </Confirm>
      {token_prefix !== null && (
        <Confirm
          label={locationsText('revoke.label')}
          aria-label={locationsText('revoke.name', { label })}
          question={locationsText('revoke.question', { label })}
          verb={locationsText('revoke.verb')}
          act={async () => {
            await revokeLocationToken(id)
            await again()
            tellDone(locationsText('revoke.done', { label }))
          }}
        >
          {locationsText('revoke.hint')}
        </Confirm>
      )}
      <Confirm
        label={locationsText('delete.label')}
        aria-label={locationsText('delete.name', { label })}
        question={locationsText('delete.question', { label })}
        verb={locationsText('delete.label')}
        act={async () => {
          await deleteLocation(id)
          await again()
          tellDone(locationsText('delete.done', { label }))
        }}
      >
        {locationsText('delete.hint')}
      </Confirm>
    </div>
  )
}
