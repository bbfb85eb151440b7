/**
 * If-Match: a change is made only to the version that its author has seen.
 * Source: docs/design/api.md#s1-2.
 */
import type { FastifyRequest } from 'fastify'
import { ApiError } from './errors.ts'

const names = (header: string, version: number): boolean =>
  header.split(',').some((tag) => ['*', `"${version}"`, `W/"${version}"`].includes(tag.trim()))

/** Throws VERSION_MISMATCH if the header names another version. Does nothing if it is absent. */
export function checkIfMatch({ headers }: FastifyRequest, version: number): void {
  const given = headers['if-match']
  if (given === undefined || names(given, version)) return
  throw new ApiError('VERSION_MISMATCH', `If-Match names another version: now it is "${version}"`, { body: { version } })
}

/** Like checkIfMatch, but throws PRECONDITION_REQUIRED if the header is absent. */
export function demandIfMatch(request: FastifyRequest, version: number): void {
  if (request.headers['if-match'] === undefined)
    throw new ApiError('PRECONDITION_REQUIRED', 'If-Match is required: the version that this is a change of, such as "12"')
  checkIfMatch(request, version)
}
