/** Copies a single value, or a whole block of commands, with one click. */
import { ActionIcon } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { Check, Copy as CopyIcon, type LucideIcon } from 'lucide-react'
import { statesText } from '../texts/states.ts'
import classes from './Copy.module.css'

/** `icon`: another icon, to tell two copy buttons apart that stand side by side. */
export function CopyButton({ text, what, icon: Icon = CopyIcon }: { text: string; what: string; icon?: LucideIcon }) {
  const { copied, copy, error } = useClipboard({ timeout: 1500 })
  const label = error ? statesText('copy.refused') : copied ? statesText('copy.done') : statesText('copy.verb', { what })
  return (
    <ActionIcon aria-label={label} title={label} onClick={() => copy(text)} size="md">
      {copied ? <Check size={15} aria-hidden /> : <Icon size={15} aria-hidden />}
    </ActionIcon>
  )
}

/** A value on one line with its copy button. */
export function Copyable({ text, what }: { text: string; what: string }) {
  return (
    <span className={classes.line}>
      <code>{text}</code>
      <CopyButton text={text} what={what} />
    </span>
  )
}

/** Commands or a file to paste. */
export function CopyBlock({ title, text }: { title: string; text: string }) {
  return (
    <figure className={classes.block}>
      <figcaption>
        <span>{title}</span>
        <CopyButton text={text} what={title} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls sideways must be reached by the keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </figure>
  )
}
