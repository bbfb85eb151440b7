/**
 * Phones that receive notifications through the app.
 * Source: docs/design/api/notifications.md#no-19.
 */
import { type Static, Type } from 'typebox'
import { Id, Instant, Name, nullable, oneOf } from './common.ts'

export const MAX_DEVICES = 10

export const platforms = ['ios', 'android'] as const
export type Platform = (typeof platforms)[number]

export const RegisterDeviceBody = Type.Object(
  {
    id: Type.Optional(
      Type.Unsafe<string>({ ...Id, description: 'Id of a device that has a new token; the device keeps its place in the rules.' })
    ),
    platform: oneOf(platforms),
    push_token: Type.String({
      minLength: 1,
      maxLength: 4096,
      description: 'Token of APNs as hex for ios, of FCM for android. It is stored encrypted and never shown.'
    }),
    app_version: Type.Optional(Type.String({ maxLength: 40, default: '' })),
    name: Type.Optional(Type.Unsafe<string>({ ...Name, maxLength: 80, description: 'Name by which the owner knows the phone.' }))
  },
  { additionalProperties: false }
)
export type RegisterDeviceBody = Static<typeof RegisterDeviceBody>

export const Device = Type.Object({
  id: Type.Unsafe<string>({ ...Id, description: 'Also the id of the method in the preferences.' }),
  platform: oneOf(platforms),
  name: Type.String(),
  app_version: Type.String(),
  registered_at: Type.Unsafe<string>({ ...Instant, description: 'When the app last registered.' }),
  invalid_at: nullable(Type.Unsafe<string>({ ...Instant, description: 'When the vendor said that the token is no longer valid.' })),
  created_at: Instant
})
export type Device = Static<typeof Device>

export const DeviceList = Type.Object({ items: Type.Array(Device) })
