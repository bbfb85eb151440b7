/**
 * The reactions to an item, each with its count. A click adds or removes the person's own reaction.
 */
import { ActionIcon, UnstyledButton } from '@mantine/core'
import { SmilePlus } from 'lucide-react'
import { useState } from 'react'
import { useReact } from '../../api/feed-marks.ts'
import type { FeedItem } from '../../api/shapes.ts'
import { feedText } from '../../texts/feed.ts'
import classes from './Reactions.module.css'
import { countedOf, offered } from './words.ts'

export function Reactions({ item }: { item: FeedItem }) {
  const [chooses, setChooses] = useState(false)
  const { mutate } = useReact()
  const counted = countedOf(item)
  const rest = offered.filter((emoji) => !counted.some((one) => one.emoji === emoji))
  const choose = (emoji: string, add: boolean): void => {
    mutate({ item, emoji, add })
    setChooses(false)
  }
  return (
    <div className={classes.reactions}>
      {counted.map(({ emoji, count, mine }) => (
        <UnstyledButton
          key={emoji}
          className={classes.one}
          aria-pressed={mine}
          aria-label={`${emoji} ${count}: ${item.title}`}
          onClick={() => choose(emoji, !mine)}
        >
          <span aria-hidden>{emoji}</span> {count}
        </UnstyledButton>
      ))}
      {chooses &&
        rest.map((emoji) => (
          <UnstyledButton
            key={emoji}
            className={classes.one}
            aria-label={feedText('react.with', { emoji, title: item.title })}
            onClick={() => choose(emoji, true)}
          >
            {emoji}
          </UnstyledButton>
        ))}
      {rest.length > 0 && (
        <ActionIcon
          className={classes.add}
          aria-expanded={chooses}
          aria-label={feedText('react.label', { title: item.title })}
          onClick={() => setChooses(!chooses)}
        >
          <SmilePlus size={16} aria-hidden />
        </ActionIcon>
      )}
    </div>
  )
}
