/**
 * Decodes records lazily. A fold reads about a dozen of a check result's forty fields, and the
 * others for only one result in a hundred. Decoding all fields costs more than the fold itself.
 *
 * `compileView` generates a reader from a record's schema, as avsc does, so both agree about where
 * each field lies. The reader walks over the body once, keeps the named fields, and checks
 * everything that could make avsc refuse the body. In any doubt it returns null, and avsc decides:
 * when the body ends elsewhere, an enum or a union has no such branch, a count or a length is
 * negative, or a number has more digits than the reader handles.
 *
 * A view behaves like the decoded record. The first access to a field that was not kept makes avsc
 * decode the whole body, once. Views are only for reading field by field: a field that was not kept
 * is not an own property, so a view must not be spread or stored.
 */
import type { AvroField, AvroObject, AvroSchema } from './load.ts'

/** Returns a view of the body in bytes [from, to), or null when avsc must decide. */
export type ReadView = (bytes: Buffer, from: number, to: number) => object | null

/** Longest text that is looked up in the table instead of created again, in bytes. */
const INTERN_BYTES = 64
const INTERN_SLOTS = 8192

/**
 * Returns a function that reads short texts and reuses those that repeat, such as ids and regions.
 * A reused text is created once, and its hash is already known to every map that looks it up. Each
 * slot of the table holds the latest text that hashed to it. `from` and `to` are byte offsets.
 * Texts that are not ASCII are not kept.
 */
export function createInterner(): (bytes: Buffer, from: number, to: number) => string {
  const table = new Array<string>(INTERN_SLOTS).fill('')
  return (bytes, from, to) => {
    const length = to - from
    if (length > INTERN_BYTES) return bytes.toString('utf8', from, to)
    let hash = length
    // Hashes only the end of a long text, because ids differ at their ends.
    for (let at = length > 12 ? to - 12 : from; at < to; at++) hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0
    const slot = (hash ^ (hash >>> 13)) & (INTERN_SLOTS - 1)
    const known = table[slot] as string
    if (known.length === length) {
      let same = 0
      while (same < length && known.charCodeAt(same) === bytes[from + same]) same++
      if (same === length) return known
    }
    const text = bytes.toString('utf8', from, to)
    // Only ASCII is kept: there each character is one byte.
    if (text.length === length && Buffer.byteLength(text) === length) table[slot] = text
    return text
  }
}

interface Node {
  type: string
  object: AvroObject | null
}

/**
 * Generates the source text of the reader. Names come from our own schemas, and are checked to be
 * valid identifiers.
 */
class Writer {
  readonly lines: string[] = []
  readonly constants: string[] = []
  readonly #named = new Map<string, AvroObject>()
  #variables = 0

  variable(): string {
    this.#variables += 1
    return `v${this.#variables}`
  }

  /** Returns the kind of a type. A name that was defined before is replaced by its definition. */
  node(schema: AvroSchema): Node | readonly AvroSchema[] {
    if (Array.isArray(schema)) return schema
    if (typeof schema === 'string') {
      const known = this.#named.get(schema.split('.').at(-1) ?? schema)
      return known ? { type: String(known.type), object: known } : { type: schema, object: null }
    }
    const object = schema as AvroObject
    if (object.name) this.#named.set(object.name, object)
    return typeof object.type === 'object' ? this.node(object.type as AvroSchema) : { type: String(object.type), object }
  }

  /** Reads a variable-length number of at most 28 bits into `n`, before zigzag decoding. */
  small(): void {
    this.lines.push(
      'x = b[p++]; n = x & 127; if (x > 127) { x = b[p++]; n |= (x & 127) << 7; if (x > 127) { x = b[p++]; n |= (x & 127) << 14;' +
        ' if (x > 127) { x = b[p++]; if (x > 127) return null; n |= x << 21 } } }'
    )
  }

  /** Reads a length or a count, which must not be negative. */
  length(): void {
    this.small()
    this.lines.push('if (n & 1) return null; n >>>= 1')
  }

  /** Skips over text or bytes. Afterwards `n` is the length and `p` the end. */
  block(): void {
    this.length()
    this.lines.push('p += n; if (p > end) return null')
  }

