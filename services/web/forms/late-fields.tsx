/**
 * Form fields with lists and key handling, whose code is larger than a form. Pages first draw them
 * filled in and at full height; they become usable a moment later. Dialogs load late anyway and use
 * the library's fields directly.
 */
import {
  type ComboboxGenericData,
  Input,
  type MultiSelectProps,
  type NumberInputProps,
  type SelectProps,
  type TagsInputProps
} from '@mantine/core'
import { type ComponentType, type ReactNode, Suspense } from 'react'
import { lazyPart } from '../parts/part.ts'

interface FieldProps {
  label?: ReactNode
  description?: ReactNode
  error?: ReactNode
  className?: string | undefined
  placeholder?: string | undefined
}

const load = () => import('./loaded-fields.ts')

/**
 * `shown` returns the text in the field until it is loaded. If that is empty, the placeholder is
 * shown.
 */
function late<Props extends FieldProps>(
  field: () => Promise<ComponentType<Props>>,
  shown: (props: Props) => string
): (props: Props) => ReactNode {
  const Loaded = lazyPart(field)
  return function LateField(props: Props) {
    const { label, description, error, className, placeholder = '' } = props
    return (
      <Suspense
        fallback={
          <Input.Wrapper label={label} description={description} error={error} className={className} labelElement="div">
            <Input component="div" aria-busy>
              {shown(props) || placeholder}
            </Input>
          </Input.Wrapper>
        }
      >
        <Loaded {...props} />
      </Suspense>
    )
  }
}

/** Returns the label of a value among the offered ones, or the value itself if it has none. */
function labelIn(data: ComboboxGenericData, value: string): string {
  for (const item of data) {
    if (typeof item === 'string') continue
    if ('group' in item) {
      const found = labelIn(item.items, value)
      if (found !== value) return found
    } else if (item.value === value && 'label' in item && typeof item.label === 'string') return item.label
  }
  return value
}

export const Select = late<SelectProps>(
  async () => (await load()).Select,
  ({ data = [], value }) => (typeof value === 'string' ? labelIn(data, value) : '')
)

export const MultiSelect = late<MultiSelectProps>(
  async () => (await load()).MultiSelect,
  ({ data = [], value = [] }) => value.map((one) => labelIn(data, one)).join(', ')
)

export const TagsInput = late<TagsInputProps>(
  async () => (await load()).TagsInput,
  ({ value = [] }) => value.join(', ')
)

export const NumberInput = late<NumberInputProps>(
  async () => (await load()).NumberInput,
  ({ value = '' }) => String(value)
)
