/** The codec of a process that is connected to a registry. */
import { type Codec, createCodec } from '../../schemas/codec.ts'
import { connectRegistry } from './registry.ts'

/**
 * Returns a codec with the schemas that the registry has. Throws RegistryError when one is missing.
 */
export async function connectCodec(registryUrl: string): Promise<Codec> {
  const registry = await connectRegistry(registryUrl)
  return createCodec({ ids: await registry.idsOfAll(), schemaById: registry.schemaById })
}
