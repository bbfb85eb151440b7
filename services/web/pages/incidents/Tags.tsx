/** The tags of an incident. Each links to the other incidents with that tag. */
import { Link } from '@tanstack/react-router'
import classes from './Tags.module.css'

export function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <ul className={classes.tags}>
      {tags.map((tag) => (
        <li key={tag}>
          <Link to="/incidents" search={{ tag, status: 'all' }}>
            {tag}
          </Link>
        </li>
      ))}
    </ul>
  )
}
