/** The keys, on one page. */
import { Modal } from '@mantine/core'
import classes from './Help.module.css'

const keys: readonly { title: string; rows: readonly [string, string][] }[] = [
  {
    title: 'Everywhere',
    rows: [
      ['/', 'Search'],
      ['Ctrl k', 'Search, also while typing; Command and K on a Mac'],
      ['?', 'This page'],
      ['g o', 'Overview'],
      ['g i', 'Incidents'],
      ['g a', 'Alerts'],
      ['g m', 'Monitors'],
      ['g h', 'Heartbeats'],
      ['g c', 'On-call'],
      ['g n', 'Integrations'],
      ['g f', 'Feed'],
      ['g s', 'Settings']
    ]
  },
  {
    title: 'In a list',
    rows: [
      ['j', 'Next row'],
      ['k', 'Row before'],
      ['Enter', 'Open the row'],
      ['c', 'Create']
    ]
  },
  {
    title: 'On an incident, or its row in the list',
    rows: [
      ['a', 'Acknowledge'],
      ['r', 'Resolve'],
      ['e', 'Silence'],
      ['x', 'Select, in the list']
    ]
  },
  {
    title: 'On a monitor or heartbeat',
    rows: [
      ['e', 'Edit'],
      ['p', 'Pause or resume']
    ]
  },
  {
    title: 'On an integration',
    rows: [['e', 'Settings']]
  }
]

export function Help({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Keys" size="lg">
      <div className={classes.groups}>
        {keys.map(({ title, rows }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {rows.map(([key, does]) => (
                <div key={key}>
                  <dt>
                    {key.split(' ').map((part) => (
                      <kbd key={part}>{part}</kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  )
}
