/** Only late-fields.tsx loads it. */
export { MultiSelect, NumberInput, Select, TagsInput } from '@mantine/core'
