/**
 * What has to hold for a check to succeed: a row for each assertion, with the operators that fit
 * its source and the input that fits its value.
 */
import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import { opWords } from '../../../../schemas/http/assertion-words.ts'
import type { AssertionOp, AssertionSource } from '../../../../schemas/http/check-config.ts'
import { checkTypes, type MonitorType } from '../../../../schemas/http/check-types/index.ts'
import { wordOf } from '../../search.ts'
import classes from './MonitorForm.module.css'
import type { MonitorFormState } from './text-field.ts'
import { type AssertionRow, nextKey, ruleOf, valueKind } from './values.ts'
import { sourceWords } from './words.ts'

const MOST = 20

const sourcesOf = (type: MonitorType) => Object.keys(checkTypes[type].assertions) as AssertionSource[]
const opsOf = (source: AssertionSource): readonly AssertionOp[] => ruleOf(source)?.ops ?? []

/** The first row that most people want. */
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

const placeholders = { list: 'With commas', number: 'Number', text: 'Text', any: 'true, 12, or text', none: '' } as const

export function AssertionsField({ form }: { form: MonitorFormState }) {
  const { values, set } = form
  const { assertions } = values
  return (
    <div>
      <ol className={classes.rows} aria-label="Assertions">
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
          Add an assertion
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
  const name = `of assertion ${at + 1}`
  const kind = valueKind(source, op)
  const named = ruleOf(source)?.property === true
  const sources = sourcesOf(type)
  return (
    <li className={classes.assertion}>
      <NativeSelect
        className={named ? undefined : classes.wide}
        aria-label={`Source ${name}`}
        value={source}
        error={fault(`${path}.source`)}
        data={sources.map((one) => ({ value: one, label: sourceWords[one] ?? one }))}
        onChange={(event) => {
          const next = wordOf(event.currentTarget.value, sources) ?? source
          onChange({ source: next, property: '', ...(!opsOf(next).includes(op) && { op: opsOf(next)[0] ?? 'eq' }) })
        }}
      />
      {named && (
        <TextInput
          aria-label={source === 'header' ? `Header ${name}` : `Path ${name}`}
          placeholder={source === 'header' ? 'Content-Type' : '$.status'}
          value={property}
          error={fault(`${path}.property`)}
          onChange={(event) => onChange({ property: event.currentTarget.value })}
          onBlur={() => left(`${path}.property`)}
        />
      )}
      <NativeSelect
        className={kind === 'none' ? classes.wide : undefined}
        aria-label={`Operator ${name}`}
        value={op}
        error={fault(`${path}.op`)}
        data={opsOf(source).map((one) => ({ value: one, label: opWords[one] }))}
        onChange={(event) => onChange({ op: wordOf(event.currentTarget.value, opsOf(source)) ?? 'eq' })}
      />
      {kind !== 'none' && (
        <TextInput
          aria-label={`Value ${name}`}
          placeholder={placeholders[kind]}
          inputMode={kind === 'number' ? 'decimal' : 'text'}
          value={value}
          error={fault(`${path}.value`)}
          onChange={(event) => onChange({ value: event.currentTarget.value })}
          onBlur={() => left(`${path}.value`)}
        />
      )}
      <NativeSelect
        aria-label={`When it fails ${name}`}
        value={on_fail}
        data={[
          { value: 'down', label: 'else down' },
          { value: 'degraded', label: 'else degraded' }
        ]}
        onChange={(event) => onChange({ on_fail: event.currentTarget.value === 'degraded' ? 'degraded' : 'down' })}
      />
      <ActionIcon aria-label={`Remove assertion ${at + 1}`} onClick={onRemove}>
        <X size={16} aria-hidden />
      </ActionIcon>
    </li>
  )
}
