/** The dependencies of a monitor: other monitors, and how long to wait for their verdict. */
import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { MAX_PARENTS } from '../../../../schemas/http/monitors.ts'
import { monitorsQuery } from '../../api/lists.ts'
import { MultiSelect } from '../../forms/late-fields.tsx'
import type { Form as FormState } from '../../forms/useForm.ts'
import { monitorsText } from '../../texts/monitors.ts'
import type { Values } from './values.ts'

export function dependsInWords(count: number): string {
  if (count === 0) return monitorsText('depends.none')
  return count === 1 ? monitorsText('depends.one') : monitorsText('depends.some', { count })
}

/** `own` is the name of the monitor if it already exists. Names are unique. */
export function DependsOn({ form: { values, set, fault, left }, own }: { form: FormState<Values>; own: string | null }) {
  const monitors = useQuery(monitorsQuery()).data?.items ?? []
  const others = monitors.filter(({ name }) => name !== own).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <>
      <MultiSelect
        label={monitorsText('depends.label')}
        description={monitorsText('depends.hint')}
        data={others}
        value={values.depends_on}
        onChange={(depends_on) => set({ depends_on })}
        maxValues={MAX_PARENTS}
        searchable
        error={fault('depends_on')}
      />
      <TextInput
        label={monitorsText('depends.hold')}
        description={monitorsText('depends.hold_hint')}
        inputMode="numeric"
        value={values.dependency_hold}
        onChange={(event) => set({ dependency_hold: event.currentTarget.value })}
        onBlur={() => left('dependency_hold_seconds')}
        error={fault('dependency_hold_seconds')}
      />
    </>
  )
}
