/**
 * The search dialog. It offers actions of the page, recently viewed pages and the places of the
 * dashboard. It finds things by a part of their name, an incident by its key, and a page by its
 * address.
 */
import { Modal, TextInput, useMantineColorScheme } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { CornerDownLeft, Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { toRefusal } from '../api/client.ts'
import { roleMay, useLogout, useSession } from '../api/session.ts'
import { explainAction } from '../parts/States.tsx'
import { tellDone, tellRefused } from '../parts/tell.ts'
import { searchText } from '../texts/search.ts'
import { pageActions } from './actions.ts'
import { find } from './find.ts'
import { type Hit, hitsOf, type PageAction } from './hits.ts'
import classes from './Palette.module.css'
import { lastVisits } from './recent.ts'

export function Palette({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal.Root opened={opened} onClose={onClose} size="lg" yOffset="12vh" centered={false} padding={0}>
      <Modal.Overlay />
      <Modal.Content aria-label={searchText('field.label')}>
        <Finder onClose={onClose} />
      </Modal.Content>
    </Modal.Root>
  )
}

/** Actions that every page offers. */
function useAlways(): PageAction[] {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const logout = useLogout()
  return [
    {
      label: searchText('action.copy'),
      run: () =>
        void navigator.clipboard.writeText(location.href).then(
          () => tellDone(searchText('action.copied')),
          (error) => tellRefused(searchText('action.copying'), error)
        )
    },
    ...(colorScheme === 'light' ? [] : [{ label: searchText('action.light'), run: () => setColorScheme('light') }]),
    ...(colorScheme === 'dark' ? [] : [{ label: searchText('action.dark'), run: () => setColorScheme('dark') }]),
    { label: searchText('action.docs'), run: () => location.assign('/docs') },
    { label: searchText('action.logout'), run: () => logout.mutate() }
  ]
}

/** A search begins when nothing was typed for this time, in ms: it takes five requests. */
const REST_MS = 300

/** Whether the api can search for the text: 2 to 100 characters, and not an address. */
const isName = (text: string): boolean => text.length >= 2 && text.length <= 100 && !/^\//.test(text)

function Finder({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const { pathname } = useLocation()
  const { role } = useSession()
  const always = useAlways()
  const list = useId()
  const chosenRow = useRef<HTMLDivElement>(null)
  /**
   * The chosen action. It runs after the search dialog is gone, because it may open another dialog.
   */
  const chosenAction = useRef<() => void>(null)
  useEffect(() => () => chosenAction.current?.(), [])
  const [page] = useState(pageActions)
  const [recent] = useState(() => lastVisits(pathname))
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const typed = text.trim()
  const [q] = useDebouncedValue(typed, REST_MS)
  const { data, error, isFetching, isPaused } = useQuery({
    queryKey: ['search', q],
    queryFn: ({ signal }) => find(queries, q, signal),
    enabled: isName(q),
    placeholderData: keepPreviousData
  })
  const isSearched = isName(typed) && isName(q)
  const failed = isSearched && (isPaused || (error ?? data?.error ?? null) !== null)
  const hits = hitsOf({
    typed,
    origin: location.origin,
    page,
    always,
    recent,
    found: isSearched ? (data?.hits ?? []) : [],
    may: (ability) => roleMay(role, ability)
  })
  const chosen = Math.min(at, hits.length - 1)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another row is chosen
  useEffect(() => {
    // `void`: in newer browsers the call returns a promise, which an effect must not return.
    void chosenRow.current?.scrollIntoView({ block: 'nearest' })
  }, [chosen])

  function open(hit: Hit | undefined): void {
    if (!hit) return
    const { go } = hit
    if (typeof go === 'string') void navigate({ href: go })
    else chosenAction.current = go
    onClose()
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'ArrowDown') setAt(Math.min(chosen + 1, hits.length - 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0))
    else if (event.key === 'Enter') open(hits[chosen])
    else return
    event.preventDefault()
  }

  return (
    <>
      <TextInput
        size="md"
        variant="unstyled"
        className={classes.input}
        leftSection={<Search size={17} aria-hidden />}
        placeholder={searchText('field.placeholder')}
        aria-label={searchText('field.label')}
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={hits.length > 0 ? `${list}-${chosen}` : undefined}
        value={text}
        maxLength={300}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
        data-autofocus
      />
      <div id={list} role="listbox" aria-label={searchText('list.label')} className={classes.hits}>
        {hits.map((hit, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field that controls the list
          <div
            key={`${hit.kind} ${hit.key}`}
            id={`${list}-${index}`}
            ref={index === chosen ? chosenRow : undefined}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            className={classes.hit}
            onClick={() => open(hit)}
            onMouseMove={() => setAt(index)}
          >
            <hit.icon size={16} aria-hidden />
            <span className={classes.label}>{hit.label}</span>
            <span className={classes.kind}>{hit.kind}</span>
            {index === chosen && <CornerDownLeft size={14} aria-hidden />}
          </div>
        ))}
      </div>
      {failed ? (
        <p className={classes.none} role="status">
          {searchText('none.failed', { why: explainAction(toRefusal(error ?? data?.error)).title })}
        </p>
      ) : (
        hits.length === 0 && (
          <p className={classes.none}>{isFetching ? searchText('none.searching') : searchText('none.found', { typed })}</p>
        )
      )}
    </>
  )
}
