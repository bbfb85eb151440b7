/**
 * One contact method of the person: whether it is verified, the code that verifies it, a test, and
 * its removal. For a phone it also shows when its app was last seen.
 */
import { Button, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { ChannelTestAnswer } from '../../../../schemas/http/deliveries.ts'
import { toRefusal } from '../../api/client.ts'
import { changePreferences, preferencesQuery, testMethod, verifyAddress } from '../../api/reach.ts'
import type { ContactMethod, Device } from '../../api/shapes.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Since } from '../../parts/Since.tsx'
import { type Look, Status } from '../../parts/Status.tsx'
import { tellDone, tellRefused } from '../../parts/tell.ts'
import { reachText } from '../../texts/reach.ts'
import { TestAnswer, TestButton } from '../channels/TestAnswer.tsx'
import { kept, rulesOf } from './methods.ts'
import classes from './Reach.module.css'

const canBeVerified = ({ kind }: ContactMethod): boolean => kind === 'email' || kind === 'sms' || kind === 'voice'

const whereTo = ({ kind, address }: ContactMethod) =>
  kind === 'email' ? { email: address } : { number: address, method: kind === 'voice' ? ('voice' as const) : ('sms' as const) }

/** A phone is not verified by a code: its app works or is gone. */
function lookOf({ kind, verified_at }: ContactMethod): Look {
  const works = verified_at !== null
  const word = kind === 'push' ? (works ? 'device.works' : 'device.gone') : works ? 'methods.verified' : 'methods.open'
  return { tone: works ? 'good' : 'warn', icon: works ? CircleCheck : TriangleAlert, word: reachText(word) }
}

interface MethodProps {
  method: ContactMethod
  /** The device of a phone. */
  device: Device | undefined
}

export function Method({ method, device }: MethodProps) {
  const { id, kind, address, verified_at } = method
  const queries = useQueryClient()
  const [sent, setSent] = useState(false)
  const [answer, setAnswer] = useState<ChannelTestAnswer | null>(null)
  const isOpen = verified_at === null && canBeVerified(method)
  const again = () => queries.invalidateQueries({ queryKey: preferencesQuery.queryKey })

  async function send(): Promise<void> {
    try {
      await verifyAddress(whereTo(method))
      setSent(true)
    } catch (error) {
      tellRefused(reachText('methods.what'), error)
    }
  }

  /** A failed test may have found that the app is gone. */
  function onTested(told: ChannelTestAnswer | null): void {
    setAnswer(told)
    if (told && !told.ok) void again()
  }

  async function remove(): Promise<void> {
    await changePreferences(queries, ({ contact_methods, rules }) => {
      const left = contact_methods.filter((one) => one.id !== id)
      return { contact_methods: left.flatMap(kept), rules: { default: rulesOf(rules.default, left), high: rulesOf(rules.high, left) } }
    })
    await again()
    tellDone(reachText('methods.removed', { address }))
  }

  return (
    <li className={classes.row}>
      <div>
        <p className={classes.name}>{address}</p>
        <p className={classes.facts}>
          <span>{reachText(`kind.${kind}`)}</span>
          <Status look={lookOf(method)} />
          {device && (
            <span>
              {reachText('device.seen')} <Since at={device.registered_at} />
            </span>
          )}
          {device && device.app_version !== '' && <span>{reachText('device.version', { version: device.app_version })}</span>}
        </p>
      </div>
      <div className={classes.line}>
        {isOpen && (
          <Button variant="default" onClick={() => void send()} aria-label={`${reachText('methods.send')}: ${address}`}>
            {reachText('methods.send')}
          </Button>
        )}
        {verified_at !== null && <TestButton channel={{ id, name: address }} send={testMethod} onAnswer={onTested} />}
        <Confirm
          label={reachText('methods.remove')}
          aria-label={`${reachText('methods.remove')}: ${address}`}
          question={reachText('methods.question', { address })}
          verb={reachText('methods.remove')}
          act={remove}
        >
          {reachText('methods.hint')}
        </Confirm>
      </div>
      {answer && (
        <div className={classes.code}>
          <TestAnswer answer={answer} />
        </div>
      )}
      {isOpen && sent && <Code method={method} onDone={again} />}
    </li>
  )
}

function Code({ method, onDone }: { method: ContactMethod; onDone: () => Promise<unknown> }) {
  const { address } = method
  const [code, setCode] = useState('')
  const [fault, setFault] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)

  async function confirm(event: FormEvent): Promise<void> {
    event.preventDefault()
    setBusy(true)
    try {
      await verifyAddress({ ...whereTo(method), code: code.trim() })
      tellDone(reachText('methods.confirmed', { address }))
      await onDone()
    } catch (error) {
      const { details, message } = toRefusal(error)
      setFault(details[0]?.message ? `This ${details[0].message}.` : message)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form className={classes.code} onSubmit={(event) => void confirm(event)}>
      <p role="status" className={classes.facts}>
        {reachText('methods.sent', { address })}
      </p>
      <div className={classes.line}>
        <TextInput
          label={reachText('methods.code')}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={6}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          error={fault}
        />
        <Button type="submit" loading={busy} disabled={!/^\d{6}$/.test(code.trim())}>
          {reachText('methods.confirm')}
        </Button>
      </div>
    </form>
  )
}
