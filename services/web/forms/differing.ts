/**
 * Returns only the fields of `after` that differ from `before`. A change sends these, because
 * somebody else may have changed the others in the meantime.
 */
export const differing = <T extends object>(before: T, after: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(before, name)))
  ) as Partial<T>
