/** How long a pause may be, in the choices of a select; empty: no end. */
export const pauseLengths = [
  { value: '', label: 'Until somebody resumes it' },
  { value: '30', label: '30 minutes' },
  { value: '60', label: '1 hour' },
  { value: '240', label: '4 hours' },
  { value: '1440', label: '1 day' },
  { value: '10080', label: '7 days' }
]
