/**
 * The headers of the request. A secret value is shown as stars and stays until something else is
 * typed. A header whose name marks it as a credential is always secret.
 */
import { ActionIcon, Button, Checkbox, TextInput } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import { isSecretHeader } from '../../../../schemas/http/check-config.ts'
import { MASK } from '../../../../schemas/http/check-words.ts'
import { isSensitiveHeader } from '../../../../schemas/http/secret-headers.ts'
import { monitorFormText } from '../../texts/monitor-form.ts'
import classes from './MonitorForm.module.css'
import type { MonitorFormState } from './text-field.ts'
import { type HeaderRow, nextKey } from './values.ts'

const MOST = 50

export function HeadersField({ form: { values, set, fault, left } }: { form: MonitorFormState }) {
  const { headers } = values
  const change = (key: number, to: Partial<HeaderRow>): void =>
    set({ headers: headers.map((header) => (header.key === key ? { ...header, ...to } : header)) })
  return (
    <div>
      <ul className={classes.rows} aria-label={monitorFormText('headers.list')}>
        {headers.map(({ key, name, value, secret }, at) => (
          <li key={key} className={classes.header}>
            <TextInput
              aria-label={monitorFormText('headers.name', { nth: at + 1 })}
              placeholder={monitorFormText('headers.name_place')}
              value={name}
              error={fault(`config.headers[${at}].name`)}
              onChange={(event) => change(key, { name: event.currentTarget.value })}
              onBlur={() => left(`config.headers[${at}].name`)}
            />
            <TextInput
              aria-label={monitorFormText('headers.value', { nth: at + 1 })}
              placeholder={monitorFormText('headers.value_place')}
              type={isSecretHeader({ name: name.trim(), secret }) ? 'password' : 'text'}
              autoComplete="off"
              value={value}
              error={fault(`config.headers[${at}].value`)}
              onChange={(event) => change(key, { value: event.currentTarget.value })}
              onBlur={() => left(`config.headers[${at}].value`)}
            />
            <Checkbox
              className={classes.secret}
              label={monitorFormText('headers.secret')}
              checked={isSecretHeader({ name: name.trim(), secret })}
              disabled={isSensitiveHeader(name.trim())}
              // A hidden value cannot be shown again, so it must be typed anew.
              onChange={(event) => change(key, { secret: event.currentTarget.checked, ...(value === MASK && { value: '' }) })}
            />
            <ActionIcon
              aria-label={monitorFormText('headers.remove', { nth: at + 1 })}
              onClick={() => set({ headers: headers.filter((one) => one.key !== key) })}
            >
              <X size={16} aria-hidden />
            </ActionIcon>
          </li>
        ))}
      </ul>
      {headers.length < MOST && (
        <Button
          variant="default"
          size="xs"
          mt={headers.length > 0 ? 'xs' : 0}
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => set({ headers: [...headers, { key: nextKey(), name: '', value: '', secret: false }] })}
        >
          {monitorFormText('headers.add')}
        </Button>
      )}
    </div>
  )
}
