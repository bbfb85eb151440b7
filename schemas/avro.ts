/**
 * avsc types whose decoding is bounded. avsc trusts the item count of an array or map, so a broken
 * or hostile body of a few bytes could claim 2^53 items. These types refuse a count that is larger
 * than the number of bytes left: every item of our types takes at least one byte.
 */
import avsc from 'avsc'
import type { AvroSchema } from './load.ts'

/** avsc's cursor over a buffer. Only the members that collections need are declared. */
interface Tap {
  buf: Buffer
  pos: number
  readLong(): number
  readString(): string
}

interface Inner {
  _read(tap: Tap): unknown
  _skip(tap: Tap): void
}

/**
 * Returns the number of items in the next block, 0 at the end. After a negative count comes the
 * block's size in bytes, which is read and ignored.
 */
function count(tap: Tap): number {
  let items = tap.readLong()
  if (items < 0) {
    items = -items
    tap.readLong()
  }
  const left = tap.buf.length - tap.pos
  if (items > left) throw new RangeError(`a collection of ${items} items in ${Math.max(left, 0)} bytes`)
  return items
}

// avsc copies `_read` to resolvers and reads `itemsType` and `valuesType` from them. So `this` is
// either a type or a resolver.
class BoundedArray extends avsc.types.ArrayType {
  _read(tap: Tap): unknown[] {
    const items = this.itemsType as avsc.Type & Inner
    const values: unknown[] = []
    for (let left = count(tap); left > 0; left = count(tap)) {
      while (left-- > 0) values.push(items._read(tap))
    }
    return values
  }

  _skip(tap: Tap): void {
    const items = this.itemsType as avsc.Type & Inner
    for (let left = count(tap); left > 0; left = count(tap)) {
      while (left-- > 0) items._skip(tap)
    }
  }
}

class BoundedMap extends avsc.types.MapType {
  _read(tap: Tap): Record<string, unknown> {
    const items = this.valuesType as Inner
    const values: Record<string, unknown> = {}
    for (let left = count(tap); left > 0; left = count(tap)) {
      while (left-- > 0) values[tap.readString()] = items._read(tap)
    }
    return values
  }

  _skip(tap: Tap): void {
    const items = this.valuesType as Inner
    for (let left = count(tap); left > 0; left = count(tap)) {
      while (left-- > 0) {
        tap.readString()
        items._skip(tap)
      }
    }
  }
}

/**
 * Returns the avsc type of a self-contained schema. Throws avsc's error when the schema is not
 * valid Avro. Values of unions are not wrapped: they are null or the value itself.
 */
export function typeOf(schema: AvroSchema): avsc.Type {
  // Each call needs a new options object, because avsc collects type names in it.
  return avsc.Type.forSchema(schema as avsc.Schema, {
    wrapUnions: 'never',
    omitRecordMethods: true,
    typeHook(inner, options) {
      const { type } = inner as { type?: unknown }
      if (type === 'array') return new BoundedArray(inner, options)
      if (type === 'map') return new BoundedMap(inner, options)
      return undefined
    }
  })
}
