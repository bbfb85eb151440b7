/** Errors that say why a record cannot be decoded or encoded. */

/** A record that no consumer can read. It goes to the dead letters, because a retry cannot help. */
export class PoisonRecord extends Error {
  override readonly name: string = 'PoisonRecord'
}

/** The bytes are not a magic byte, a schema id and a body. */
export class NotFramed extends PoisonRecord {
  override readonly name = 'NotFramed'
}

/** The registry has no such schema, or the process has not asked for it yet: see Codec.learn. */
export class UnknownSchema extends PoisonRecord {
  override readonly name = 'UnknownSchema'
  readonly id: number

  constructor(id: number) {
    super(`No schema with id ${id}: the registry does not have it, or it was not asked (broker and registry are kept or wiped together)`)
    this.id = id
  }
}

/**
 * The schema is not one of our records, cannot be read as the current schema, or is another record
 * than the caller asked for.
 */
export class WrongSchema extends PoisonRecord {
  override readonly name = 'WrongSchema'
}

/** The bytes after the schema id do not match the schema. */
export class BadBody extends PoisonRecord {
  override readonly name = 'BadBody'
}

/**
 * A value does not fit its record's schema. The message names the record and the field, never the
 * value.
 */
export class InvalidRecord extends TypeError {
  override readonly name = 'InvalidRecord'
}
