/**
 * The OpenAPI 3.1 document, made of the schemas that the routes validate with. Served at GET
 * /api/v1/public/openapi.json.
 */
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { ErrorBody } from '../../../schemas/http/common.ts'
import type { Endpoint } from '../../../schemas/http/endpoints.ts'
import { SESSION_COOKIE } from './authentication.ts'

const tags: Record<Endpoint['tag'], string> = {
  Authentication: 'Sessions of people',
  Alerts: 'Episodes of what fails: each with the signals that it is made of, and the incident that it belongs to.',
  Incidents: 'What is wrong, and what people do about it',
  Monitors: 'What is checked from outside',
  Heartbeats: 'Jobs that ping when they ran',
  Analytics: 'Figures about the past',
  Notifications: 'What people are told in the app',
  Integrations: 'Where alerts come from',
  Routing: 'Whom an alert concerns',
  Silences: 'Of which alerts nobody is told for a while',
  Maintenance: 'Planned work and deployments, of which nobody is paged',
  'Account and workspace': 'Who may do what',
  'On-call': 'Who is on call, who is asked when an incident is open, and who next',
  Teams: 'Who belongs together, and what only they see',
  Probers: 'What probers and the service say to each other',
  Public: 'Without a credential',
  Operations: 'Health'
}

export async function installOpenApi(app: FastifyInstance, publicUrl: string, version: string): Promise<void> {
  app.addSchema(ErrorBody)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Monitoring and incident service', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
      servers: [{ url: publicUrl }],
      tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer', description: 'Workspace API token: service_ followed by 64 hexadecimal characters' },
          session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE },
          prober: { type: 'http', scheme: 'bearer', description: 'Prober token: prober_ followed by 64 hexadecimal characters' }
        }
      }
    },
    // What the api only passes on, or serves to browsers, is not part of it.
    transform: ({ schema, url, route }) => ({ schema: route.config?.endpoint ? schema : { ...schema, hide: true }, url }),
    refResolver: { buildLocalReference: (json, _base, _fragment, i) => (typeof json.$id === 'string' ? json.$id : `schema${i}`) }
  })
}
