/**
 * The first way: an address that is checked from every region, with the first answers as they come.
 */
import { Button, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleDashed, OctagonX, TriangleAlert } from 'lucide-react'
import { client, take } from '../../api/client.ts'
import type { Monitor } from '../../api/shapes.ts'
import { Refused } from '../../forms/Refused.tsx'
import { useForm } from '../../forms/useForm.ts'
import { Around, Coded, HERE } from '../../parts/Said.tsx'
import { type Look, lookOf, Status } from '../../parts/Status.tsx'
import { tellRefused } from '../../parts/tell.ts'
import { welcomeText } from '../../texts/welcome.ts'
import { lookAgain } from './firstSteps.ts'
import { Step } from './Step.tsx'
import classes from './Welcome.module.css'

type Region = Monitor['region_states'][number]

const waiting = lookOf('off', CircleDashed, () => welcomeText('watch.checking'))
const answered = lookOf('good', CircleCheck, () => welcomeText('watch.up'))
const slow = lookOf('warn', TriangleAlert, () => welcomeText('watch.slow'))
const failed = lookOf('bad', OctagonX, () => welcomeText('watch.failed'))

/**
 * A region with no measured time and no failure has not answered yet. A region that is pending with
 * a measured time has failed, but not yet often enough to be down.
 */
function regionLook(monitor: Monitor, { region, state, response_time_ms }: Region): Look {
  if (state === 'down' || (monitor.last_failure?.region === region && response_time_ms === null)) return failed
  if (response_time_ms === null) return waiting
  if (state === 'pending') return failed
  return state === 'degraded' ? slow : answered
}

/** Adds `https://` to an address that is typed as `example.com`. */
const addressOf = (typed: string): string => {
  const address = typed.trim()
  return address === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`
}

const nameOf = (address: string): string => (URL.canParse(address) ? new URL(address).host : address).slice(0, 200)

export function Watch({ monitor, watched, mayWrite }: { monitor: Monitor | null; watched: boolean; mayWrite: boolean }) {
  const blocked = monitor !== null && !watched && monitor.last_failure?.reason === 'blocked_target'
  return (
    <Step
      number={1}
      title={welcomeText('watch.title')}
      done={watched}
      what={welcomeText('watch.what')}
      next={monitor && !blocked ? welcomeText('watch.next_now', { seconds: monitor.interval_seconds }) : welcomeText('watch.next')}
    >
      {monitor && <Answers monitor={monitor} />}
      {blocked && <Blocked />}
      {monitor && !blocked && <AllFail monitor={monitor} />}
      {(monitor === null || blocked) && (mayWrite ? <AddressForm /> : <p className={classes.quiet}>{welcomeText('step.editor')}</p>)}
    </Step>
  )
}

/**
 * All regions have answered, and none as expected. The step is not done, and this says what helps.
 */
function AllFail({ monitor }: { monitor: Monitor }) {
  const { id, region_states } = monitor
  if (region_states.length === 0 || !region_states.every((state) => regionLook(monitor, state) === failed)) return null
  return (
    <p className={classes.blocked} role="status">
      <Around text={welcomeText('watch.all_fail', { link: HERE })}>
        <Link to="/monitors/$id/edit" params={{ id }}>
          {welcomeText('watch.all_fail_link')}
        </Link>
      </Around>
    </p>
  )
}

/**
 * Says plainly that the service does not check private networks, unless its operator allows them.
 */
function Blocked() {
  return (
    <p className={classes.blocked} role="status">
      <Coded text={welcomeText('watch.blocked')} />
    </p>
  )
}

function AddressForm() {
  const queries = useQueryClient()
  const { values, set, fault, left, submit, sending, refusal } = useForm({
    initial: { address: '' },
    schema: async () => (await import('../../../../schemas/http/monitors.ts')).CreateMonitorBody,
    toBody: ({ address }) => {
      const target = addressOf(address)
      return { name: nameOf(target) || welcomeText('watch.name'), type: 'http', target }
    },
    save: (body) => take(client.POST('/api/v1/monitors', { body })),
    onSaved: async ({ id }) => {
      await lookAgain(queries, 'monitors')
      // The regular check comes within the interval, but here nobody wants to wait for it.
      await take(client.POST('/api/v1/monitors/{id}/check', { params: { path: { id } }, body: { count: true } })).catch((error) =>
        tellRefused(welcomeText('watch.refused'), error)
      )
    }
  })
  const isBlocked = refusal?.details.some(({ rule }) => rule === 'blocked_target') ?? false
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <div className={classes.line}>
        <TextInput
          label={welcomeText('watch.url')}
          type="url"
          inputMode="url"
          placeholder="https://example.com"
          size="md"
          value={values.address}
          onChange={(event) => set({ address: event.currentTarget.value })}
          onBlur={() => values.address !== '' && left('target')}
          error={fault('target')}
        />
        <Button type="submit" size="md" loading={sending}>
          {welcomeText('watch.verb')}
        </Button>
      </div>
      {isBlocked ? <Blocked /> : <Refused refusal={refusal} />}
    </form>
  )
}

function Answers({ monitor }: { monitor: Monitor }) {
  const { id, target, region_states, prober_region_labels, last_failure } = monitor
  return (
    <>
      <p className={classes.subject}>
        <Link to="/monitors/$id" params={{ id }}>
          {target}
        </Link>
      </p>
      <ul className={classes.regions} aria-label={welcomeText('watch.regions')} aria-live="polite">
        {region_states.map((state) => {
          const look = regionLook(monitor, state)
          return (
            <li key={state.region}>
              <span>{prober_region_labels[state.region] ?? state.region}</span>
              <Status look={look}>
                {look.word}
                {state.response_time_ms !== null && `, ${Math.round(state.response_time_ms)} ms`}
              </Status>
            </li>
          )
        })}
      </ul>
      {last_failure?.message && last_failure.reason !== 'blocked_target' && (
        <p className={classes.quiet}>
          {last_failure.region && `${prober_region_labels[last_failure.region] ?? last_failure.region}: `}
          {last_failure.message}
        </p>
      )}
    </>
  )
}
