/** The durations offered for silencing incidents. Any other duration is typed. Pure. */

export const silenceSpans = [
  { value: '15', label: '15 min' },
  { value: '60', label: '1 h' },
  { value: '240', label: '4 h' },
  { value: '1440', label: '1 d' }
]