  /**
   * Reads a value of `schema`, and puts it into the variable `into` unless that is null. `path` is
   * the prefix of the wanted fields below it.
   */
  value(schema: AvroSchema, into: string | null, wanted: ReadonlyMap<string, string>, path: string): void {
    const node = this.node(schema)
    if (!('type' in node)) {
      this.union(node, into, wanted, path)
      return
    }
    const { type, object } = node
    const put = (text: string): void => {
      if (into) this.lines.push(`${into} = ${text}`)
    }
    switch (type) {
      case 'null':
        put('null')
        return
      case 'boolean':
        put('b[p] !== 0')
        this.lines.push('p++')
        return
      case 'int':
        this.small()
        put('(n >>> 1) ^ -(n & 1)')
        return
      case 'long':
        // 49 bits hold every instant and count of the service, and numbers of that size are always
        // exact.
        this.lines.push(
          'x = b[p++]; n = x & 127; h = 0; if (x > 127) { x = b[p++]; n |= (x & 127) << 7; if (x > 127) { x = b[p++]; n |= (x & 127) << 14;' +
            ' if (x > 127) { x = b[p++]; n |= (x & 127) << 21; if (x > 127) { x = b[p++]; h = x & 127; if (x > 127) { x = b[p++]; h |= (x & 127) << 7;' +
            ' if (x > 127) { x = b[p++]; if (x > 127) return null; h |= x << 14 } } } } } }'
        )
        put('(n & 1) === 0 ? (h * 268435456 + n) / 2 : -(h * 268435456 + n + 1) / 2')
        return
      case 'float':
        this.lines.push('if (p + 4 > end) return null')
        put('b.readFloatLE(p)')
        this.lines.push('p += 4')
        return
      case 'double':
        this.lines.push('if (p + 8 > end) return null')
        put('b.readDoubleLE(p)')
        this.lines.push('p += 8')
        return
      case 'string':
        this.block()
        put('intern(b, p - n, p)')
        return
      case 'bytes':
        if (into) throw new TypeError(`${path}: bytes are not kept by views`)
        this.block()
        return
      case 'enum': {
        const symbols = (object?.symbols ?? []) as string[]
        this.small()
        this.lines.push(`if ((n & 1) !== 0 || n >>> 1 >= ${symbols.length}) return null`)
        if (into) {
          this.constants.push(`const symbols_${into} = ${JSON.stringify(symbols)}`)
          put(`symbols_${into}[n >>> 1]`)
        }
        return
      }
      case 'record':
        if (into) throw new TypeError(`${path}: a record is kept by naming its fields`)
        for (const field of (object?.fields ?? []) as AvroField[]) {
          const inner = path === '' ? field.name : `${path}.${field.name}`
          this.value(field.type, wanted.get(inner) ?? null, wanted, inner)
        }
        return
      case 'array':
      case 'map': {
        if (into) throw new TypeError(`${path}: collections are not kept by views`)
        const left = this.variable()
        this.lines.push('for (;;) {')
        this.length()
        this.lines.push(`if (n === 0) break; let ${left} = n; while (${left}-- > 0) { if (p > end) return null`)
        if (type === 'map') this.block()
        this.value((type === 'map' ? object?.values : object?.items) as AvroSchema, null, new Map(), `${path}.*`)
        this.lines.push('} }')
        return
      }
      default:
        throw new TypeError(`${path}: views do not read ${type}`)
    }
  }

  union(branches: readonly AvroSchema[], into: string | null, wanted: ReadonlyMap<string, string>, path: string): void {
    this.small()
    this.lines.push('switch (n) {')
    for (const [index, branch] of branches.entries()) {
      this.lines.push(`case ${index * 2}: {`)
      this.value(branch, into, wanted, path)
      this.lines.push('break }')
    }
    this.lines.push('default: return null }')
  }
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/**
 * Returns a reader of `schema`, a self-contained record, that keeps `fields`. A field is the name
 * of one of its own fields, or a path such as `timings_ms.total` into a record inside it. `decode`
 * is avsc's decoder for a body that begins at its first byte. Throws TypeError for fields that it
 * cannot keep: unknown ones, records, collections, bytes.
 */
export function compileView(schema: AvroObject, fields: readonly string[], decode: (body: Buffer) => object): ReadView {
  const writer = new Writer()
  const own = (schema.fields ?? []) as AvroField[]
  const inside = (outer: string): string[] => {
    const found = own.find(({ name }) => name === outer)
    const node = found ? writer.node(found.type) : null
    if (!node || !('type' in node) || node.type !== 'record') return []
    return ((node.object?.fields ?? []) as AvroField[]).map(({ name }) => name)
  }
  const known = own.flatMap(({ name }) => [name, ...inside(name).map((inner) => `${name}.${inner}`)])
  for (const field of fields) if (!known.includes(field)) throw new TypeError(`${schema.name} has no field ${field}`)
  for (const name of known.flatMap((path) => path.split('.'))) if (!NAME.test(name)) throw new TypeError(`${name} is no name`)

  // Avro names have no dollar sign, so these names cannot collide with them.
  const wanted = new Map(fields.map((field) => [field, field.replace('.', '$')]))
  const kept = [...wanted.values()]
  writer.value(schema as AvroSchema, null, new Map([...wanted].map(([path, name]) => [path, `$${name}`])), '')
  const classes: string[] = []
  const getters: string[] = []
  for (const { name } of own) {
    if (wanted.has(name)) continue
    if (!fields.some((field) => field.startsWith(`${name}.`))) {
      getters.push(`get ${name}() { return this.whole$().${name} }`)
      continue
    }
    const inner = inside(name).map((field) =>
      wanted.has(`${name}.${field}`)
        ? `get ${field}() { return this.of$.${name}$${field} }`
        : `get ${field}() { return this.of$.whole$().${name}.${field} }`
    )
    classes.push(`class Inner$${name} { constructor(of) { this.of$ = of } ${inner.join(' ')} }`)
    getters.push(`get ${name}() { return new Inner$${name}(this) }`)
  }
  const text = `'use strict'
${[...writer.constants, ...classes].join('\n')}
class View {
  constructor(bytes, from, end${kept.map((name) => `, $${name}`).join('')}) {
    this.bytes$ = bytes; this.from$ = from; this.end$ = end; this.decoded$ = null
    ${kept.map((name) => `this.${name} = $${name}`).join('; ')}
  }
  whole$() { return this.decoded$ ??= decode(this.bytes$.subarray(this.from$, this.end$)) }
  ${getters.join('\n  ')}
}
return (b, from, end) => {
  let p = from, n = 0, h = 0, x = 0
  ${kept.map((name) => `let $${name} = null`).join('; ')}
  ${writer.lines.join('\n  ')}
  return p === end ? new View(b, from, end${kept.map((name) => `, $${name}`).join('')}) : null
}`
  return new Function('intern', 'decode', text)(createInterner(), decode) as ReadView
}
