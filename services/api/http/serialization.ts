/**
 * Compiles the serializer of an answer when the first such answer is written. There are thousands,
 * one for each status of each operation, and compiling them all takes longer than the rest of a
 * start.
 */
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'

type Factory = ReturnType<typeof SerializerSelector>

/** Wraps the framework's own serializers, for its option `schemaController`. */
export const compileSerializersLater: Factory = (shared, options) => {
  const compile = SerializerSelector()(shared, options)
  return (answer) => {
    let serialize: ReturnType<typeof compile> | undefined
    return (value) => {
      serialize ??= compile(answer)
      return serialize(value)
    }
  }
}
