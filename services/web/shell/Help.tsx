/** A dialog that lists all keyboard shortcuts. */
import { Modal } from '@mantine/core'
import { helpText } from '../texts/help.ts'
import classes from './Help.module.css'

const groups = {
  everywhere: [
    ['/', 'search'],
    ['Ctrl k', 'search_typing'],
    ['?', 'help'],
    ['g o', 'overview'],
    ['g i', 'incidents'],
    ['g a', 'alerts'],
    ['g m', 'monitors'],
    ['g h', 'heartbeats'],
    ['g c', 'on_call'],
    ['g n', 'integrations'],
    ['g f', 'feed'],
    ['g s', 'settings']
  ],
  list: [
    ['j', 'next'],
    ['k', 'before'],
    ['Enter', 'open'],
    ['c', 'create']
  ],
  incident: [
    ['a', 'acknowledge'],
    ['r', 'resolve'],
    ['e', 'silence'],
    ['x', 'select']
  ],
  watched: [
    ['e', 'edit'],
    ['p', 'pause']
  ],
  integration: [['e', 'settings']]
} as const

const groupNames = ['everywhere', 'list', 'incident', 'watched', 'integration'] as const

export function Help({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title={helpText('page.title')} size="lg">
      <div className={classes.groups}>
        {groupNames.map((group) => (
          <section key={group}>
            <h3>{helpText(`group.${group}`)}</h3>
            <dl>
              {groups[group].map(([key, does]) => (
                <div key={key}>
                  <dt>
                    {key.split(' ').map((part) => (
                      <kbd key={part}>{part}</kbd>
                    ))}
                  </dt>
                  <dd>{helpText(`does.${does}`)}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  )
}
