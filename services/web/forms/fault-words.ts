/** Names the faulty fields of a form by the labels that people read on it. */

/** A field that is marked as wrong. */
export interface FaultyField {
  label: string
  field: HTMLElement
}

/** Returns the label of a field as people see it, or as a screen reader says it. */
function labelOf(field: HTMLElement): string {
  const labels = 'labels' in field && field.labels instanceof NodeList ? [...field.labels] : []
  const named = document.getElementById(field.getAttribute('aria-labelledby') ?? '')
  const text = field.getAttribute('aria-label') ?? labels[0]?.textContent ?? named?.textContent ?? ''
  return text.replace(/\s*\*$/, '').trim()
}

/** Returns the faulty fields in their order on the form, one for each label. */
export function faultyFields(form: HTMLElement): FaultyField[] {
  const found = new Map<string, FaultyField>()
  for (const field of form.querySelectorAll<HTMLElement>('[aria-invalid="true"]')) {
    const label = labelOf(field)
    if (!found.has(label)) found.set(label, { label, field })
  }
  return [...found.values()]
}

/**
 * Turns `schedule.period_seconds` into `Schedule, period seconds`, for a fault that belongs to no
 * visible field. List indexes count from 1.
 */
export function pathInWords(path: string): string {
  const parts = path.split('.').map((part) => part.replace(/\[(\d+)\]/g, (_place, at: string) => ` ${Number(at) + 1}`).replaceAll('_', ' '))
  const words = parts.join(', ')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}
