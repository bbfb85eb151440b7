/** One rule in the list, in words, with the actions that do not need it to be opened. */
import { ActionIcon, Switch } from '@mantine/core'
import '@mantine/core/styles/Switch.css'
import { Link } from '@tanstack/react-router'
import { ChevronDown, ChevronUp } from 'lucide-react'
import { useState } from 'react'
import type { Rule } from '../../api/shapes.ts'
import { dayTime } from '../../parts/Since.tsx'
import { PrivateMark } from '../../parts/TeamMark.tsx'
import { routingText } from '../../texts/routing.ts'
import classes from './Routing.module.css'
import { Sentence, Warnings } from './RuleWords.tsx'
import type { Things } from './things.ts'

export interface RuleRowProps {
  rule: Rule
  things: Things
  isPrivate: boolean
  isFirst: boolean
  isLast: boolean
  mayOrder: boolean
  mayChange: boolean
  move: (by: 1 | -1) => void
  enable: (enabled: boolean) => Promise<void>
}

export function RuleRow({ rule, things, isPrivate, isFirst, isLast, mayOrder, mayChange, move, enable }: RuleRowProps) {
  const { id, name, description, is_default, enabled } = rule
  /** The chosen state, until the server has answered. */
  const [chosen, setChosen] = useState<boolean | null>(null)
  return (
    <li className={classes.rule} data-rule={id} data-off={!enabled || undefined}>
      <div className={classes.words}>
        <p className={classes.name}>
          {is_default ? (
            name
          ) : (
            <Link to="/settings/routing/$id" params={{ id }}>
              {name}
            </Link>
          )}
        </p>
        {is_default ? (
          <p className={classes.sentence}>
            {routingText('row.default')}. {description}
          </p>
        ) : (
          <Sentence rule={rule} things={things} />
        )}
        <Marks rule={rule} isPrivate={isPrivate} />
      </div>
      {!is_default && (
        <div className={classes.doing}>
          {mayOrder && (
            <>
              <ActionIcon aria-label={routingText('row.up', { name })} disabled={isFirst} onClick={() => move(-1)}>
                <ChevronUp size={17} aria-hidden />
              </ActionIcon>
              <ActionIcon aria-label={routingText('row.down', { name })} disabled={isLast} onClick={() => move(1)}>
                <ChevronDown size={17} aria-hidden />
              </ActionIcon>
            </>
          )}
          {mayChange && (
            <Switch
              aria-label={routingText('row.enable', { name })}
              checked={chosen ?? enabled}
              disabled={chosen !== null}
              onChange={(event) => {
                setChosen(event.currentTarget.checked)
                void enable(event.currentTarget.checked).finally(() => setChosen(null))
              }}
            />
          )}
        </div>
      )}
    </li>
  )
}

function Marks({ rule: { enabled, mode, expires_at, warnings, ...rule }, isPrivate }: { rule: Rule; isPrivate: boolean }) {
  return (
    <>
      <p className={classes.marks}>
        {isPrivate && <PrivateMark />}
        {!enabled && <span>{routingText('row.disabled')}</span>}
        {mode === 'shadow' && <span>{routingText('row.shadow')}</span>}
        {rule.continue && <span>{routingText('row.continue')}</span>}
        {expires_at !== null && <span>{routingText('row.expires', { time: dayTime(expires_at) })}</span>}
      </p>
      <Warnings warnings={warnings} />
    </>
  )
}
