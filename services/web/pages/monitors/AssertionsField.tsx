/**
 * The assertions that a check must meet to succeed. Each row offers the operators that fit its
 * source and the input that fits its value.
 */
import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import { opWords } from '../../../../schemas/http/assertion-words.ts'
import type { AssertionOp, AssertionSource } from '../../../../schemas/http/check-config.ts'
import { checkTypes, type MonitorType } from '../../../../schemas/http/check-types/index.ts'
import { wordOf } from '../../search.ts'
import { monitorFormText } from '../../texts/monitor-form.ts'
import classes from './MonitorForm.module.css'
import type { MonitorFormState } from './text-field.ts'
import { type AssertionRow, nextKey, ruleOf, valueKind } from './values.ts'
import { sourceWord } from './words.ts'

const MOST = 20

const sourcesOf = (type: MonitorType) => Object.keys(checkTypes[type].assertions) as AssertionSource[]
const opsOf = (source: AssertionSource): readonly AssertionOp[] => ruleOf(source)?.ops ?? []

/** Returns a new row with the assertion that most people want. */
function fresh(type: MonitorType): AssertionRow {
  const [source = 'latency_ms'] = sourcesOf(type)
  const isHttp = type === 'http'
  return {
    key: nextKey(),
    source,
    property: '',
    op: isHttp ? 'eq' : (opsOf(source)[0] ?? 'eq'),
    value: isHttp ? '200' : '',
    on_fail: 'down'
  }
}

export function AssertionsField({ form }: { form: MonitorFormState }) {
  const { values, set } = form
  const { assertions } = values
  return (
    <div>
      <ol className={classes.rows} aria-label={monitorFormText('assert.list')}>
        {assertions.map((row, at) => (
          <Row
            key={row.key}
            row={row}
            at={at}
            form={form}
            onChange={(to) => set({ assertions: assertions.map((one) => (one.key === row.key ? { ...one, ...to } : one)) })}
            onRemove={() => set({ assertions: assertions.filter((one) => one.key !== row.key) })}
          />
        ))}
      </ol>
      {assertions.length < MOST && (
        <Button
          variant="default"
          size="xs"
          mt={assertions.length > 0 ? 'xs' : 0}
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => set({ assertions: [...assertions, fresh(values.type)] })}
        >
          {monitorFormText('assert.add')}
        </Button>
      )}
    </div>
  )
}

interface RowProps {
  row: AssertionRow
  at: number
  form: MonitorFormState
  onChange: (to: Partial<AssertionRow>) => void
  onRemove: () => void
}

function Row({
  row: { source, property, op, value, on_fail },
  at,
  form: {
    values: { type },
    fault,
    left
  },
  onChange,
  onRemove
}: RowProps) {
  const path = `assertions[${at}]`
  const nth = at + 1
  const kind = valueKind(source, op)
  const named = ruleOf(source)?.property === true
  const sources = sourcesOf(type)
  return (
    <li className={classes.assertion}>
      <NativeSelect
        className={named ? undefined : classes.wide}
        aria-label={monitorFormText('assert.source', { nth })}
        value={source}
        error={fault(`${path}.source`)}
        data={sources.map((one) => ({ value: one, label: sourceWord(one) }))}
        onChange={(event) => {
          const next = wordOf(event.currentTarget.value, sources) ?? source
          onChange({ source: next, property: '', ...(!opsOf(next).includes(op) && { op: opsOf(next)[0] ?? 'eq' }) })
        }}
      />
      {named && (
        <TextInput
          aria-label={monitorFormText(source === 'header' ? 'assert.header' : 'assert.path', { nth })}
          placeholder={source === 'header' ? 'Content-Type' : '$.status'}
          value={property}
          error={fault(`${path}.property`)}
          onChange={(event) => onChange({ property: event.currentTarget.value })}
          onBlur={() => left(`${path}.property`)}
        />
      )}
      <NativeSelect
        className={kind === 'none' ? classes.wide : undefined}
        aria-label={monitorFormText('assert.operator', { nth })}
        value={op}
        error={fault(`${path}.op`)}
        data={opsOf(source).map((one) => ({ value: one, label: opWords[one] }))}
        onChange={(event) => onChange({ op: wordOf(event.currentTarget.value, opsOf(source)) ?? 'eq' })}
      />
      {kind !== 'none' && (
        <TextInput
          aria-label={monitorFormText('assert.value', { nth })}
          placeholder={monitorFormText(`place.${kind}`)}
          inputMode={kind === 'number' ? 'decimal' : 'text'}
          value={value}
          error={fault(`${path}.value`)}
          onChange={(event) => onChange({ value: event.currentTarget.value })}
          onBlur={() => left(`${path}.value`)}
        />
      )}
      <NativeSelect
        aria-label={monitorFormText('assert.fails', { nth })}
        value={on_fail}
        data={[
          { value: 'down', label: monitorFormText('assert.down') },
          { value: 'degraded', label: monitorFormText('assert.degraded') }
        ]}
        onChange={(event) => onChange({ on_fail: event.currentTarget.value === 'degraded' ? 'degraded' : 'down' })}
      />
      <ActionIcon aria-label={monitorFormText('assert.remove', { nth })} onClick={onRemove}>
        <X size={16} aria-hidden />
      </ActionIcon>
    </li>
  )
}
