/** Why a record cannot be decoded or encoded. */

/** A record that nobody can read: for the dead letters. Trying again cannot help. */
export class PoisonRecord extends Error {
  override readonly name: string = 'PoisonRecord'
}

/** Not a byte of magic, an id and a body. */
export class NotFramed extends PoisonRecord {
  override readonly name = 'NotFramed'
}

/** The registry has no such schema, or nobody has asked it yet: see Codec.learn. */
export class UnknownSchema extends PoisonRecord {
  override readonly name = 'UnknownSchema'
  readonly id: number

  constructor(id: number) {
    super(`No schema with id ${id}: the registry does not have it, or it was not asked (broker and registry are kept or wiped together)`)
    this.id = id
  }
}

/**
 * The schema is no record of ours, cannot be read as today's, or is not the record that was asked
 * for.
 */
export class WrongSchema extends PoisonRecord {
  override readonly name = 'WrongSchema'
}

/** The bytes after the id are not what the schema says. */
export class BadBody extends PoisonRecord {
  override readonly name = 'BadBody'
}

/**
 * A value to encode that does not fit its record. The message names record and field, never the
 * value.
 */
export class InvalidRecord extends TypeError {
  override readonly name = 'InvalidRecord'
}
