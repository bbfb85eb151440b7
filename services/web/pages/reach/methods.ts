/** Contact methods as they are sent back to the API. */
import type { ContactMethod, PreferencesChange } from '../../api/shapes.ts'

type Given = NonNullable<PreferencesChange['contact_methods']>

/** What people cannot set here is not sent: nobody has such a method yet. */
export const kept = ({ id, kind, address }: ContactMethod): Given => [{ id, kind, address }]
