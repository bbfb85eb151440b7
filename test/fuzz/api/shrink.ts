/**
 * Shrinks a JSON value that causes a failure: leaves out parts and halves texts and lists, as long
 * as `fails` confirms that the failure stays.
 */

function* smaller(value: unknown): Generator<unknown> {
  if (typeof value === 'string') {
    if (value.length > 0) yield ''
    if (value.length > 1) {
      yield value.slice(0, value.length >> 1)
      yield value.slice(value.length >> 1)
    }
  } else if (Array.isArray(value)) {
    if (value.length > 1) {
      yield value.slice(0, value.length >> 1)
      yield value.slice(value.length >> 1)
    }
    for (const [index, inner] of value.slice(0, 20).entries()) for (const one of smaller(inner)) yield value.with(index, one)
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
    for (const name of Object.keys(value)) yield Object.fromEntries(entries.filter(([other]) => other !== name))
    for (const [name, inner] of entries) for (const one of smaller(inner)) yield { ...value, [name]: one }
  }
}

/** Calls `fails` at most `most` times. */
export async function shrink(value: unknown, fails: (smaller: unknown) => Promise<boolean>, most = 150): Promise<unknown> {
  let [least, asked] = [value, 0]
  for (let found = true; found; ) {
    found = false
    for (const candidate of smaller(least)) {
      if (++asked > most) return least
      if (!(await fails(candidate))) continue
      least = candidate
      found = true
      break
    }
  }
  return least
}
