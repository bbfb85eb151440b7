/**
 * Folder of request bodies that real senders made. They are not copied into the repository.
 * SERVICE_TEST_PAYLOADS names the folder; the default is one beside the project.
 */
import { join, resolve } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'

export const payloadFolder = resolve(process.env.SERVICE_TEST_PAYLOADS ?? join(projectRoot, '../shared/payloads'))
