/**
 * Shows what keeps people from being notified of an incident: in words on its page, as marks in the
 * list.
 */
import { BellOff, CirclePause, CloudLightning, type LucideIcon, Network, Split, Unplug, Waves, Wrench } from 'lucide-react'
import type { Incident } from '../../api/shapes.ts'
import { endTime, exact, Since, useNow } from '../../parts/Since.tsx'
import { Status } from '../../parts/Status.tsx'
import { heldText } from '../../texts/held.ts'
import { incidentsText } from '../../texts/incidents.ts'
import classes from './IncidentRow.module.css'

type Hold = Incident['held_by'][number]
interface Words {
  icon: LucideIcon
  word: string
  hint: string
}

const words: Readonly<Record<Hold['kind'], Words>> = {
  entitlement_pause: { icon: CirclePause, word: incidentsText('held.entitlement_pause'), hint: heldText('held.pause_hint') },
  pause: { icon: CirclePause, word: incidentsText('held.pause'), hint: heldText('held.pause_hint') },
  maintenance: { icon: Wrench, word: incidentsText('held.maintenance'), hint: heldText('held.maintenance_hint') },
  silence: { icon: BellOff, word: incidentsText('held.silence'), hint: heldText('held.silence_hint') },
  matcher_silence: {
    icon: BellOff,
    word: incidentsText('held.matcher_silence'),
    hint: heldText('held.matcher_silence_hint')
  },
  dependency: { icon: Network, word: incidentsText('held.dependency'), hint: heldText('held.dependency_hint') },
  mass_outage: { icon: Unplug, word: incidentsText('held.mass_outage'), hint: heldText('held.mass_outage_hint') },
  storm: { icon: CloudLightning, word: incidentsText('held.storm'), hint: heldText('held.storm_hint') },
  rule: { icon: Split, word: incidentsText('held.rule'), hint: heldText('held.rule_hint') },
  flap: { icon: Waves, word: incidentsText('held.flap'), hint: heldText('held.flap_hint') }
}

/** Returns one hold of each kind, without those that have expired since the incident was loaded. */
export function holdsNow(held_by: readonly Hold[], now: number): Hold[] {
  const seen = new Map<Hold['kind'], Hold>()
  for (const hold of held_by) if (!seen.has(hold.kind) && (hold.until === null || Date.parse(hold.until) > now)) seen.set(hold.kind, hold)
  return [...seen.values()]
}

/** On the page: each hold with its end. A routing rule is shown among the facts instead. */
export function Held({ incident: { held_by } }: { incident: Incident }) {
  const now = useNow(1)
  return holdsNow(held_by, now)
    .filter(({ kind }) => kind !== 'rule')
    .map(({ kind, until }) => {
      const { icon, word: what, hint } = words[kind]
      return (
        <span key={kind} title={until === null ? hint : `${hint} ${exact(until)}`}>
          <Status look={{ tone: 'off', icon, word: what }}>
            {until === null ? (
              what
            ) : (
              <>
                {heldText('held.ends', { what })} <Since at={until} />
              </>
            )}
          </Status>
        </span>
      )
    })
}

const isSilence = (kind: Hold['kind']): boolean => kind === 'silence' || kind === 'matcher_silence'

/**
 * In the list: a mark for each hold. A silence also shows its end, because nobody is called before
 * then.
 */
export function HeldMarks({ incident: { held_by } }: { incident: Incident }) {
  const now = useNow(30)
  return holdsNow(held_by, now).map(({ kind, until }) => {
    const { icon: Icon, word, hint } = words[kind]
    const title = until === null ? hint : `${hint} ${exact(until)}`
    return (
      <span key={kind} className={classes.silenced} title={title}>
        <Icon size={14} aria-label={word} />
        {until !== null && isSilence(kind) && <span>{incidentsText('mark.until', { time: endTime(until, now) })}</span>}
      </span>
    )
  })
}
