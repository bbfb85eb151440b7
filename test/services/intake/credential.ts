/** Makes an integration as the token check returns it. */
import type { IntegrationCredential } from '../../../services/credentials/tokens.ts'

export const integration = (fields: Partial<IntegrationCredential> = {}): IntegrationCredential => ({
  sha256: '00'.repeat(32),
  tenant_id: '0198e000-0000-7000-8000-000000000001',
  integration_id: '0198e000-0000-7000-8000-000000000002',
  source_type: 'generic',
  enabled: true,
  team_id: null,
  visibility: 'org',
  default_severity: null,
  severity_map: new Map(),
  labels_add: new Map(),
  dedup_template: null,
  capture: false,
  options: {},
  verify: {},
  allowed_cidrs: [],
  expires_at: null,
  plan: 'free',
  ...fields
})
