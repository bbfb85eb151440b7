/** Narrows a list to titles that contain the typed text. */
import { TextInput } from '@mantine/core'
import { Search } from 'lucide-react'
import { useTyped } from '../forms/useTyped.ts'
import { listsText } from '../texts/lists.ts'
import classes from './Filters.module.css'

/** The typed part of the title. It goes into the address when the person stops typing. */
export function Words({ q, onTyped, label = listsText('words.title') }: { q: string; onTyped: (q: string) => void; label?: string }) {
  const { typed, type } = useTyped(q, onTyped)
  return (
    <TextInput
      className={classes.words}
      aria-label={label}
      placeholder={`${label}…`}
      leftSection={<Search size={15} aria-hidden />}
      value={typed}
      maxLength={100}
      onChange={(event) => type(event.currentTarget.value)}
      type="search"
    />
  )
}
