// Generated from the OpenAPI document by npm run client. Never edited.

export type Error = { error: string; code: string; request_id: string; details?: ({ path?: string; rule?: string; message?: string; limit_key?: string; limit?: number; actual?: number; names?: string[]; plan?: string; upgrade_to?: string | null; needed?: { scope: string; role: string } })[] }

export interface paths {
  '/api/v1/auth/login': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Start a session */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { email: string; password: string; remember?: boolean } } }
      responses: { 200: { content: { 'application/json': { user: { id: string; email: string; name: string; avatar_url: string | null; time_zone: string | null; locale: string; mfa_enabled: boolean; role: 'owner' | 'admin' | 'responder' | 'editor' | 'viewer' | 'billing'; teams: string[]; created_at: string; updated_at: string }; workspace: { id: string; name: string; slug: string; plan: 'free' | 'pro' | 'business' | 'enterprise' }; workspaces: ({ id: string; name: string; slug: string; plan: 'free' | 'pro' | 'business' | 'enterprise' })[]; expires_at: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/auth/logout': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** End this session */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/auth/session': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Who am I */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { kind: 'session' | 'token'; user: { id: string; email: string; name: string; avatar_url: string | null; time_zone: string | null; locale: string; mfa_enabled: boolean; role: 'owner' | 'admin' | 'responder' | 'editor' | 'viewer' | 'billing'; teams: string[]; created_at: string; updated_at: string } | null; token: { id: string; name: string; scopes: string[] } | null; workspace: { id: string; name: string; slug: string; plan: 'free' | 'pro' | 'business' | 'enterprise' }; workspaces: ({ id: string; name: string; slug: string; plan: 'free' | 'pro' | 'business' | 'enterprise' })[]; role: 'owner' | 'admin' | 'responder' | 'editor' | 'viewer' | 'billing'; mail: 'sent' | 'kept' | 'none'; expires_at: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/auth/workspace': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Switch the workspace of this session */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { workspace_id: string } } }
      responses: { 200: { content: { 'application/json': { kind: 'session' | 'token'; user: { id: string; email: string; name: string; avatar_url: string | null; time_zone: string | null; locale: string; mfa_enabled: boolean; role: 'owner' | 'admin' | 'responder' | 'editor' | 'viewer' | 'billing'; teams: string[]; created_at: string; updated_at: string } | null; token: { id: string; name: string; scopes: string[] } | null; workspace: { id: string; name: string; slug: string; plan: 'free' | 'pro' | 'business' | 'enterprise' }; workspaces: ({ id: string; name: string; slug: string; plan: 'free' | 'pro' | 'business' | 'enterprise' })[]; role: 'owner' | 'admin' | 'responder' | 'editor' | 'viewer' | 'billing'; mail: 'sent' | 'kept' | 'none'; expires_at: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/auth/password/forgot': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Ask for a mail with a link that sets a new password; the answer does not say whether there is such an account */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { email: string } } }
      responses: { 202: { content?: never }; 400: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 501: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/auth/password/reset': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Set a new password with the token of such a link; ends every session of the person */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { token: string; password: string } } }
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 410: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/incidents': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** List incidents */
    get: {
      parameters: { query?: { page?: number; per_page?: number; sort?: '-started_at' | 'started_at' | '-number' | 'number' | '-severity'; format?: 'json' | 'csv'; status?: ('ongoing' | 'resolved')[]; dashboard_state?: ('Triggered' | 'Acknowledged' | 'Resolved' | 'Closed')[]; severity?: ('critical' | 'warning' | 'info')[]; acknowledged?: boolean; silenced?: boolean; is_major?: boolean; integration_id?: string[]; monitor_id?: string[]; heartbeat_id?: string[]; team_id?: string[]; assignee_id?: string[]; assigned?: boolean; mine?: boolean; source_kind?: ('monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage')[]; tag?: string[]; from?: string; to?: string; q?: string; include?: 'counts'[] }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; created_at: string; updated_at: string; version: number; ver: number; number: number; key: string; status: 'ongoing' | 'resolved'; dashboard_state: 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'; severity: 'critical' | 'warning' | 'info'; title: string; original_title: string | null; summary: string | null; source: { kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'; type: string | null; id: string | null; integration_id: string | null }; dedup_key: string; monitor_id: string | null; heartbeat_id: string | null; region: string | null; affected_regions: string[]; is_major: boolean; visibility: 'org' | 'private'; routing_version: number; team_id: string | null; escalation_policy_id: string | null; escalation: { state: 'none' | 'running' | 'paused' | 'held' | 'exhausted'; step: number | null; cycle: number | null; next_at: string | null; hold_reason: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap' | null }; assignee_id: string | null; acknowledged_at: string | null; acknowledged_by: string | null; acknowledged_by_name: string | null; acknowledgement_comment: string | null; resolved_at: string | null; resolved_by: string | null; resolved_by_name: string | null; resolution: { reason: string; note: string | null } | null; manually_closed_at: string | null; manually_closed_by: string | null; promoted_at: string | null; silenced_until: string | null; silenced_by: string | null; silenced_by_name: string | null; priority: string | null; labels: Record<string, string>; links: { title: string; url: string }[]; tags: string[]; alert_count: number; ongoing_alerts: number; matched_rule_ids: string[]; suppressed_by_rule_id: string | null; flapping: boolean; storm_until: string | null; held_by: ({ kind: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap'; id: string; until: string | null })[]; reopened_from: string | null; merged_into: string | null; war_room: { channel_id: string; state: 'opening' | 'open' | 'failed'; name: string; private: boolean; url: string | null; error: string | null } | null; started_at: string; detected_at: string; opened_at: string; duration_seconds: number | null; time_to_ack_seconds: number | null; time_to_resolve_seconds: number | null; last_change: { at: string; actor_kind: string; actor_id: string; request_id: string | null } })[]; total: number; page: number; per_page: number; total_pages: number; counts?: { ongoing: number; needs_someone: number; silenced: number; acknowledged: number } }; 'text/csv': string } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Declare an incident by hand */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { title: string; severity: 'critical' | 'warning' | 'info'; summary?: string | null; labels?: Record<string, string>; is_major?: boolean; assignee_id?: string | null; team_id?: string | null; escalation_policy_id?: string | null; dedup_key?: string } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; ver: number; number: number; key: string; status: 'ongoing' | 'resolved'; dashboard_state: 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'; severity: 'critical' | 'warning' | 'info'; title: string; original_title: string | null; summary: string | null; source: { kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'; type: string | null; id: string | null; integration_id: string | null }; dedup_key: string; monitor_id: string | null; heartbeat_id: string | null; region: string | null; affected_regions: string[]; is_major: boolean; visibility: 'org' | 'private'; routing_version: number; team_id: string | null; escalation_policy_id: string | null; escalation: { state: 'none' | 'running' | 'paused' | 'held' | 'exhausted'; step: number | null; cycle: number | null; next_at: string | null; hold_reason: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap' | null }; assignee_id: string | null; acknowledged_at: string | null; acknowledged_by: string | null; acknowledged_by_name: string | null; acknowledgement_comment: string | null; resolved_at: string | null; resolved_by: string | null; resolved_by_name: string | null; resolution: { reason: string; note: string | null } | null; manually_closed_at: string | null; manually_closed_by: string | null; promoted_at: string | null; silenced_until: string | null; silenced_by: string | null; silenced_by_name: string | null; priority: string | null; labels: Record<string, string>; links: { title: string; url: string }[]; tags: string[]; alert_count: number; ongoing_alerts: number; matched_rule_ids: string[]; suppressed_by_rule_id: string | null; flapping: boolean; storm_until: string | null; held_by: ({ kind: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap'; id: string; until: string | null })[]; reopened_from: string | null; merged_into: string | null; war_room: { channel_id: string; state: 'opening' | 'open' | 'failed'; name: string; private: boolean; url: string | null; error: string | null } | null; started_at: string; detected_at: string; opened_at: string; duration_seconds: number | null; time_to_ack_seconds: number | null; time_to_resolve_seconds: number | null; last_change: { at: string; actor_kind: string; actor_id: string; request_id: string | null } } } }; 201: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; ver: number; number: number; key: string; status: 'ongoing' | 'resolved'; dashboard_state: 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'; severity: 'critical' | 'warning' | 'info'; title: string; original_title: string | null; summary: string | null; source: { kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'; type: string | null; id: string | null; integration_id: string | null }; dedup_key: string; monitor_id: string | null; heartbeat_id: string | null; region: string | null; affected_regions: string[]; is_major: boolean; visibility: 'org' | 'private'; routing_version: number; team_id: string | null; escalation_policy_id: string | null; escalation: { state: 'none' | 'running' | 'paused' | 'held' | 'exhausted'; step: number | null; cycle: number | null; next_at: string | null; hold_reason: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap' | null }; assignee_id: string | null; acknowledged_at: string | null; acknowledged_by: string | null; acknowledged_by_name: string | null; acknowledgement_comment: string | null; resolved_at: string | null; resolved_by: string | null; resolved_by_name: string | null; resolution: { reason: string; note: string | null } | null; manually_closed_at: string | null; manually_closed_by: string | null; promoted_at: string | null; silenced_until: string | null; silenced_by: string | null; silenced_by_name: string | null; priority: string | null; labels: Record<string, string>; links: { title: string; url: string }[]; tags: string[]; alert_count: number; ongoing_alerts: number; matched_rule_ids: string[]; suppressed_by_rule_id: string | null; flapping: boolean; storm_until: string | null; held_by: ({ kind: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap'; id: string; until: string | null })[]; reopened_from: string | null; merged_into: string | null; war_room: { channel_id: string; state: 'opening' | 'open' | 'failed'; name: string; private: boolean; url: string | null; error: string | null } | null; started_at: string; detected_at: string; opened_at: string; duration_seconds: number | null; time_to_ack_seconds: number | null; time_to_resolve_seconds: number | null; last_change: { at: string; actor_kind: string; actor_id: string; request_id: string | null } } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/incidents/{id}/timeline': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** What happened to an incident */
    get: {
      parameters: { query?: { cursor?: string; per_page?: number }; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; ver: number; at: string; type: string; actor: string; actor_name: string | null; via: string | null; app: string | null; data: Record<string, unknown>; config_versions: Record<string, number> })[]; total: number; page: number; per_page: number; total_pages: number; next_cursor: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/incidents/{id}/acknowledge': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Acknowledge an incident */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { comment?: string | null } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; ver: number; number: number; key: string; status: 'ongoing' | 'resolved'; dashboard_state: 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'; severity: 'critical' | 'warning' | 'info'; title: string; original_title: string | null; summary: string | null; source: { kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'; type: string | null; id: string | null; integration_id: string | null }; dedup_key: string; monitor_id: string | null; heartbeat_id: string | null; region: string | null; affected_regions: string[]; is_major: boolean; visibility: 'org' | 'private'; routing_version: number; team_id: string | null; escalation_policy_id: string | null; escalation: { state: 'none' | 'running' | 'paused' | 'held' | 'exhausted'; step: number | null; cycle: number | null; next_at: string | null; hold_reason: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap' | null }; assignee_id: string | null; acknowledged_at: string | null; acknowledged_by: string | null; acknowledged_by_name: string | null; acknowledgement_comment: string | null; resolved_at: string | null; resolved_by: string | null; resolved_by_name: string | null; resolution: { reason: string; note: string | null } | null; manually_closed_at: string | null; manually_closed_by: string | null; promoted_at: string | null; silenced_until: string | null; silenced_by: string | null; silenced_by_name: string | null; priority: string | null; labels: Record<string, string>; links: { title: string; url: string }[]; tags: string[]; alert_count: number; ongoing_alerts: number; matched_rule_ids: string[]; suppressed_by_rule_id: string | null; flapping: boolean; storm_until: string | null; held_by: ({ kind: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap'; id: string; until: string | null })[]; reopened_from: string | null; merged_into: string | null; war_room: { channel_id: string; state: 'opening' | 'open' | 'failed'; name: string; private: boolean; url: string | null; error: string | null } | null; started_at: string; detected_at: string; opened_at: string; duration_seconds: number | null; time_to_ack_seconds: number | null; time_to_resolve_seconds: number | null; last_change: { at: string; actor_kind: string; actor_id: string; request_id: string | null } } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/incidents/{id}/unacknowledge': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Take an acknowledgement back */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { reason?: string | null } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; ver: number; number: number; key: string; status: 'ongoing' | 'resolved'; dashboard_state: 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'; severity: 'critical' | 'warning' | 'info'; title: string; original_title: string | null; summary: string | null; source: { kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'; type: string | null; id: string | null; integration_id: string | null }; dedup_key: string; monitor_id: string | null; heartbeat_id: string | null; region: string | null; affected_regions: string[]; is_major: boolean; visibility: 'org' | 'private'; routing_version: number; team_id: string | null; escalation_policy_id: string | null; escalation: { state: 'none' | 'running' | 'paused' | 'held' | 'exhausted'; step: number | null; cycle: number | null; next_at: string | null; hold_reason: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap' | null }; assignee_id: string | null; acknowledged_at: string | null; acknowledged_by: string | null; acknowledged_by_name: string | null; acknowledgement_comment: string | null; resolved_at: string | null; resolved_by: string | null; resolved_by_name: string | null; resolution: { reason: string; note: string | null } | null; manually_closed_at: string | null; manually_closed_by: string | null; promoted_at: string | null; silenced_until: string | null; silenced_by: string | null; silenced_by_name: string | null; priority: string | null; labels: Record<string, string>; links: { title: string; url: string }[]; tags: string[]; alert_count: number; ongoing_alerts: number; matched_rule_ids: string[]; suppressed_by_rule_id: string | null; flapping: boolean; storm_until: string | null; held_by: ({ kind: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap'; id: string; until: string | null })[]; reopened_from: string | null; merged_into: string | null; war_room: { channel_id: string; state: 'opening' | 'open' | 'failed'; name: string; private: boolean; url: string | null; error: string | null } | null; started_at: string; detected_at: string; opened_at: string; duration_seconds: number | null; time_to_ack_seconds: number | null; time_to_resolve_seconds: number | null; last_change: { at: string; actor_kind: string; actor_id: string; request_id: string | null } } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/incidents/{id}/resolve': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Resolve an incident */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { note?: string | null; until_recovered?: boolean } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; ver: number; number: number; key: string; status: 'ongoing' | 'resolved'; dashboard_state: 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'; severity: 'critical' | 'warning' | 'info'; title: string; original_title: string | null; summary: string | null; source: { kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'; type: string | null; id: string | null; integration_id: string | null }; dedup_key: string; monitor_id: string | null; heartbeat_id: string | null; region: string | null; affected_regions: string[]; is_major: boolean; visibility: 'org' | 'private'; routing_version: number; team_id: string | null; escalation_policy_id: string | null; escalation: { state: 'none' | 'running' | 'paused' | 'held' | 'exhausted'; step: number | null; cycle: number | null; next_at: string | null; hold_reason: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap' | null }; assignee_id: string | null; acknowledged_at: string | null; acknowledged_by: string | null; acknowledged_by_name: string | null; acknowledgement_comment: string | null; resolved_at: string | null; resolved_by: string | null; resolved_by_name: string | null; resolution: { reason: string; note: string | null } | null; manually_closed_at: string | null; manually_closed_by: string | null; promoted_at: string | null; silenced_until: string | null; silenced_by: string | null; silenced_by_name: string | null; priority: string | null; labels: Record<string, string>; links: { title: string; url: string }[]; tags: string[]; alert_count: number; ongoing_alerts: number; matched_rule_ids: string[]; suppressed_by_rule_id: string | null; flapping: boolean; storm_until: string | null; held_by: ({ kind: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap'; id: string; until: string | null })[]; reopened_from: string | null; merged_into: string | null; war_room: { channel_id: string; state: 'opening' | 'open' | 'failed'; name: string; private: boolean; url: string | null; error: string | null } | null; started_at: string; detected_at: string; opened_at: string; duration_seconds: number | null; time_to_ack_seconds: number | null; time_to_resolve_seconds: number | null; last_change: { at: string; actor_kind: string; actor_id: string; request_id: string | null } } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/incidents/{id}/close': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Close an incident by hand */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { note?: string | null; on_behalf_of?: string } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; ver: number; number: number; key: string; status: 'ongoing' | 'resolved'; dashboard_state: 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'; severity: 'critical' | 'warning' | 'info'; title: string; original_title: string | null; summary: string | null; source: { kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'; type: string | null; id: string | null; integration_id: string | null }; dedup_key: string; monitor_id: string | null; heartbeat_id: string | null; region: string | null; affected_regions: string[]; is_major: boolean; visibility: 'org' | 'private'; routing_version: number; team_id: string | null; escalation_policy_id: string | null; escalation: { state: 'none' | 'running' | 'paused' | 'held' | 'exhausted'; step: number | null; cycle: number | null; next_at: string | null; hold_reason: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap' | null }; assignee_id: string | null; acknowledged_at: string | null; acknowledged_by: string | null; acknowledged_by_name: string | null; acknowledgement_comment: string | null; resolved_at: string | null; resolved_by: string | null; resolved_by_name: string | null; resolution: { reason: string; note: string | null } | null; manually_closed_at: string | null; manually_closed_by: string | null; promoted_at: string | null; silenced_until: string | null; silenced_by: string | null; silenced_by_name: string | null; priority: string | null; labels: Record<string, string>; links: { title: string; url: string }[]; tags: string[]; alert_count: number; ongoing_alerts: number; matched_rule_ids: string[]; suppressed_by_rule_id: string | null; flapping: boolean; storm_until: string | null; held_by: ({ kind: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap'; id: string; until: string | null })[]; reopened_from: string | null; merged_into: string | null; war_room: { channel_id: string; state: 'opening' | 'open' | 'failed'; name: string; private: boolean; url: string | null; error: string | null } | null; started_at: string; detected_at: string; opened_at: string; duration_seconds: number | null; time_to_ack_seconds: number | null; time_to_resolve_seconds: number | null; last_change: { at: string; actor_kind: string; actor_id: string; request_id: string | null } } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/incidents/{id}/silence': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Silence an incident for some minutes */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { duration_minutes?: number; minutes?: number; duration?: number; reason?: string | null } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; ver: number; number: number; key: string; status: 'ongoing' | 'resolved'; dashboard_state: 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'; severity: 'critical' | 'warning' | 'info'; title: string; original_title: string | null; summary: string | null; source: { kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'; type: string | null; id: string | null; integration_id: string | null }; dedup_key: string; monitor_id: string | null; heartbeat_id: string | null; region: string | null; affected_regions: string[]; is_major: boolean; visibility: 'org' | 'private'; routing_version: number; team_id: string | null; escalation_policy_id: string | null; escalation: { state: 'none' | 'running' | 'paused' | 'held' | 'exhausted'; step: number | null; cycle: number | null; next_at: string | null; hold_reason: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap' | null }; assignee_id: string | null; acknowledged_at: string | null; acknowledged_by: string | null; acknowledged_by_name: string | null; acknowledgement_comment: string | null; resolved_at: string | null; resolved_by: string | null; resolved_by_name: string | null; resolution: { reason: string; note: string | null } | null; manually_closed_at: string | null; manually_closed_by: string | null; promoted_at: string | null; silenced_until: string | null; silenced_by: string | null; silenced_by_name: string | null; priority: string | null; labels: Record<string, string>; links: { title: string; url: string }[]; tags: string[]; alert_count: number; ongoing_alerts: number; matched_rule_ids: string[]; suppressed_by_rule_id: string | null; flapping: boolean; storm_until: string | null; held_by: ({ kind: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap'; id: string; until: string | null })[]; reopened_from: string | null; merged_into: string | null; war_room: { channel_id: string; state: 'opening' | 'open' | 'failed'; name: string; private: boolean; url: string | null; error: string | null } | null; started_at: string; detected_at: string; opened_at: string; duration_seconds: number | null; time_to_ack_seconds: number | null; time_to_resolve_seconds: number | null; last_change: { at: string; actor_kind: string; actor_id: string; request_id: string | null } } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    /** End a silence early */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; ver: number; number: number; key: string; status: 'ongoing' | 'resolved'; dashboard_state: 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'; severity: 'critical' | 'warning' | 'info'; title: string; original_title: string | null; summary: string | null; source: { kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'; type: string | null; id: string | null; integration_id: string | null }; dedup_key: string; monitor_id: string | null; heartbeat_id: string | null; region: string | null; affected_regions: string[]; is_major: boolean; visibility: 'org' | 'private'; routing_version: number; team_id: string | null; escalation_policy_id: string | null; escalation: { state: 'none' | 'running' | 'paused' | 'held' | 'exhausted'; step: number | null; cycle: number | null; next_at: string | null; hold_reason: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap' | null }; assignee_id: string | null; acknowledged_at: string | null; acknowledged_by: string | null; acknowledged_by_name: string | null; acknowledgement_comment: string | null; resolved_at: string | null; resolved_by: string | null; resolved_by_name: string | null; resolution: { reason: string; note: string | null } | null; manually_closed_at: string | null; manually_closed_by: string | null; promoted_at: string | null; silenced_until: string | null; silenced_by: string | null; silenced_by_name: string | null; priority: string | null; labels: Record<string, string>; links: { title: string; url: string }[]; tags: string[]; alert_count: number; ongoing_alerts: number; matched_rule_ids: string[]; suppressed_by_rule_id: string | null; flapping: boolean; storm_until: string | null; held_by: ({ kind: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap'; id: string; until: string | null })[]; reopened_from: string | null; merged_into: string | null; war_room: { channel_id: string; state: 'opening' | 'open' | 'failed'; name: string; private: boolean; url: string | null; error: string | null } | null; started_at: string; detected_at: string; opened_at: string; duration_seconds: number | null; time_to_ack_seconds: number | null; time_to_resolve_seconds: number | null; last_change: { at: string; actor_kind: string; actor_id: string; request_id: string | null } } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/incidents/{id}/assign': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Assign an incident to a member, or to nobody */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { user_id?: string | null; schedule_id?: string | null } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; ver: number; number: number; key: string; status: 'ongoing' | 'resolved'; dashboard_state: 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'; severity: 'critical' | 'warning' | 'info'; title: string; original_title: string | null; summary: string | null; source: { kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'; type: string | null; id: string | null; integration_id: string | null }; dedup_key: string; monitor_id: string | null; heartbeat_id: string | null; region: string | null; affected_regions: string[]; is_major: boolean; visibility: 'org' | 'private'; routing_version: number; team_id: string | null; escalation_policy_id: string | null; escalation: { state: 'none' | 'running' | 'paused' | 'held' | 'exhausted'; step: number | null; cycle: number | null; next_at: string | null; hold_reason: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap' | null }; assignee_id: string | null; acknowledged_at: string | null; acknowledged_by: string | null; acknowledged_by_name: string | null; acknowledgement_comment: string | null; resolved_at: string | null; resolved_by: string | null; resolved_by_name: string | null; resolution: { reason: string; note: string | null } | null; manually_closed_at: string | null; manually_closed_by: string | null; promoted_at: string | null; silenced_until: string | null; silenced_by: string | null; silenced_by_name: string | null; priority: string | null; labels: Record<string, string>; links: { title: string; url: string }[]; tags: string[]; alert_count: number; ongoing_alerts: number; matched_rule_ids: string[]; suppressed_by_rule_id: string | null; flapping: boolean; storm_until: string | null; held_by: ({ kind: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap'; id: string; until: string | null })[]; reopened_from: string | null; merged_into: string | null; war_room: { channel_id: string; state: 'opening' | 'open' | 'failed'; name: string; private: boolean; url: string | null; error: string | null } | null; started_at: string; detected_at: string; opened_at: string; duration_seconds: number | null; time_to_ack_seconds: number | null; time_to_resolve_seconds: number | null; last_change: { at: string; actor_kind: string; actor_id: string; request_id: string | null } } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/incidents/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Read an incident by id or key */
    get: {
      parameters: { query?: { include?: ('timeline' | 'alerts' | 'related')[] }; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; ver: number; number: number; key: string; status: 'ongoing' | 'resolved'; dashboard_state: 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'; severity: 'critical' | 'warning' | 'info'; title: string; original_title: string | null; summary: string | null; source: { kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'; type: string | null; id: string | null; integration_id: string | null }; dedup_key: string; monitor_id: string | null; heartbeat_id: string | null; region: string | null; affected_regions: string[]; is_major: boolean; visibility: 'org' | 'private'; routing_version: number; team_id: string | null; escalation_policy_id: string | null; escalation: { state: 'none' | 'running' | 'paused' | 'held' | 'exhausted'; step: number | null; cycle: number | null; next_at: string | null; hold_reason: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap' | null }; assignee_id: string | null; acknowledged_at: string | null; acknowledged_by: string | null; acknowledged_by_name: string | null; acknowledgement_comment: string | null; resolved_at: string | null; resolved_by: string | null; resolved_by_name: string | null; resolution: { reason: string; note: string | null } | null; manually_closed_at: string | null; manually_closed_by: string | null; promoted_at: string | null; silenced_until: string | null; silenced_by: string | null; silenced_by_name: string | null; priority: string | null; labels: Record<string, string>; links: { title: string; url: string }[]; tags: string[]; alert_count: number; ongoing_alerts: number; matched_rule_ids: string[]; suppressed_by_rule_id: string | null; flapping: boolean; storm_until: string | null; held_by: ({ kind: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap'; id: string; until: string | null })[]; reopened_from: string | null; merged_into: string | null; war_room: { channel_id: string; state: 'opening' | 'open' | 'failed'; name: string; private: boolean; url: string | null; error: string | null } | null; started_at: string; detected_at: string; opened_at: string; duration_seconds: number | null; time_to_ack_seconds: number | null; time_to_resolve_seconds: number | null; last_change: { at: string; actor_kind: string; actor_id: string; request_id: string | null }; related_ids: string[]; alerts_preview: ({ id: string; tenant_id: string; created_at: string; updated_at: string; version: number; incident_id: string | null; status: 'ongoing' | 'resolved'; dashboard_state: 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'; severity: 'critical' | 'warning' | 'info'; title: string; description: string | null; source: { kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'; type: string | null; id: string | null; integration_id: string | null }; dedup_key: string; monitor_id: string | null; heartbeat_id: string | null; region: string | null; affected_regions: string[]; is_major: boolean; visibility: 'org' | 'private'; team_id: string | null; escalation_policy_id: string | null; routing_version: number; matched_rule_ids: string[]; suppressed_by: { kind: 'pause' | 'maintenance' | 'silence' | 'rule'; id: string } | null; acknowledged_at: string | null; acknowledged_by: string | null; resolved_at: string | null; resolved_by: string | null; resolution: { reason: string } | null; manually_closed_at: string | null; manually_closed_by: string | null; promoted_at: string | null; priority: string | null; labels: Record<string, string>; links: { title: string; url: string }[]; reopened_from: string | null; started_at: string; detected_at: string; opened_at: string })[]; postmortem_status: 'none' | 'draft' | 'published'; changes: ({ id: string; origin: 'planned' | 'deployment'; name: string; starts_at: string; ends_at: string; service: string | null; environment: string | null; deployed_version: string | null; run_url: string | null; outcome: 'succeeded' | 'failed' | 'rolled_back' | 'cancelled' | null })[]; timeline?: { items: ({ id: string; ver: number; at: string; type: string; actor: string; actor_name: string | null; via: string | null; app: string | null; data: Record<string, unknown>; config_versions: Record<string, number> })[]; total: number; page: number; per_page: number; total_pages: number; next_cursor: string | null }; alerts?: { items: ({ id: string; tenant_id: string; created_at: string; updated_at: string; version: number; incident_id: string | null; status: 'ongoing' | 'resolved'; dashboard_state: 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'; severity: 'critical' | 'warning' | 'info'; title: string; description: string | null; source: { kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'; type: string | null; id: string | null; integration_id: string | null }; dedup_key: string; monitor_id: string | null; heartbeat_id: string | null; region: string | null; affected_regions: string[]; is_major: boolean; visibility: 'org' | 'private'; team_id: string | null; escalation_policy_id: string | null; routing_version: number; matched_rule_ids: string[]; suppressed_by: { kind: 'pause' | 'maintenance' | 'silence' | 'rule'; id: string } | null; acknowledged_at: string | null; acknowledged_by: string | null; resolved_at: string | null; resolved_by: string | null; resolution: { reason: string } | null; manually_closed_at: string | null; manually_closed_by: string | null; promoted_at: string | null; priority: string | null; labels: Record<string, string>; links: { title: string; url: string }[]; reopened_from: string | null; started_at: string; detected_at: string; opened_at: string })[]; per_page: number; next_cursor: string | null; complete_until: string | null }; related?: ({ id: string; key: string; title: string; status: 'ongoing' | 'resolved'; severity: 'critical' | 'warning' | 'info'; started_at: string; resolved_at: string | null; relation: 'merged_into' | 'merged' | 'parent' | 'child' | 'outage' | 'bundled' | 'reopened_from' | 'reopened_as' | 'same_signal' })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    /** Edit an incident */
    patch: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { title?: string; summary?: string | null; severity?: 'critical' | 'warning' | 'info'; priority?: 'P1' | 'P2' | 'P3' | 'P4' | 'P5' | null; is_major?: boolean; labels?: Record<string, string>; links?: { title: string; url: string }[]; tags?: string[]; team_id?: string | null } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; ver: number; number: number; key: string; status: 'ongoing' | 'resolved'; dashboard_state: 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'; severity: 'critical' | 'warning' | 'info'; title: string; original_title: string | null; summary: string | null; source: { kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'; type: string | null; id: string | null; integration_id: string | null }; dedup_key: string; monitor_id: string | null; heartbeat_id: string | null; region: string | null; affected_regions: string[]; is_major: boolean; visibility: 'org' | 'private'; routing_version: number; team_id: string | null; escalation_policy_id: string | null; escalation: { state: 'none' | 'running' | 'paused' | 'held' | 'exhausted'; step: number | null; cycle: number | null; next_at: string | null; hold_reason: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap' | null }; assignee_id: string | null; acknowledged_at: string | null; acknowledged_by: string | null; acknowledged_by_name: string | null; acknowledgement_comment: string | null; resolved_at: string | null; resolved_by: string | null; resolved_by_name: string | null; resolution: { reason: string; note: string | null } | null; manually_closed_at: string | null; manually_closed_by: string | null; promoted_at: string | null; silenced_until: string | null; silenced_by: string | null; silenced_by_name: string | null; priority: string | null; labels: Record<string, string>; links: { title: string; url: string }[]; tags: string[]; alert_count: number; ongoing_alerts: number; matched_rule_ids: string[]; suppressed_by_rule_id: string | null; flapping: boolean; storm_until: string | null; held_by: ({ kind: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap'; id: string; until: string | null })[]; reopened_from: string | null; merged_into: string | null; war_room: { channel_id: string; state: 'opening' | 'open' | 'failed'; name: string; private: boolean; url: string | null; error: string | null } | null; started_at: string; detected_at: string; opened_at: string; duration_seconds: number | null; time_to_ack_seconds: number | null; time_to_resolve_seconds: number | null; last_change: { at: string; actor_kind: string; actor_id: string; request_id: string | null } } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    trace?: never
  }
  '/api/v1/incidents/{id}/merge': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Merge an incident into another one */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { into_id: string } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; ver: number; number: number; key: string; status: 'ongoing' | 'resolved'; dashboard_state: 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'; severity: 'critical' | 'warning' | 'info'; title: string; original_title: string | null; summary: string | null; source: { kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'; type: string | null; id: string | null; integration_id: string | null }; dedup_key: string; monitor_id: string | null; heartbeat_id: string | null; region: string | null; affected_regions: string[]; is_major: boolean; visibility: 'org' | 'private'; routing_version: number; team_id: string | null; escalation_policy_id: string | null; escalation: { state: 'none' | 'running' | 'paused' | 'held' | 'exhausted'; step: number | null; cycle: number | null; next_at: string | null; hold_reason: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap' | null }; assignee_id: string | null; acknowledged_at: string | null; acknowledged_by: string | null; acknowledged_by_name: string | null; acknowledgement_comment: string | null; resolved_at: string | null; resolved_by: string | null; resolved_by_name: string | null; resolution: { reason: string; note: string | null } | null; manually_closed_at: string | null; manually_closed_by: string | null; promoted_at: string | null; silenced_until: string | null; silenced_by: string | null; silenced_by_name: string | null; priority: string | null; labels: Record<string, string>; links: { title: string; url: string }[]; tags: string[]; alert_count: number; ongoing_alerts: number; matched_rule_ids: string[]; suppressed_by_rule_id: string | null; flapping: boolean; storm_until: string | null; held_by: ({ kind: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap'; id: string; until: string | null })[]; reopened_from: string | null; merged_into: string | null; war_room: { channel_id: string; state: 'opening' | 'open' | 'failed'; name: string; private: boolean; url: string | null; error: string | null } | null; started_at: string; detected_at: string; opened_at: string; duration_seconds: number | null; time_to_ack_seconds: number | null; time_to_resolve_seconds: number | null; last_change: { at: string; actor_kind: string; actor_id: string; request_id: string | null } } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/incidents/{id}/postmortem': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Read the postmortem of an incident */
    get: {
      parameters: { query?: { format?: 'json' | 'md' }; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; incident_id: string; status: 'draft' | 'published'; impact: string; root_cause: string; detection: string; resolution: string; lessons: string; action_items: ({ title: string; owner_id: string | null; due_on: string | null; done: boolean; link: string | null; owner_name: string | null })[]; timeline_refs: string[]; published_at: string | null; created_by: string; updated_by: string; updated_by_name: string | null }; 'text/markdown': string } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    /** Write the postmortem of an incident */
    put: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { status?: 'draft' | 'published'; impact?: string; root_cause?: string; detection?: string; resolution?: string; lessons?: string; action_items?: ({ title: string; owner_id?: string | null; due_on?: string | null; done?: boolean; link?: string | null; owner_name?: string | null })[]; timeline_refs?: string[] } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; incident_id: string; status: 'draft' | 'published'; impact: string; root_cause: string; detection: string; resolution: string; lessons: string; action_items: ({ title: string; owner_id: string | null; due_on: string | null; done: boolean; link: string | null; owner_name: string | null })[]; timeline_refs: string[]; published_at: string | null; created_by: string; updated_by: string; updated_by_name: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/incidents/{id}/war-room': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Open a war room at a chat service */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { channel_id: string; name?: string } } }
      responses: { 200: { content: { 'application/json': { channel_id: string; state: 'opening' | 'open' | 'failed'; name: string; private: boolean; url: string | null; error: string | null } } }; 201: { content: { 'application/json': { channel_id: string; state: 'opening' | 'open' | 'failed'; name: string; private: boolean; url: string | null; error: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/incidents/bulk': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** One action on many incidents */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { ids: string[]; action: 'acknowledge' | 'unacknowledge' | 'resolve' | 'close' | 'silence' | 'unsilence' | 'assign'; comment?: string | null; note?: string | null; until_recovered?: boolean; on_behalf_of?: string; duration_minutes?: number; minutes?: number; duration?: number; reason?: string | null; user_id?: string | null; schedule_id?: string | null } } }
      responses: { 200: { content: { 'application/json': { changed: string[]; failed: { id: string; code: string; error: string }[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/alerts': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** List alerts */
    get: {
      parameters: { query?: { cursor?: string; per_page?: number; status?: ('ongoing' | 'resolved')[]; severity?: ('critical' | 'warning' | 'info')[]; promoted?: boolean; suppressed?: boolean; source_kind?: ('monitor' | 'heartbeat' | 'inbound')[]; integration_id?: string[]; monitor_id?: string[]; heartbeat_id?: string[]; team_id?: string[]; incident_id?: string[]; dedup_key?: string[]; from?: string; to?: string; q?: string }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; created_at: string; updated_at: string; version: number; incident_id: string | null; status: 'ongoing' | 'resolved'; dashboard_state: 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'; severity: 'critical' | 'warning' | 'info'; title: string; description: string | null; source: { kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'; type: string | null; id: string | null; integration_id: string | null }; dedup_key: string; monitor_id: string | null; heartbeat_id: string | null; region: string | null; affected_regions: string[]; is_major: boolean; visibility: 'org' | 'private'; team_id: string | null; escalation_policy_id: string | null; routing_version: number; matched_rule_ids: string[]; suppressed_by: { kind: 'pause' | 'maintenance' | 'silence' | 'rule'; id: string } | null; acknowledged_at: string | null; acknowledged_by: string | null; resolved_at: string | null; resolved_by: string | null; resolution: { reason: string } | null; manually_closed_at: string | null; manually_closed_by: string | null; promoted_at: string | null; priority: string | null; labels: Record<string, string>; links: { title: string; url: string }[]; reopened_from: string | null; started_at: string; detected_at: string; opened_at: string })[]; per_page: number; next_cursor: string | null; complete_until: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Create an alert, or end it */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { title?: string; severity?: string | null; status?: 'firing' | 'resolved' | 'ok' | 'up' | 'closed' | 'recovered' | 'clear' | 'acknowledged'; dedup_key?: string; description?: string | null; source?: string | null; component?: string | null; environment?: string | null; labels?: Record<string, string>; url?: string | null; occurred_at?: string } } }
      responses: { 202: { content: { 'application/json': { alert_id: string | null; dedup_key: string; source_dedup_key: string; action: 'fire' | 'resolve' | 'ignore'; status: 'accepted' | 'ignored'; reason: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/incidents/{id}/alerts': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Alerts of an incident, newest first */
    get: {
      parameters: { query?: { cursor?: string; per_page?: number }; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; created_at: string; updated_at: string; version: number; incident_id: string | null; status: 'ongoing' | 'resolved'; dashboard_state: 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'; severity: 'critical' | 'warning' | 'info'; title: string; description: string | null; source: { kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'; type: string | null; id: string | null; integration_id: string | null }; dedup_key: string; monitor_id: string | null; heartbeat_id: string | null; region: string | null; affected_regions: string[]; is_major: boolean; visibility: 'org' | 'private'; team_id: string | null; escalation_policy_id: string | null; routing_version: number; matched_rule_ids: string[]; suppressed_by: { kind: 'pause' | 'maintenance' | 'silence' | 'rule'; id: string } | null; acknowledged_at: string | null; acknowledged_by: string | null; resolved_at: string | null; resolved_by: string | null; resolution: { reason: string } | null; manually_closed_at: string | null; manually_closed_by: string | null; promoted_at: string | null; priority: string | null; labels: Record<string, string>; links: { title: string; url: string }[]; reopened_from: string | null; started_at: string; detected_at: string; opened_at: string })[]; per_page: number; next_cursor: string | null; complete_until: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/alerts/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Read an alert */
    get: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; incident_id: string | null; status: 'ongoing' | 'resolved'; dashboard_state: 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'; severity: 'critical' | 'warning' | 'info'; title: string; description: string | null; source: { kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'; type: string | null; id: string | null; integration_id: string | null }; dedup_key: string; monitor_id: string | null; heartbeat_id: string | null; region: string | null; affected_regions: string[]; is_major: boolean; visibility: 'org' | 'private'; team_id: string | null; escalation_policy_id: string | null; routing_version: number; matched_rule_ids: string[]; suppressed_by: { kind: 'pause' | 'maintenance' | 'silence' | 'rule'; id: string } | null; acknowledged_at: string | null; acknowledged_by: string | null; resolved_at: string | null; resolved_by: string | null; resolution: { reason: string } | null; manually_closed_at: string | null; manually_closed_by: string | null; promoted_at: string | null; priority: string | null; labels: Record<string, string>; links: { title: string; url: string }[]; reopened_from: string | null; started_at: string; detected_at: string; opened_at: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/alerts/{id}/acknowledge': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Acknowledge an alert */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { comment?: string | null } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; incident_id: string | null; status: 'ongoing' | 'resolved'; dashboard_state: 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'; severity: 'critical' | 'warning' | 'info'; title: string; description: string | null; source: { kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'; type: string | null; id: string | null; integration_id: string | null }; dedup_key: string; monitor_id: string | null; heartbeat_id: string | null; region: string | null; affected_regions: string[]; is_major: boolean; visibility: 'org' | 'private'; team_id: string | null; escalation_policy_id: string | null; routing_version: number; matched_rule_ids: string[]; suppressed_by: { kind: 'pause' | 'maintenance' | 'silence' | 'rule'; id: string } | null; acknowledged_at: string | null; acknowledged_by: string | null; resolved_at: string | null; resolved_by: string | null; resolution: { reason: string } | null; manually_closed_at: string | null; manually_closed_by: string | null; promoted_at: string | null; priority: string | null; labels: Record<string, string>; links: { title: string; url: string }[]; reopened_from: string | null; started_at: string; detected_at: string; opened_at: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/alerts/{id}/resolve': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Resolve an alert */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { note?: string | null; until_recovered?: boolean } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; incident_id: string | null; status: 'ongoing' | 'resolved'; dashboard_state: 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'; severity: 'critical' | 'warning' | 'info'; title: string; description: string | null; source: { kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'; type: string | null; id: string | null; integration_id: string | null }; dedup_key: string; monitor_id: string | null; heartbeat_id: string | null; region: string | null; affected_regions: string[]; is_major: boolean; visibility: 'org' | 'private'; team_id: string | null; escalation_policy_id: string | null; routing_version: number; matched_rule_ids: string[]; suppressed_by: { kind: 'pause' | 'maintenance' | 'silence' | 'rule'; id: string } | null; acknowledged_at: string | null; acknowledged_by: string | null; resolved_at: string | null; resolved_by: string | null; resolution: { reason: string } | null; manually_closed_at: string | null; manually_closed_by: string | null; promoted_at: string | null; priority: string | null; labels: Record<string, string>; links: { title: string; url: string }[]; reopened_from: string | null; started_at: string; detected_at: string; opened_at: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/alerts/{id}/close': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Close an alert by hand */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { note?: string | null; on_behalf_of?: string } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; incident_id: string | null; status: 'ongoing' | 'resolved'; dashboard_state: 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'; severity: 'critical' | 'warning' | 'info'; title: string; description: string | null; source: { kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'; type: string | null; id: string | null; integration_id: string | null }; dedup_key: string; monitor_id: string | null; heartbeat_id: string | null; region: string | null; affected_regions: string[]; is_major: boolean; visibility: 'org' | 'private'; team_id: string | null; escalation_policy_id: string | null; routing_version: number; matched_rule_ids: string[]; suppressed_by: { kind: 'pause' | 'maintenance' | 'silence' | 'rule'; id: string } | null; acknowledged_at: string | null; acknowledged_by: string | null; resolved_at: string | null; resolved_by: string | null; resolution: { reason: string } | null; manually_closed_at: string | null; manually_closed_by: string | null; promoted_at: string | null; priority: string | null; labels: Record<string, string>; links: { title: string; url: string }[]; reopened_from: string | null; started_at: string; detected_at: string; opened_at: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/alerts/{id}/promote': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Open an incident for an alert */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { title?: string; incident_id?: string } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; incident_id: string | null; status: 'ongoing' | 'resolved'; dashboard_state: 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'; severity: 'critical' | 'warning' | 'info'; title: string; description: string | null; source: { kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'; type: string | null; id: string | null; integration_id: string | null }; dedup_key: string; monitor_id: string | null; heartbeat_id: string | null; region: string | null; affected_regions: string[]; is_major: boolean; visibility: 'org' | 'private'; team_id: string | null; escalation_policy_id: string | null; routing_version: number; matched_rule_ids: string[]; suppressed_by: { kind: 'pause' | 'maintenance' | 'silence' | 'rule'; id: string } | null; acknowledged_at: string | null; acknowledged_by: string | null; resolved_at: string | null; resolved_by: string | null; resolution: { reason: string } | null; manually_closed_at: string | null; manually_closed_by: string | null; promoted_at: string | null; priority: string | null; labels: Record<string, string>; links: { title: string; url: string }[]; reopened_from: string | null; started_at: string; detected_at: string; opened_at: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/alerts/{id}/events': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Signals that an alert is made of, newest first */
    get: {
      parameters: { query?: { cursor?: string; per_page?: number }; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; alert_id: string; incident_id: string | null; at: string; occurred_at: string; action: 'fire' | 'resolve' | 'note' | 'update' | 'unknown'; title: string; severity: 'critical' | 'warning' | 'info'; source_severity: string | null; source_dedup_key: string | null; accepted_as: 'applied' | 'repeat' | 'older' | 'suppressed' | null; source_type: string; integration_id: string; labels: Record<string, string>; links: { title: string; url: string }[]; caused: { ver: number; type: string } | null })[]; per_page: number; next_cursor: string | null; complete_until: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/incidents/{id}/explain': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Why an incident is there */
    get: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { question: string; answer: string; at: string; steps: ({ n: number; rule: 'rounds' | 'failure_rate' | 'quorum' | 'vote' | 'flap' | 'pause' | 'signal' | 'declaration' | 'promotion_by_hand' | 'reopening' | 'dedup' | 'dependency' | 'mass_outage' | 'routing' | 'grouping' | 'maintenance' | 'promotion' | 'policy' | 'escalation_run' | 'escalation_step'; inputs: { topic: string; partition: number; offset: string; summary: string }[]; config_refs: ({ type: string; id: string | null; version: number })[]; values: Record<string, unknown>; verdict: string; trace?: ({ rule_id: string; name: string; mode: 'live' | 'shadow'; outcome: 'matched' | 'not_matched' | 'skipped'; reason: 'disabled' | 'expired' | 'outside_time_window' | 'after_stop' | 'unreadable' | null; conditions: ({ group: 'all' | 'any' | 'none'; index: number; field: string; op: string; seen: string | null })[]; team_kept: boolean })[]; shadow?: { matched: string[]; changes: ('team' | 'promote' | 'suppress' | 'severity' | 'group' | 'priority' | 'major' | 'labels' | 'auto_resolve' | 'notify_resolved')[]; outcome: { team_id: string | null; escalation_policy_id: string | null; policy_by: 'rule' | 'signal' | 'team' | 'workspace' | null; channel_ids?: string[] | null; visibility: 'org' | 'private'; severity: 'critical' | 'warning' | 'info'; severity_by_rule: boolean; priority: string | null; labels: Record<string, string>; is_major: boolean; promote: boolean; suppressed_by: string | null; group: { rule_id: string | null; values: string[]; window_seconds: number; max_alerts: number } | null; auto_resolve_minutes: number | null; notify_resolved: boolean; delay_seconds: number } } })[]; suppressions: ({ kind: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap'; id: string | null; until: string | null; effect: string })[]; engine_version: number; tzdb_version: string | null; trace_hash: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/alerts/{id}/explain': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Why an alert is there */
    get: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { question: string; answer: string; at: string; steps: ({ n: number; rule: 'rounds' | 'failure_rate' | 'quorum' | 'vote' | 'flap' | 'pause' | 'signal' | 'declaration' | 'promotion_by_hand' | 'reopening' | 'dedup' | 'dependency' | 'mass_outage' | 'routing' | 'grouping' | 'maintenance' | 'promotion' | 'policy' | 'escalation_run' | 'escalation_step'; inputs: { topic: string; partition: number; offset: string; summary: string }[]; config_refs: ({ type: string; id: string | null; version: number })[]; values: Record<string, unknown>; verdict: string; trace?: ({ rule_id: string; name: string; mode: 'live' | 'shadow'; outcome: 'matched' | 'not_matched' | 'skipped'; reason: 'disabled' | 'expired' | 'outside_time_window' | 'after_stop' | 'unreadable' | null; conditions: ({ group: 'all' | 'any' | 'none'; index: number; field: string; op: string; seen: string | null })[]; team_kept: boolean })[]; shadow?: { matched: string[]; changes: ('team' | 'promote' | 'suppress' | 'severity' | 'group' | 'priority' | 'major' | 'labels' | 'auto_resolve' | 'notify_resolved')[]; outcome: { team_id: string | null; escalation_policy_id: string | null; policy_by: 'rule' | 'signal' | 'team' | 'workspace' | null; channel_ids?: string[] | null; visibility: 'org' | 'private'; severity: 'critical' | 'warning' | 'info'; severity_by_rule: boolean; priority: string | null; labels: Record<string, string>; is_major: boolean; promote: boolean; suppressed_by: string | null; group: { rule_id: string | null; values: string[]; window_seconds: number; max_alerts: number } | null; auto_resolve_minutes: number | null; notify_resolved: boolean; delay_seconds: number } } })[]; suppressions: ({ kind: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap'; id: string | null; until: string | null; effect: string })[]; engine_version: number; tzdb_version: string | null; trace_hash: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/incidents/{id}/comments': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Comments on an incident, oldest first */
    get: {
      parameters: { query?: { cursor?: string; per_page?: number }; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; incident_id: string; ver: number; body: string; author: string; author_id: string; author_name: string | null; created_at: string; updated_at: string })[]; total: number; page: number; per_page: number; total_pages: number; next_cursor: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Comment on an incident */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { body: string } } }
      responses: { 201: { content: { 'application/json': { id: string; tenant_id: string; incident_id: string; ver: number; body: string; author: string; author_id: string; author_name: string | null; created_at: string; updated_at: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/incidents/{id}/comments/{cid}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    /** Delete a comment: its author, or an admin */
    delete: {
      parameters: { query?: never; path: { id: string; cid: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/heartbeats': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** List heartbeats */
    get: {
      parameters: { query?: { page?: number; per_page?: number; status?: ('up' | 'missed')[]; phase?: ('waiting' | 'on_time' | 'running' | 'grace' | 'missed' | 'failed' | 'unknown' | 'paused')[]; tag?: string[]; slug?: string[]; team_id?: string[]; q?: string; sort?: ('name' | '-name' | 'created_at' | '-created_at' | 'status' | '-status' | 'last_ping_at' | '-last_ping_at' | 'next_expected_at' | '-next_expected_at')[] }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; created_at: string; updated_at: string; version: number; status: 'up' | 'missed'; phase: 'waiting' | 'on_time' | 'running' | 'grace' | 'missed' | 'failed' | 'unknown' | 'paused'; name: string; slug: string | null; description: string; schedule: { kind: 'period' | 'cron'; period_seconds?: number; expression?: string; time_zone?: string }; grace_seconds: number; max_run_seconds: number | null; min_run_seconds: number | null; fail_tolerance: number; recovery_pings: number; allowed_methods: ('GET' | 'HEAD' | 'POST')[]; body_rules: { success?: string[]; failure?: string[]; start?: string[] }; body_excerpt_chars: number; tags: string[]; labels: Record<string, string>; severity: 'critical' | 'warning' | 'info'; team_id: string | null; escalation_policy_id: string | null; channel_ids: string[]; ping_token: string | null; ping_url: string | null; ping_url_by_slug: string | null; last_ping_at: string | null; next_expected_at: string | null; deadline_at: string | null; started_at: string | null; last_run_seconds: number | null; missed_count: number; missed_since: string | null; open_incident_id: string | null; paused_at: string | null; paused_by: string | null; pause_reason: 'user' | 'entitlement' | 'deployment' | 'import' | 'maintenance' | null; pause_comment: string | null; resume_at: string | null; unpause_on_ping: boolean })[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Create a heartbeat */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { name: string; schedule: { kind: 'period' | 'cron'; period_seconds?: number; expression?: string; time_zone?: string }; slug?: string | null; description?: string; grace_seconds?: number | null; max_run_seconds?: number | null; min_run_seconds?: number | null; fail_tolerance?: number; recovery_pings?: number; allowed_methods?: ('GET' | 'HEAD' | 'POST')[]; body_rules?: { success?: string[]; failure?: string[]; start?: string[] }; body_excerpt_chars?: number; tags?: string[]; labels?: Record<string, string>; severity?: 'critical' | 'warning' | 'info'; escalation_policy_id?: string | null; team_id?: string | null } } }
      responses: { 201: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; status: 'up' | 'missed'; phase: 'waiting' | 'on_time' | 'running' | 'grace' | 'missed' | 'failed' | 'unknown' | 'paused'; name: string; slug: string | null; description: string; schedule: { kind: 'period' | 'cron'; period_seconds?: number; expression?: string; time_zone?: string }; grace_seconds: number; max_run_seconds: number | null; min_run_seconds: number | null; fail_tolerance: number; recovery_pings: number; allowed_methods: ('GET' | 'HEAD' | 'POST')[]; body_rules: { success?: string[]; failure?: string[]; start?: string[] }; body_excerpt_chars: number; tags: string[]; labels: Record<string, string>; severity: 'critical' | 'warning' | 'info'; team_id: string | null; escalation_policy_id: string | null; channel_ids: string[]; ping_token: string | null; ping_url: string | null; ping_url_by_slug: string | null; last_ping_at: string | null; next_expected_at: string | null; deadline_at: string | null; started_at: string | null; last_run_seconds: number | null; missed_count: number; missed_since: string | null; open_incident_id: string | null; paused_at: string | null; paused_by: string | null; pause_reason: 'user' | 'entitlement' | 'deployment' | 'import' | 'maintenance' | null; pause_comment: string | null; resume_at: string | null; unpause_on_ping: boolean; next_expected: string[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/heartbeats/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Read a heartbeat */
    get: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; status: 'up' | 'missed'; phase: 'waiting' | 'on_time' | 'running' | 'grace' | 'missed' | 'failed' | 'unknown' | 'paused'; name: string; slug: string | null; description: string; schedule: { kind: 'period' | 'cron'; period_seconds?: number; expression?: string; time_zone?: string }; grace_seconds: number; max_run_seconds: number | null; min_run_seconds: number | null; fail_tolerance: number; recovery_pings: number; allowed_methods: ('GET' | 'HEAD' | 'POST')[]; body_rules: { success?: string[]; failure?: string[]; start?: string[] }; body_excerpt_chars: number; tags: string[]; labels: Record<string, string>; severity: 'critical' | 'warning' | 'info'; team_id: string | null; escalation_policy_id: string | null; channel_ids: string[]; ping_token: string | null; ping_url: string | null; ping_url_by_slug: string | null; last_ping_at: string | null; next_expected_at: string | null; deadline_at: string | null; started_at: string | null; last_run_seconds: number | null; missed_count: number; missed_since: string | null; open_incident_id: string | null; paused_at: string | null; paused_by: string | null; pause_reason: 'user' | 'entitlement' | 'deployment' | 'import' | 'maintenance' | null; pause_comment: string | null; resume_at: string | null; unpause_on_ping: boolean; next_expected: string[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    /** Delete a heartbeat; later pings get 404 */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    /** Change a heartbeat */
    patch: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { name?: string; schedule?: { kind: 'period' | 'cron'; period_seconds?: number; expression?: string; time_zone?: string }; slug?: string | null; description?: string; grace_seconds?: number | null; max_run_seconds?: number | null; min_run_seconds?: number | null; fail_tolerance?: number; recovery_pings?: number; allowed_methods?: ('GET' | 'HEAD' | 'POST')[]; body_rules?: { success?: string[]; failure?: string[]; start?: string[] }; body_excerpt_chars?: number; tags?: string[]; labels?: Record<string, string>; severity?: 'critical' | 'warning' | 'info'; escalation_policy_id?: string | null; team_id?: string | null; keep_phase?: boolean } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; status: 'up' | 'missed'; phase: 'waiting' | 'on_time' | 'running' | 'grace' | 'missed' | 'failed' | 'unknown' | 'paused'; name: string; slug: string | null; description: string; schedule: { kind: 'period' | 'cron'; period_seconds?: number; expression?: string; time_zone?: string }; grace_seconds: number; max_run_seconds: number | null; min_run_seconds: number | null; fail_tolerance: number; recovery_pings: number; allowed_methods: ('GET' | 'HEAD' | 'POST')[]; body_rules: { success?: string[]; failure?: string[]; start?: string[] }; body_excerpt_chars: number; tags: string[]; labels: Record<string, string>; severity: 'critical' | 'warning' | 'info'; team_id: string | null; escalation_policy_id: string | null; channel_ids: string[]; ping_token: string | null; ping_url: string | null; ping_url_by_slug: string | null; last_ping_at: string | null; next_expected_at: string | null; deadline_at: string | null; started_at: string | null; last_run_seconds: number | null; missed_count: number; missed_since: string | null; open_incident_id: string | null; paused_at: string | null; paused_by: string | null; pause_reason: 'user' | 'entitlement' | 'deployment' | 'import' | 'maintenance' | null; pause_comment: string | null; resume_at: string | null; unpause_on_ping: boolean; next_expected: string[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    trace?: never
  }
  '/api/v1/heartbeats/{id}/pause': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Pause a heartbeat */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { reason?: string | null; resume_at?: string; minutes?: number; resolve_open?: boolean; unpause_on_ping?: boolean } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; status: 'up' | 'missed'; phase: 'waiting' | 'on_time' | 'running' | 'grace' | 'missed' | 'failed' | 'unknown' | 'paused'; name: string; slug: string | null; description: string; schedule: { kind: 'period' | 'cron'; period_seconds?: number; expression?: string; time_zone?: string }; grace_seconds: number; max_run_seconds: number | null; min_run_seconds: number | null; fail_tolerance: number; recovery_pings: number; allowed_methods: ('GET' | 'HEAD' | 'POST')[]; body_rules: { success?: string[]; failure?: string[]; start?: string[] }; body_excerpt_chars: number; tags: string[]; labels: Record<string, string>; severity: 'critical' | 'warning' | 'info'; team_id: string | null; escalation_policy_id: string | null; channel_ids: string[]; ping_token: string | null; ping_url: string | null; ping_url_by_slug: string | null; last_ping_at: string | null; next_expected_at: string | null; deadline_at: string | null; started_at: string | null; last_run_seconds: number | null; missed_count: number; missed_since: string | null; open_incident_id: string | null; paused_at: string | null; paused_by: string | null; pause_reason: 'user' | 'entitlement' | 'deployment' | 'import' | 'maintenance' | null; pause_comment: string | null; resume_at: string | null; unpause_on_ping: boolean } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/heartbeats/{id}/resume': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Resume a heartbeat */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; status: 'up' | 'missed'; phase: 'waiting' | 'on_time' | 'running' | 'grace' | 'missed' | 'failed' | 'unknown' | 'paused'; name: string; slug: string | null; description: string; schedule: { kind: 'period' | 'cron'; period_seconds?: number; expression?: string; time_zone?: string }; grace_seconds: number; max_run_seconds: number | null; min_run_seconds: number | null; fail_tolerance: number; recovery_pings: number; allowed_methods: ('GET' | 'HEAD' | 'POST')[]; body_rules: { success?: string[]; failure?: string[]; start?: string[] }; body_excerpt_chars: number; tags: string[]; labels: Record<string, string>; severity: 'critical' | 'warning' | 'info'; team_id: string | null; escalation_policy_id: string | null; channel_ids: string[]; ping_token: string | null; ping_url: string | null; ping_url_by_slug: string | null; last_ping_at: string | null; next_expected_at: string | null; deadline_at: string | null; started_at: string | null; last_run_seconds: number | null; missed_count: number; missed_since: string | null; open_incident_id: string | null; paused_at: string | null; paused_by: string | null; pause_reason: 'user' | 'entitlement' | 'deployment' | 'import' | 'maintenance' | null; pause_comment: string | null; resume_at: string | null; unpause_on_ping: boolean } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/analytics/uptime': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Uptime and error budget */
    get: {
      parameters: { query?: { from?: string; to?: string; time_zone?: string; bucket?: 'hour' | 'day' | 'week' | 'month'; format?: 'json' | 'csv'; monitor_ids?: string[]; heartbeat_ids?: string[]; tag?: string[]; slo_target?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { from: string; to: string; bucket: 'hour' | 'day' | 'week' | 'month' | null; time_zone: string; items: ({ kind: 'monitor' | 'heartbeat'; id: string; from: string; to: string; up_seconds: number; degraded_seconds: number; down_seconds: number; maintenance_seconds: number; unknown_seconds: number; paused_seconds: number; uptime_percent: number | null; incidents: number; longest_outage_seconds: number; checks: number; checks_ok: number; checks_percent: number | null; slo: { target: number; budget_left_seconds: number; burn_rate: number } | null })[]; complete_until: string | null; excluded: { maintenance_seconds: number; unknown_seconds: number }; engine_version: string }; 'text/csv': string } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 410: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/analytics/latency': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Response time percentiles */
    get: {
      parameters: { query?: { from?: string; to?: string; time_zone?: string; bucket?: 'hour' | 'day' | 'week' | 'month'; format?: 'json' | 'csv'; monitor_ids?: string[]; regions?: string[]; group_by?: ('monitor' | 'region')[]; phases?: boolean }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { from: string; to: string; bucket: 'hour' | 'day' | 'week' | 'month' | null; time_zone: string; items: ({ monitor_id: string | null; region: string | null; from: string; to: string; count: number; min: number; avg: number; p50: number; p75: number; p90: number; p95: number; p99: number; max: number; stdev: number })[]; complete_until: string | null; excluded: { maintenance_seconds: number; unknown_seconds: number }; engine_version: string; overall: { count: number; min: number; avg: number; p50: number; p75: number; p90: number; p95: number; p99: number; max: number; stdev: number } | null; phases: { dns: { count: number; min: number; avg: number; p50: number; p75: number; p90: number; p95: number; p99: number; max: number; stdev: number } | null; connect: { count: number; min: number; avg: number; p50: number; p75: number; p90: number; p95: number; p99: number; max: number; stdev: number } | null; tls: { count: number; min: number; avg: number; p50: number; p75: number; p90: number; p95: number; p99: number; max: number; stdev: number } | null; request: { count: number; min: number; avg: number; p50: number; p75: number; p90: number; p95: number; p99: number; max: number; stdev: number } | null; ttfb: { count: number; min: number; avg: number; p50: number; p75: number; p90: number; p95: number; p99: number; max: number; stdev: number } | null; download: { count: number; min: number; avg: number; p50: number; p75: number; p90: number; p95: number; p99: number; max: number; stdev: number } | null } | null }; 'text/csv': string } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 410: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/analytics/incidents': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Incidents, time to acknowledge and to resolve */
    get: {
      parameters: { query?: { from?: string; to?: string; time_zone?: string; bucket?: 'hour' | 'day' | 'week' | 'month'; format?: 'json' | 'csv'; severity?: ('critical' | 'warning' | 'info')[]; team_id?: string[]; monitor_ids?: string[]; source_kind?: ('monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage')[]; group_by?: 'team' | 'monitor' | 'severity' }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { from: string; to: string; bucket: 'hour' | 'day' | 'week' | 'month' | null; time_zone: string; items: ({ group: string | null; from: string; to: string; opened: number; resolved: number; acknowledged: number; acked_percent: number | null; mtta: { avg: number | null; p50: number | null; p90: number | null }; mttr: { avg: number | null; p50: number | null; p90: number | null }; reopened: number })[]; complete_until: string | null; excluded: { maintenance_seconds: number; unknown_seconds: number }; engine_version: string }; 'text/csv': string } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 410: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/analytics/alerts': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Alerts and incidents by source, and how many were noise */
    get: {
      parameters: { query?: { from?: string; to?: string; time_zone?: string; format?: 'json' | 'csv'; limit?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { from: string; to: string; bucket: 'hour' | 'day' | 'week' | 'month' | null; time_zone: string; items: ({ source: { kind: string; type: string | null; id: string | null }; alerts: number; recoveries: number; incidents: number; acknowledged: number; noise: number; noise_percent: number | null; dedup_ratio: number | null })[]; complete_until: string | null; excluded: { maintenance_seconds: number; unknown_seconds: number }; engine_version: string }; 'text/csv': string } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/analytics/pipeline': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** How long the service took from what happened to the first message */
    get: {
      parameters: { query?: { from?: string; to?: string; time_zone?: string }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { from: string; to: string; time_zone: string; stages: ({ stage: 'edge_accept' | 'append' | 'decide' | 'intent' | 'first_attempt' | 'ws_emit'; count: number; p50: number; p95: number; p99: number })[]; unknown_spans: ('edge_accept' | 'append' | 'decide' | 'intent' | 'first_attempt' | 'ws_emit')[]; engine_version: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/monitors/{id}/checks': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Results of checks, newest first */
    get: {
      parameters: { query?: { from?: string; to?: string; time_zone?: string; cursor?: string; per_page?: number; region?: string[]; outcome?: ('success' | 'degraded' | 'failure' | 'prober_error' | 'missed_window' | 'rate_limited' | 'unknown')[]; reason?: ('timeout' | 'dns' | 'connect' | 'tls' | 'http_status' | 'redirect' | 'assertion' | 'body_too_large' | 'protocol' | 'icmp_loss' | 'blocked_target' | 'auth' | 'unknown')[] }; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ check_id: string; monitor_id: string; region: string; prober_instance: string; prober_version: string | null; config_version: number; seq: number; kind: 'scheduled' | 'on_demand' | 'unknown'; count: boolean; skewed: boolean; scheduled_at: string; started_at: string; finished_at: string; received_at: string; outcome: 'success' | 'degraded' | 'failure' | 'prober_error' | 'missed_window' | 'rate_limited' | 'unknown'; reason: 'timeout' | 'dns' | 'connect' | 'tls' | 'http_status' | 'redirect' | 'assertion' | 'body_too_large' | 'protocol' | 'icmp_loss' | 'blocked_target' | 'auth' | 'unknown' | null; message: string | null; attempts: number; timings_ms: { dns: number | null; connect: number | null; tls: number | null; request: number | null; ttfb: number | null; download: number | null; total: number | null }; http: { status: number | null; bytes: number | null } | null; tls: { issuer: string | null; not_after: string | null; chain_ok: boolean | null } | null; assertions: ({ index: number; ok: boolean; actual: string | null; message: string | null })[]; captured: boolean })[]; per_page: number; next_cursor: string | null; complete_until: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 410: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/monitors/{id}/status-changes': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Changes of status, newest first */
    get: {
      parameters: { query?: { from?: string; to?: string; time_zone?: string; cursor?: string; per_page?: number }; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; ver: number; from: string; to: string; previous_phase: string; phase: string; at: string; reason: string | null; message: string | null; cause: string; incident_id: string | null; votes: Record<string, string> })[]; per_page: number; next_cursor: string | null; complete_until: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 410: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/heartbeats/{id}/pings': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Pings of a heartbeat, newest first */
    get: {
      parameters: { query?: { from?: string; to?: string; time_zone?: string; cursor?: string; per_page?: number; kind?: ('start' | 'success' | 'fail' | 'log' | 'exit' | 'unknown')[] }; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; n: number; kind: 'start' | 'success' | 'fail' | 'log' | 'exit' | 'unknown'; exit_code: number | null; received_at: string; run_id: string | null; duration_ms: number | null; source_class: string; user_agent: string | null; method: string; body_bytes: number; body_excerpt: string | null })[]; per_page: number; next_cursor: string | null; complete_until: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 410: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/heartbeats/{id}/runs': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** How long the runs of a heartbeat took */
    get: {
      parameters: { query?: { from?: string; to?: string; time_zone?: string }; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { from: string; to: string; succeeded: number; failed: number; duration_ms: { min: number; avg: number; p50: number; p95: number; max: number } | null; complete_until: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 410: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/monitors/{id}/checks/{check_id}/capture': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** The answer of a failed check, without secrets; kept 3 days */
    get: {
      parameters: { query?: never; path: { id: string; check_id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { check_id: string; monitor_id: string; region: string; prober_instance: string; config_version: number; captured_at: string; received_at: string; kept_until: string; reason: 'timeout' | 'dns' | 'connect' | 'tls' | 'http_status' | 'redirect' | 'assertion' | 'body_too_large' | 'protocol' | 'icmp_loss' | 'blocked_target' | 'auth' | 'unknown' | null; http_version: string | null; status: number; status_text: string | null; headers: { name: string; value: string }[]; headers_left_out: number; body_kind: 'text' | 'binary' | 'none' | 'unknown'; body: string | null; body_bytes: number; body_cut: boolean } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/monitors': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** List monitors */
    get: {
      parameters: { query?: { page?: number; per_page?: number; sort?: ('name' | '-name' | 'created_at' | '-created_at' | 'status' | '-status' | 'last_status_change_at' | '-last_status_change_at')[]; status?: ('up' | 'down' | 'paused')[]; phase?: ('pending' | 'ok' | 'validating' | 'degraded' | 'down' | 'flapping' | 'maintenance' | 'dependency_down' | 'unconfirmed' | 'no_data' | 'paused')[]; type?: string[]; tag?: string[]; region?: string[]; team_id?: string[]; group_id?: string[]; depends_on?: string[]; paused?: boolean; ids?: string[]; q?: string }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; created_at: string; updated_at: string; version: number; status: 'up' | 'down' | 'paused'; phase: 'pending' | 'ok' | 'validating' | 'degraded' | 'down' | 'flapping' | 'maintenance' | 'dependency_down' | 'unconfirmed' | 'no_data' | 'paused'; effective_regions: string[]; prober_region_labels: Record<string, string>; name: string; description: string; type: string; target: string; config: { steps?: ({ name?: string; method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'; url: string; headers?: { name: string; value: string }[]; body?: string | null; body_type?: 'json' | 'form' | 'text' | 'xml' | 'graphql'; assertions?: ({ source: 'status' | 'header' | 'body' | 'json' | 'latency_ms' | 'tls_days' | 'dns_records' | 'text' | 'redirect_url' | 'ip'; property?: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt'; value?: string | number | boolean | (string | number | boolean)[]; on_fail?: 'down' | 'degraded' })[]; extract?: ({ name: string; source: 'json' | 'header'; property: string })[] })[]; variables?: ({ name: string; value: string | null; secret?: boolean })[]; follow_redirects?: boolean; verify_tls?: boolean | null; ca_pem?: string | null; ip_family?: 'auto' | '4' | '6' | null; http_version?: 'auto' | '1.1' | '2'; record_type?: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT' | 'NS' | 'SOA' | 'SRV' | 'CAA' | 'PTR' | null; resolver?: string | null; transport?: 'udp' | 'tcp' | 'dot' | 'doh' | null; require_dnssec?: boolean | null; warn_days?: number | null; fail_days?: number | null; expected_every_seconds?: number | null; tls?: boolean | null; service?: string | null; metadata?: ({ name: string; value: string | null; secret?: boolean })[]; method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'; headers?: ({ name: string; value: string | null; secret?: boolean })[]; body?: string | null; body_type?: 'json' | 'form' | 'text' | 'xml' | 'graphql'; auth?: { type: 'none' | 'basic' | 'digest' | 'bearer' | 'oauth2_client' | 'mtls'; username?: string; password?: string | null; token?: string | null; token_url?: string; client_id?: string; client_secret?: string | null; scopes?: string[]; cert_pem?: string; key_pem?: string | null }; max_redirects?: number; user_agent?: string | null; cache_bust?: boolean; max_body_bytes?: number; capture_on_failure?: boolean; count?: number | null; min_replies?: number | null; packet_bytes?: number | null; security?: 'none' | 'starttls' | 'tls' | null; username?: string | null; password?: string | null; helo?: string | null; send?: string | null; send_base64?: string | null; expect?: string | null; server_name?: string | null; starttls?: 'none' | 'smtp' | 'imap' | 'pop3' | 'postgres' | null; min_version?: '1.2' | '1.3' | null; expect_reply?: boolean | null; subprotocols?: string[] }; assertions: ({ source: 'status' | 'header' | 'body' | 'json' | 'latency_ms' | 'tls_days' | 'dns_records' | 'text' | 'redirect_url' | 'ip'; property?: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt'; value?: unknown; on_fail?: 'down' | 'degraded' })[]; interval_seconds: number; down_interval_seconds: number | null; timeout_seconds: number; degraded_after_ms: number | null; regions: string[]; confirmation: { regions: 'any' | 'majority' | 'all' | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20 | 21 | 22 | 23 | 24 | 25 | 26 | 27 | 28 | 29 | 30; rounds: number; min_seconds: number; recovery_rounds: number; recovery_seconds: number; failure_rate: { failures: number; window_seconds: number } | null; advisory_after_seconds: number }; retry: { count: number; strategy: 'none' | 'fixed' | 'linear' | 'exponential'; base_seconds: number; max_total_seconds: number }; flap: { enabled: boolean; window_rounds: number; high_percent: number; low_percent: number }; tags: string[]; labels: Record<string, string>; severity_down: 'critical' | 'warning' | 'info'; severity_degraded: 'critical' | 'warning' | 'info'; open_on_degraded: boolean; escalation_policy_id: string | null; team_id: string | null; group_id: string | null; depends_on: string[]; dependency_hold_seconds: number | null; channel_ids: string[]; tls_expiry_days: number[]; repeat_interval_seconds: number | null; paused_at: string | null; paused_by: string | null; pause_reason: 'user' | 'entitlement' | 'deployment' | 'import' | 'maintenance' | null; pause_comment: string | null; resume_at: string | null; last_checked_at: string | null; last_response_time_ms: number | null; last_status_change_at: string | null; last_failure: { reason: 'timeout' | 'dns' | 'connect' | 'tls' | 'http_status' | 'redirect' | 'assertion' | 'body_too_large' | 'protocol' | 'icmp_loss' | 'blocked_target' | 'auth' | null; message: string | null; region: string | null; at: string; http_status: number | null } | null; region_states: ({ region: string; state: 'up' | 'down' | 'degraded' | 'stale' | 'pending'; since: string | null; response_time_ms: number | null; advisory: boolean })[]; certificate: { issuer: string | null; subject: string | null; not_after: string; days_left: number; chain_ok: boolean | null } | null; uptime: { h24: number | null; d7: number | null; d30: number | null }; open_incident_id: string | null })[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Create a monitor, and check it at once */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { name: string; type: string; description?: string; target?: string; url?: string; config?: { steps?: ({ name?: string; method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'; url: string; headers?: { name: string; value: string }[]; body?: string | null; body_type?: 'json' | 'form' | 'text' | 'xml' | 'graphql'; assertions?: ({ source: 'status' | 'header' | 'body' | 'json' | 'latency_ms' | 'tls_days' | 'dns_records' | 'text' | 'redirect_url' | 'ip'; property?: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt'; value?: string | number | boolean | (string | number | boolean)[]; on_fail?: 'down' | 'degraded' })[]; extract?: ({ name: string; source: 'json' | 'header'; property: string })[] })[]; variables?: ({ name: string; value: string | null; secret?: boolean })[]; follow_redirects?: boolean; verify_tls?: boolean | null; ca_pem?: string | null; ip_family?: 'auto' | '4' | '6' | null; http_version?: 'auto' | '1.1' | '2'; record_type?: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT' | 'NS' | 'SOA' | 'SRV' | 'CAA' | 'PTR' | null; resolver?: string | null; transport?: 'udp' | 'tcp' | 'dot' | 'doh' | null; require_dnssec?: boolean | null; warn_days?: number | null; fail_days?: number | null; expected_every_seconds?: number | null; tls?: boolean | null; service?: string | null; metadata?: ({ name: string; value: string | null; secret?: boolean })[]; method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'; headers?: ({ name: string; value: string | null; secret?: boolean })[]; body?: string | null; body_type?: 'json' | 'form' | 'text' | 'xml' | 'graphql'; auth?: { type: 'none' | 'basic' | 'digest' | 'bearer' | 'oauth2_client' | 'mtls'; username?: string; password?: string | null; token?: string | null; token_url?: string; client_id?: string; client_secret?: string | null; scopes?: string[]; cert_pem?: string; key_pem?: string | null }; max_redirects?: number; user_agent?: string | null; cache_bust?: boolean; max_body_bytes?: number; capture_on_failure?: boolean; count?: number | null; min_replies?: number | null; packet_bytes?: number | null; security?: 'none' | 'starttls' | 'tls' | null; username?: string | null; password?: string | null; helo?: string | null; send?: string | null; send_base64?: string | null; expect?: string | null; server_name?: string | null; starttls?: 'none' | 'smtp' | 'imap' | 'pop3' | 'postgres' | null; min_version?: '1.2' | '1.3' | null; expect_reply?: boolean | null; subprotocols?: string[] }; assertions?: ({ source: 'status' | 'header' | 'body' | 'json' | 'latency_ms' | 'tls_days' | 'dns_records' | 'text' | 'redirect_url' | 'ip'; property?: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt'; value?: string | number | boolean | (string | number | boolean)[]; on_fail?: 'down' | 'degraded' })[]; interval_seconds?: number; down_interval_seconds?: number | null; timeout_seconds?: number; degraded_after_ms?: number | null; regions?: string[]; confirmation?: { regions?: 'any' | 'majority' | 'all' | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20 | 21 | 22 | 23 | 24 | 25 | 26 | 27 | 28 | 29 | 30; rounds?: number; min_seconds?: number; recovery_rounds?: number; recovery_seconds?: number; failure_rate?: { failures: number; window_seconds: number } | null; advisory_after_seconds?: number }; retry?: { count?: number; strategy?: 'none' | 'fixed' | 'linear' | 'exponential'; base_seconds?: number; max_total_seconds?: number }; flap?: { enabled?: boolean; window_rounds?: number; high_percent?: number; low_percent?: number }; tags?: string[]; labels?: Record<string, string>; severity_down?: 'critical' | 'warning' | 'info'; severity_degraded?: 'critical' | 'warning' | 'info'; open_on_degraded?: boolean; tls_expiry_days?: number[]; repeat_interval_seconds?: number | null; escalation_policy_id?: string | null; depends_on?: string[]; dependency_hold_seconds?: number | null; team_id?: string | null; group_id?: string | null } } }
      responses: { 201: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; status: 'up' | 'down' | 'paused'; phase: 'pending' | 'ok' | 'validating' | 'degraded' | 'down' | 'flapping' | 'maintenance' | 'dependency_down' | 'unconfirmed' | 'no_data' | 'paused'; effective_regions: string[]; prober_region_labels: Record<string, string>; name: string; description: string; type: string; target: string; config: { steps?: ({ name?: string; method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'; url: string; headers?: { name: string; value: string }[]; body?: string | null; body_type?: 'json' | 'form' | 'text' | 'xml' | 'graphql'; assertions?: ({ source: 'status' | 'header' | 'body' | 'json' | 'latency_ms' | 'tls_days' | 'dns_records' | 'text' | 'redirect_url' | 'ip'; property?: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt'; value?: string | number | boolean | (string | number | boolean)[]; on_fail?: 'down' | 'degraded' })[]; extract?: ({ name: string; source: 'json' | 'header'; property: string })[] })[]; variables?: ({ name: string; value: string | null; secret?: boolean })[]; follow_redirects?: boolean; verify_tls?: boolean | null; ca_pem?: string | null; ip_family?: 'auto' | '4' | '6' | null; http_version?: 'auto' | '1.1' | '2'; record_type?: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT' | 'NS' | 'SOA' | 'SRV' | 'CAA' | 'PTR' | null; resolver?: string | null; transport?: 'udp' | 'tcp' | 'dot' | 'doh' | null; require_dnssec?: boolean | null; warn_days?: number | null; fail_days?: number | null; expected_every_seconds?: number | null; tls?: boolean | null; service?: string | null; metadata?: ({ name: string; value: string | null; secret?: boolean })[]; method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'; headers?: ({ name: string; value: string | null; secret?: boolean })[]; body?: string | null; body_type?: 'json' | 'form' | 'text' | 'xml' | 'graphql'; auth?: { type: 'none' | 'basic' | 'digest' | 'bearer' | 'oauth2_client' | 'mtls'; username?: string; password?: string | null; token?: string | null; token_url?: string; client_id?: string; client_secret?: string | null; scopes?: string[]; cert_pem?: string; key_pem?: string | null }; max_redirects?: number; user_agent?: string | null; cache_bust?: boolean; max_body_bytes?: number; capture_on_failure?: boolean; count?: number | null; min_replies?: number | null; packet_bytes?: number | null; security?: 'none' | 'starttls' | 'tls' | null; username?: string | null; password?: string | null; helo?: string | null; send?: string | null; send_base64?: string | null; expect?: string | null; server_name?: string | null; starttls?: 'none' | 'smtp' | 'imap' | 'pop3' | 'postgres' | null; min_version?: '1.2' | '1.3' | null; expect_reply?: boolean | null; subprotocols?: string[] }; assertions: ({ source: 'status' | 'header' | 'body' | 'json' | 'latency_ms' | 'tls_days' | 'dns_records' | 'text' | 'redirect_url' | 'ip'; property?: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt'; value?: unknown; on_fail?: 'down' | 'degraded' })[]; interval_seconds: number; down_interval_seconds: number | null; timeout_seconds: number; degraded_after_ms: number | null; regions: string[]; confirmation: { regions: 'any' | 'majority' | 'all' | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20 | 21 | 22 | 23 | 24 | 25 | 26 | 27 | 28 | 29 | 30; rounds: number; min_seconds: number; recovery_rounds: number; recovery_seconds: number; failure_rate: { failures: number; window_seconds: number } | null; advisory_after_seconds: number }; retry: { count: number; strategy: 'none' | 'fixed' | 'linear' | 'exponential'; base_seconds: number; max_total_seconds: number }; flap: { enabled: boolean; window_rounds: number; high_percent: number; low_percent: number }; tags: string[]; labels: Record<string, string>; severity_down: 'critical' | 'warning' | 'info'; severity_degraded: 'critical' | 'warning' | 'info'; open_on_degraded: boolean; escalation_policy_id: string | null; team_id: string | null; group_id: string | null; depends_on: string[]; dependency_hold_seconds: number | null; channel_ids: string[]; tls_expiry_days: number[]; repeat_interval_seconds: number | null; paused_at: string | null; paused_by: string | null; pause_reason: 'user' | 'entitlement' | 'deployment' | 'import' | 'maintenance' | null; pause_comment: string | null; resume_at: string | null; last_checked_at: string | null; last_response_time_ms: number | null; last_status_change_at: string | null; last_failure: { reason: 'timeout' | 'dns' | 'connect' | 'tls' | 'http_status' | 'redirect' | 'assertion' | 'body_too_large' | 'protocol' | 'icmp_loss' | 'blocked_target' | 'auth' | null; message: string | null; region: string | null; at: string; http_status: number | null } | null; region_states: ({ region: string; state: 'up' | 'down' | 'degraded' | 'stale' | 'pending'; since: string | null; response_time_ms: number | null; advisory: boolean })[]; certificate: { issuer: string | null; subject: string | null; not_after: string; days_left: number; chain_ok: boolean | null } | null; uptime: { h24: number | null; d7: number | null; d30: number | null }; open_incident_id: string | null; next_check_at: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/monitors/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Read a monitor */
    get: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; status: 'up' | 'down' | 'paused'; phase: 'pending' | 'ok' | 'validating' | 'degraded' | 'down' | 'flapping' | 'maintenance' | 'dependency_down' | 'unconfirmed' | 'no_data' | 'paused'; effective_regions: string[]; prober_region_labels: Record<string, string>; name: string; description: string; type: string; target: string; config: { steps?: ({ name?: string; method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'; url: string; headers?: { name: string; value: string }[]; body?: string | null; body_type?: 'json' | 'form' | 'text' | 'xml' | 'graphql'; assertions?: ({ source: 'status' | 'header' | 'body' | 'json' | 'latency_ms' | 'tls_days' | 'dns_records' | 'text' | 'redirect_url' | 'ip'; property?: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt'; value?: string | number | boolean | (string | number | boolean)[]; on_fail?: 'down' | 'degraded' })[]; extract?: ({ name: string; source: 'json' | 'header'; property: string })[] })[]; variables?: ({ name: string; value: string | null; secret?: boolean })[]; follow_redirects?: boolean; verify_tls?: boolean | null; ca_pem?: string | null; ip_family?: 'auto' | '4' | '6' | null; http_version?: 'auto' | '1.1' | '2'; record_type?: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT' | 'NS' | 'SOA' | 'SRV' | 'CAA' | 'PTR' | null; resolver?: string | null; transport?: 'udp' | 'tcp' | 'dot' | 'doh' | null; require_dnssec?: boolean | null; warn_days?: number | null; fail_days?: number | null; expected_every_seconds?: number | null; tls?: boolean | null; service?: string | null; metadata?: ({ name: string; value: string | null; secret?: boolean })[]; method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'; headers?: ({ name: string; value: string | null; secret?: boolean })[]; body?: string | null; body_type?: 'json' | 'form' | 'text' | 'xml' | 'graphql'; auth?: { type: 'none' | 'basic' | 'digest' | 'bearer' | 'oauth2_client' | 'mtls'; username?: string; password?: string | null; token?: string | null; token_url?: string; client_id?: string; client_secret?: string | null; scopes?: string[]; cert_pem?: string; key_pem?: string | null }; max_redirects?: number; user_agent?: string | null; cache_bust?: boolean; max_body_bytes?: number; capture_on_failure?: boolean; count?: number | null; min_replies?: number | null; packet_bytes?: number | null; security?: 'none' | 'starttls' | 'tls' | null; username?: string | null; password?: string | null; helo?: string | null; send?: string | null; send_base64?: string | null; expect?: string | null; server_name?: string | null; starttls?: 'none' | 'smtp' | 'imap' | 'pop3' | 'postgres' | null; min_version?: '1.2' | '1.3' | null; expect_reply?: boolean | null; subprotocols?: string[] }; assertions: ({ source: 'status' | 'header' | 'body' | 'json' | 'latency_ms' | 'tls_days' | 'dns_records' | 'text' | 'redirect_url' | 'ip'; property?: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt'; value?: unknown; on_fail?: 'down' | 'degraded' })[]; interval_seconds: number; down_interval_seconds: number | null; timeout_seconds: number; degraded_after_ms: number | null; regions: string[]; confirmation: { regions: 'any' | 'majority' | 'all' | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20 | 21 | 22 | 23 | 24 | 25 | 26 | 27 | 28 | 29 | 30; rounds: number; min_seconds: number; recovery_rounds: number; recovery_seconds: number; failure_rate: { failures: number; window_seconds: number } | null; advisory_after_seconds: number }; retry: { count: number; strategy: 'none' | 'fixed' | 'linear' | 'exponential'; base_seconds: number; max_total_seconds: number }; flap: { enabled: boolean; window_rounds: number; high_percent: number; low_percent: number }; tags: string[]; labels: Record<string, string>; severity_down: 'critical' | 'warning' | 'info'; severity_degraded: 'critical' | 'warning' | 'info'; open_on_degraded: boolean; escalation_policy_id: string | null; team_id: string | null; group_id: string | null; depends_on: string[]; dependency_hold_seconds: number | null; channel_ids: string[]; tls_expiry_days: number[]; repeat_interval_seconds: number | null; paused_at: string | null; paused_by: string | null; pause_reason: 'user' | 'entitlement' | 'deployment' | 'import' | 'maintenance' | null; pause_comment: string | null; resume_at: string | null; last_checked_at: string | null; last_response_time_ms: number | null; last_status_change_at: string | null; last_failure: { reason: 'timeout' | 'dns' | 'connect' | 'tls' | 'http_status' | 'redirect' | 'assertion' | 'body_too_large' | 'protocol' | 'icmp_loss' | 'blocked_target' | 'auth' | null; message: string | null; region: string | null; at: string; http_status: number | null } | null; region_states: ({ region: string; state: 'up' | 'down' | 'degraded' | 'stale' | 'pending'; since: string | null; response_time_ms: number | null; advisory: boolean })[]; certificate: { issuer: string | null; subject: string | null; not_after: string; days_left: number; chain_ok: boolean | null } | null; uptime: { h24: number | null; d7: number | null; d30: number | null }; open_incident_id: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    /** Delete a monitor; its open incident is resolved, its history stays */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    /** Change a monitor */
    patch: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { name?: string; type?: string; description?: string; target?: string; url?: string; config?: { steps?: ({ name?: string; method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'; url: string; headers?: { name: string; value: string }[]; body?: string | null; body_type?: 'json' | 'form' | 'text' | 'xml' | 'graphql'; assertions?: ({ source: 'status' | 'header' | 'body' | 'json' | 'latency_ms' | 'tls_days' | 'dns_records' | 'text' | 'redirect_url' | 'ip'; property?: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt'; value?: string | number | boolean | (string | number | boolean)[]; on_fail?: 'down' | 'degraded' })[]; extract?: ({ name: string; source: 'json' | 'header'; property: string })[] })[]; variables?: ({ name: string; value: string | null; secret?: boolean })[]; follow_redirects?: boolean; verify_tls?: boolean | null; ca_pem?: string | null; ip_family?: 'auto' | '4' | '6' | null; http_version?: 'auto' | '1.1' | '2'; record_type?: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT' | 'NS' | 'SOA' | 'SRV' | 'CAA' | 'PTR' | null; resolver?: string | null; transport?: 'udp' | 'tcp' | 'dot' | 'doh' | null; require_dnssec?: boolean | null; warn_days?: number | null; fail_days?: number | null; expected_every_seconds?: number | null; tls?: boolean | null; service?: string | null; metadata?: ({ name: string; value: string | null; secret?: boolean })[]; method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'; headers?: ({ name: string; value: string | null; secret?: boolean })[]; body?: string | null; body_type?: 'json' | 'form' | 'text' | 'xml' | 'graphql'; auth?: { type: 'none' | 'basic' | 'digest' | 'bearer' | 'oauth2_client' | 'mtls'; username?: string; password?: string | null; token?: string | null; token_url?: string; client_id?: string; client_secret?: string | null; scopes?: string[]; cert_pem?: string; key_pem?: string | null }; max_redirects?: number; user_agent?: string | null; cache_bust?: boolean; max_body_bytes?: number; capture_on_failure?: boolean; count?: number | null; min_replies?: number | null; packet_bytes?: number | null; security?: 'none' | 'starttls' | 'tls' | null; username?: string | null; password?: string | null; helo?: string | null; send?: string | null; send_base64?: string | null; expect?: string | null; server_name?: string | null; starttls?: 'none' | 'smtp' | 'imap' | 'pop3' | 'postgres' | null; min_version?: '1.2' | '1.3' | null; expect_reply?: boolean | null; subprotocols?: string[] }; assertions?: ({ source: 'status' | 'header' | 'body' | 'json' | 'latency_ms' | 'tls_days' | 'dns_records' | 'text' | 'redirect_url' | 'ip'; property?: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt'; value?: string | number | boolean | (string | number | boolean)[]; on_fail?: 'down' | 'degraded' })[]; interval_seconds?: number; down_interval_seconds?: number | null; timeout_seconds?: number; degraded_after_ms?: number | null; regions?: string[]; confirmation?: { regions?: 'any' | 'majority' | 'all' | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20 | 21 | 22 | 23 | 24 | 25 | 26 | 27 | 28 | 29 | 30; rounds?: number; min_seconds?: number; recovery_rounds?: number; recovery_seconds?: number; failure_rate?: { failures: number; window_seconds: number } | null; advisory_after_seconds?: number }; retry?: { count?: number; strategy?: 'none' | 'fixed' | 'linear' | 'exponential'; base_seconds?: number; max_total_seconds?: number }; flap?: { enabled?: boolean; window_rounds?: number; high_percent?: number; low_percent?: number }; tags?: string[]; labels?: Record<string, string>; severity_down?: 'critical' | 'warning' | 'info'; severity_degraded?: 'critical' | 'warning' | 'info'; open_on_degraded?: boolean; tls_expiry_days?: number[]; repeat_interval_seconds?: number | null; escalation_policy_id?: string | null; depends_on?: string[]; dependency_hold_seconds?: number | null; team_id?: string | null; group_id?: string | null } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; status: 'up' | 'down' | 'paused'; phase: 'pending' | 'ok' | 'validating' | 'degraded' | 'down' | 'flapping' | 'maintenance' | 'dependency_down' | 'unconfirmed' | 'no_data' | 'paused'; effective_regions: string[]; prober_region_labels: Record<string, string>; name: string; description: string; type: string; target: string; config: { steps?: ({ name?: string; method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'; url: string; headers?: { name: string; value: string }[]; body?: string | null; body_type?: 'json' | 'form' | 'text' | 'xml' | 'graphql'; assertions?: ({ source: 'status' | 'header' | 'body' | 'json' | 'latency_ms' | 'tls_days' | 'dns_records' | 'text' | 'redirect_url' | 'ip'; property?: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt'; value?: string | number | boolean | (string | number | boolean)[]; on_fail?: 'down' | 'degraded' })[]; extract?: ({ name: string; source: 'json' | 'header'; property: string })[] })[]; variables?: ({ name: string; value: string | null; secret?: boolean })[]; follow_redirects?: boolean; verify_tls?: boolean | null; ca_pem?: string | null; ip_family?: 'auto' | '4' | '6' | null; http_version?: 'auto' | '1.1' | '2'; record_type?: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT' | 'NS' | 'SOA' | 'SRV' | 'CAA' | 'PTR' | null; resolver?: string | null; transport?: 'udp' | 'tcp' | 'dot' | 'doh' | null; require_dnssec?: boolean | null; warn_days?: number | null; fail_days?: number | null; expected_every_seconds?: number | null; tls?: boolean | null; service?: string | null; metadata?: ({ name: string; value: string | null; secret?: boolean })[]; method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'; headers?: ({ name: string; value: string | null; secret?: boolean })[]; body?: string | null; body_type?: 'json' | 'form' | 'text' | 'xml' | 'graphql'; auth?: { type: 'none' | 'basic' | 'digest' | 'bearer' | 'oauth2_client' | 'mtls'; username?: string; password?: string | null; token?: string | null; token_url?: string; client_id?: string; client_secret?: string | null; scopes?: string[]; cert_pem?: string; key_pem?: string | null }; max_redirects?: number; user_agent?: string | null; cache_bust?: boolean; max_body_bytes?: number; capture_on_failure?: boolean; count?: number | null; min_replies?: number | null; packet_bytes?: number | null; security?: 'none' | 'starttls' | 'tls' | null; username?: string | null; password?: string | null; helo?: string | null; send?: string | null; send_base64?: string | null; expect?: string | null; server_name?: string | null; starttls?: 'none' | 'smtp' | 'imap' | 'pop3' | 'postgres' | null; min_version?: '1.2' | '1.3' | null; expect_reply?: boolean | null; subprotocols?: string[] }; assertions: ({ source: 'status' | 'header' | 'body' | 'json' | 'latency_ms' | 'tls_days' | 'dns_records' | 'text' | 'redirect_url' | 'ip'; property?: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt'; value?: unknown; on_fail?: 'down' | 'degraded' })[]; interval_seconds: number; down_interval_seconds: number | null; timeout_seconds: number; degraded_after_ms: number | null; regions: string[]; confirmation: { regions: 'any' | 'majority' | 'all' | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20 | 21 | 22 | 23 | 24 | 25 | 26 | 27 | 28 | 29 | 30; rounds: number; min_seconds: number; recovery_rounds: number; recovery_seconds: number; failure_rate: { failures: number; window_seconds: number } | null; advisory_after_seconds: number }; retry: { count: number; strategy: 'none' | 'fixed' | 'linear' | 'exponential'; base_seconds: number; max_total_seconds: number }; flap: { enabled: boolean; window_rounds: number; high_percent: number; low_percent: number }; tags: string[]; labels: Record<string, string>; severity_down: 'critical' | 'warning' | 'info'; severity_degraded: 'critical' | 'warning' | 'info'; open_on_degraded: boolean; escalation_policy_id: string | null; team_id: string | null; group_id: string | null; depends_on: string[]; dependency_hold_seconds: number | null; channel_ids: string[]; tls_expiry_days: number[]; repeat_interval_seconds: number | null; paused_at: string | null; paused_by: string | null; pause_reason: 'user' | 'entitlement' | 'deployment' | 'import' | 'maintenance' | null; pause_comment: string | null; resume_at: string | null; last_checked_at: string | null; last_response_time_ms: number | null; last_status_change_at: string | null; last_failure: { reason: 'timeout' | 'dns' | 'connect' | 'tls' | 'http_status' | 'redirect' | 'assertion' | 'body_too_large' | 'protocol' | 'icmp_loss' | 'blocked_target' | 'auth' | null; message: string | null; region: string | null; at: string; http_status: number | null } | null; region_states: ({ region: string; state: 'up' | 'down' | 'degraded' | 'stale' | 'pending'; since: string | null; response_time_ms: number | null; advisory: boolean })[]; certificate: { issuer: string | null; subject: string | null; not_after: string; days_left: number; chain_ok: boolean | null } | null; uptime: { h24: number | null; d7: number | null; d30: number | null }; open_incident_id: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    trace?: never
  }
  '/api/v1/monitors/{id}/explain': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Why a monitor has its status */
    get: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { question: string; answer: string; at: string; steps: ({ n: number; rule: 'rounds' | 'failure_rate' | 'quorum' | 'vote' | 'flap' | 'pause' | 'signal' | 'declaration' | 'promotion_by_hand' | 'reopening' | 'dedup' | 'dependency' | 'mass_outage' | 'routing' | 'grouping' | 'maintenance' | 'promotion' | 'policy' | 'escalation_run' | 'escalation_step'; inputs: { topic: string; partition: number; offset: string; summary: string }[]; config_refs: ({ type: string; id: string | null; version: number })[]; values: Record<string, unknown>; verdict: string; trace?: ({ rule_id: string; name: string; mode: 'live' | 'shadow'; outcome: 'matched' | 'not_matched' | 'skipped'; reason: 'disabled' | 'expired' | 'outside_time_window' | 'after_stop' | 'unreadable' | null; conditions: ({ group: 'all' | 'any' | 'none'; index: number; field: string; op: string; seen: string | null })[]; team_kept: boolean })[]; shadow?: { matched: string[]; changes: ('team' | 'promote' | 'suppress' | 'severity' | 'group' | 'priority' | 'major' | 'labels' | 'auto_resolve' | 'notify_resolved')[]; outcome: { team_id: string | null; escalation_policy_id: string | null; policy_by: 'rule' | 'signal' | 'team' | 'workspace' | null; channel_ids?: string[] | null; visibility: 'org' | 'private'; severity: 'critical' | 'warning' | 'info'; severity_by_rule: boolean; priority: string | null; labels: Record<string, string>; is_major: boolean; promote: boolean; suppressed_by: string | null; group: { rule_id: string | null; values: string[]; window_seconds: number; max_alerts: number } | null; auto_resolve_minutes: number | null; notify_resolved: boolean; delay_seconds: number } } })[]; suppressions: ({ kind: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap'; id: string | null; until: string | null; effect: string })[]; engine_version: number; tzdb_version: string | null; trace_hash: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/monitors/validate': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Try a definition without saving it */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { name?: string; type?: string; description?: string; target?: string; url?: string; config?: { steps?: ({ name?: string; method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'; url: string; headers?: { name: string; value: string }[]; body?: string | null; body_type?: 'json' | 'form' | 'text' | 'xml' | 'graphql'; assertions?: ({ source: 'status' | 'header' | 'body' | 'json' | 'latency_ms' | 'tls_days' | 'dns_records' | 'text' | 'redirect_url' | 'ip'; property?: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt'; value?: string | number | boolean | (string | number | boolean)[]; on_fail?: 'down' | 'degraded' })[]; extract?: ({ name: string; source: 'json' | 'header'; property: string })[] })[]; variables?: ({ name: string; value: string | null; secret?: boolean })[]; follow_redirects?: boolean; verify_tls?: boolean | null; ca_pem?: string | null; ip_family?: 'auto' | '4' | '6' | null; http_version?: 'auto' | '1.1' | '2'; record_type?: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT' | 'NS' | 'SOA' | 'SRV' | 'CAA' | 'PTR' | null; resolver?: string | null; transport?: 'udp' | 'tcp' | 'dot' | 'doh' | null; require_dnssec?: boolean | null; warn_days?: number | null; fail_days?: number | null; expected_every_seconds?: number | null; tls?: boolean | null; service?: string | null; metadata?: ({ name: string; value: string | null; secret?: boolean })[]; method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'; headers?: ({ name: string; value: string | null; secret?: boolean })[]; body?: string | null; body_type?: 'json' | 'form' | 'text' | 'xml' | 'graphql'; auth?: { type: 'none' | 'basic' | 'digest' | 'bearer' | 'oauth2_client' | 'mtls'; username?: string; password?: string | null; token?: string | null; token_url?: string; client_id?: string; client_secret?: string | null; scopes?: string[]; cert_pem?: string; key_pem?: string | null }; max_redirects?: number; user_agent?: string | null; cache_bust?: boolean; max_body_bytes?: number; capture_on_failure?: boolean; count?: number | null; min_replies?: number | null; packet_bytes?: number | null; security?: 'none' | 'starttls' | 'tls' | null; username?: string | null; password?: string | null; helo?: string | null; send?: string | null; send_base64?: string | null; expect?: string | null; server_name?: string | null; starttls?: 'none' | 'smtp' | 'imap' | 'pop3' | 'postgres' | null; min_version?: '1.2' | '1.3' | null; expect_reply?: boolean | null; subprotocols?: string[] }; assertions?: ({ source: 'status' | 'header' | 'body' | 'json' | 'latency_ms' | 'tls_days' | 'dns_records' | 'text' | 'redirect_url' | 'ip'; property?: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt'; value?: string | number | boolean | (string | number | boolean)[]; on_fail?: 'down' | 'degraded' })[]; interval_seconds?: number; down_interval_seconds?: number | null; timeout_seconds?: number; degraded_after_ms?: number | null; regions?: string[]; confirmation?: { regions?: 'any' | 'majority' | 'all' | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20 | 21 | 22 | 23 | 24 | 25 | 26 | 27 | 28 | 29 | 30; rounds?: number; min_seconds?: number; recovery_rounds?: number; recovery_seconds?: number; failure_rate?: { failures: number; window_seconds: number } | null; advisory_after_seconds?: number }; retry?: { count?: number; strategy?: 'none' | 'fixed' | 'linear' | 'exponential'; base_seconds?: number; max_total_seconds?: number }; flap?: { enabled?: boolean; window_rounds?: number; high_percent?: number; low_percent?: number }; tags?: string[]; labels?: Record<string, string>; severity_down?: 'critical' | 'warning' | 'info'; severity_degraded?: 'critical' | 'warning' | 'info'; open_on_degraded?: boolean; tls_expiry_days?: number[]; repeat_interval_seconds?: number | null; escalation_policy_id?: string | null; depends_on?: string[]; dependency_hold_seconds?: number | null; team_id?: string | null; group_id?: string | null; monitor_id?: string; region?: string } } }
      responses: { 200: { content: { 'application/json': { valid: boolean; regions: string[]; warnings: ({ path: string | null; code: 'name_taken' | 'limit_reached' | 'no_answer'; message: string })[]; result: { region: string; prober_instance: string; started_at: string; outcome: 'success' | 'degraded' | 'failure' | 'prober_error' | 'missed_window' | 'rate_limited' | 'unknown'; reason: 'timeout' | 'dns' | 'connect' | 'tls' | 'http_status' | 'redirect' | 'assertion' | 'body_too_large' | 'protocol' | 'icmp_loss' | 'blocked_target' | 'auth' | 'unknown' | null; message: string | null; attempts: number; timings_ms: { dns: number | null; connect: number | null; tls: number | null; request: number | null; ttfb: number | null; download: number | null; total: number | null }; http: { status: number | null; bytes: number | null } | null; tls: { issuer: string | null; not_after: string | null; chain_ok: boolean | null } | null; assertions: ({ index: number; ok: boolean; actual: string | null; message: string | null })[]; redirects: string[] } | null; next_rounds: string[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/monitors/bulk': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** The same change of many monitors */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { ids: string[]; action: 'pause' | 'resume' | 'delete' | 'patch'; patch?: { interval_seconds?: number; timeout_seconds?: number; regions?: string[]; labels?: Record<string, string>; severity_down?: 'critical' | 'warning' | 'info'; severity_degraded?: 'critical' | 'warning' | 'info'; open_on_degraded?: boolean; escalation_policy_id?: string | null; team_id?: string | null; group_id?: string | null; add_tags?: string[]; remove_tags?: string[] }; reason?: string | null; resume_at?: string; minutes?: number; resolve_open?: boolean } } }
      responses: { 200: { content: { 'application/json': { matched: number; changed: string[]; failed: { id: string; code: string; error: string }[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/monitors/import': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Import definitions: all of them, or none */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { format?: 'native' | 'csv'; dry_run?: boolean; items?: Record<string, unknown>[]; content?: string } } }
      responses: { 200: { content: { 'application/json': { dry_run: boolean; create: number; update: number; skip: number; items: ({ row: number; name: string; action: 'create' | 'update' | 'skip' })[]; groups: string[]; errors: ({ row: number; name: string | null; field: string; code: string; message: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/monitor-groups': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Groups of monitors, with their state */
    get: {
      parameters: { query?: { page?: number; per_page?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; description: string; order: number; state: 'down' | 'degraded' | 'up' | 'paused' | 'empty'; monitors: { total: number; up: number; degraded: number; down: number; paused: number } })[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Create a group of monitors */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { name: string; description?: string; order?: number } } }
      responses: { 201: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; description: string; order: number; state: 'down' | 'degraded' | 'up' | 'paused' | 'empty'; monitors: { total: number; up: number; degraded: number; down: number; paused: number } } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/monitor-groups/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Read a group of monitors */
    get: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; description: string; order: number; state: 'down' | 'degraded' | 'up' | 'paused' | 'empty'; monitors: { total: number; up: number; degraded: number; down: number; paused: number } } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    /** Delete a group; its monitors stay */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    /** Change a group of monitors */
    patch: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { name?: string; description?: string; order?: number } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; description: string; order: number; state: 'down' | 'degraded' | 'up' | 'paused' | 'empty'; monitors: { total: number; up: number; degraded: number; down: number; paused: number } } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    trace?: never
  }
  '/api/v1/monitors/{id}/pause': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Pause a monitor */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { reason?: string | null; resume_at?: string; minutes?: number; resolve_open?: boolean } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; status: 'up' | 'down' | 'paused'; phase: 'pending' | 'ok' | 'validating' | 'degraded' | 'down' | 'flapping' | 'maintenance' | 'dependency_down' | 'unconfirmed' | 'no_data' | 'paused'; effective_regions: string[]; prober_region_labels: Record<string, string>; name: string; description: string; type: string; target: string; config: { steps?: ({ name?: string; method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'; url: string; headers?: { name: string; value: string }[]; body?: string | null; body_type?: 'json' | 'form' | 'text' | 'xml' | 'graphql'; assertions?: ({ source: 'status' | 'header' | 'body' | 'json' | 'latency_ms' | 'tls_days' | 'dns_records' | 'text' | 'redirect_url' | 'ip'; property?: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt'; value?: string | number | boolean | (string | number | boolean)[]; on_fail?: 'down' | 'degraded' })[]; extract?: ({ name: string; source: 'json' | 'header'; property: string })[] })[]; variables?: ({ name: string; value: string | null; secret?: boolean })[]; follow_redirects?: boolean; verify_tls?: boolean | null; ca_pem?: string | null; ip_family?: 'auto' | '4' | '6' | null; http_version?: 'auto' | '1.1' | '2'; record_type?: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT' | 'NS' | 'SOA' | 'SRV' | 'CAA' | 'PTR' | null; resolver?: string | null; transport?: 'udp' | 'tcp' | 'dot' | 'doh' | null; require_dnssec?: boolean | null; warn_days?: number | null; fail_days?: number | null; expected_every_seconds?: number | null; tls?: boolean | null; service?: string | null; metadata?: ({ name: string; value: string | null; secret?: boolean })[]; method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'; headers?: ({ name: string; value: string | null; secret?: boolean })[]; body?: string | null; body_type?: 'json' | 'form' | 'text' | 'xml' | 'graphql'; auth?: { type: 'none' | 'basic' | 'digest' | 'bearer' | 'oauth2_client' | 'mtls'; username?: string; password?: string | null; token?: string | null; token_url?: string; client_id?: string; client_secret?: string | null; scopes?: string[]; cert_pem?: string; key_pem?: string | null }; max_redirects?: number; user_agent?: string | null; cache_bust?: boolean; max_body_bytes?: number; capture_on_failure?: boolean; count?: number | null; min_replies?: number | null; packet_bytes?: number | null; security?: 'none' | 'starttls' | 'tls' | null; username?: string | null; password?: string | null; helo?: string | null; send?: string | null; send_base64?: string | null; expect?: string | null; server_name?: string | null; starttls?: 'none' | 'smtp' | 'imap' | 'pop3' | 'postgres' | null; min_version?: '1.2' | '1.3' | null; expect_reply?: boolean | null; subprotocols?: string[] }; assertions: ({ source: 'status' | 'header' | 'body' | 'json' | 'latency_ms' | 'tls_days' | 'dns_records' | 'text' | 'redirect_url' | 'ip'; property?: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt'; value?: unknown; on_fail?: 'down' | 'degraded' })[]; interval_seconds: number; down_interval_seconds: number | null; timeout_seconds: number; degraded_after_ms: number | null; regions: string[]; confirmation: { regions: 'any' | 'majority' | 'all' | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20 | 21 | 22 | 23 | 24 | 25 | 26 | 27 | 28 | 29 | 30; rounds: number; min_seconds: number; recovery_rounds: number; recovery_seconds: number; failure_rate: { failures: number; window_seconds: number } | null; advisory_after_seconds: number }; retry: { count: number; strategy: 'none' | 'fixed' | 'linear' | 'exponential'; base_seconds: number; max_total_seconds: number }; flap: { enabled: boolean; window_rounds: number; high_percent: number; low_percent: number }; tags: string[]; labels: Record<string, string>; severity_down: 'critical' | 'warning' | 'info'; severity_degraded: 'critical' | 'warning' | 'info'; open_on_degraded: boolean; escalation_policy_id: string | null; team_id: string | null; group_id: string | null; depends_on: string[]; dependency_hold_seconds: number | null; channel_ids: string[]; tls_expiry_days: number[]; repeat_interval_seconds: number | null; paused_at: string | null; paused_by: string | null; pause_reason: 'user' | 'entitlement' | 'deployment' | 'import' | 'maintenance' | null; pause_comment: string | null; resume_at: string | null; last_checked_at: string | null; last_response_time_ms: number | null; last_status_change_at: string | null; last_failure: { reason: 'timeout' | 'dns' | 'connect' | 'tls' | 'http_status' | 'redirect' | 'assertion' | 'body_too_large' | 'protocol' | 'icmp_loss' | 'blocked_target' | 'auth' | null; message: string | null; region: string | null; at: string; http_status: number | null } | null; region_states: ({ region: string; state: 'up' | 'down' | 'degraded' | 'stale' | 'pending'; since: string | null; response_time_ms: number | null; advisory: boolean })[]; certificate: { issuer: string | null; subject: string | null; not_after: string; days_left: number; chain_ok: boolean | null } | null; uptime: { h24: number | null; d7: number | null; d30: number | null }; open_incident_id: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/monitors/{id}/resume': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Resume a monitor, and check it at once */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; status: 'up' | 'down' | 'paused'; phase: 'pending' | 'ok' | 'validating' | 'degraded' | 'down' | 'flapping' | 'maintenance' | 'dependency_down' | 'unconfirmed' | 'no_data' | 'paused'; effective_regions: string[]; prober_region_labels: Record<string, string>; name: string; description: string; type: string; target: string; config: { steps?: ({ name?: string; method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'; url: string; headers?: { name: string; value: string }[]; body?: string | null; body_type?: 'json' | 'form' | 'text' | 'xml' | 'graphql'; assertions?: ({ source: 'status' | 'header' | 'body' | 'json' | 'latency_ms' | 'tls_days' | 'dns_records' | 'text' | 'redirect_url' | 'ip'; property?: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt'; value?: string | number | boolean | (string | number | boolean)[]; on_fail?: 'down' | 'degraded' })[]; extract?: ({ name: string; source: 'json' | 'header'; property: string })[] })[]; variables?: ({ name: string; value: string | null; secret?: boolean })[]; follow_redirects?: boolean; verify_tls?: boolean | null; ca_pem?: string | null; ip_family?: 'auto' | '4' | '6' | null; http_version?: 'auto' | '1.1' | '2'; record_type?: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT' | 'NS' | 'SOA' | 'SRV' | 'CAA' | 'PTR' | null; resolver?: string | null; transport?: 'udp' | 'tcp' | 'dot' | 'doh' | null; require_dnssec?: boolean | null; warn_days?: number | null; fail_days?: number | null; expected_every_seconds?: number | null; tls?: boolean | null; service?: string | null; metadata?: ({ name: string; value: string | null; secret?: boolean })[]; method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'; headers?: ({ name: string; value: string | null; secret?: boolean })[]; body?: string | null; body_type?: 'json' | 'form' | 'text' | 'xml' | 'graphql'; auth?: { type: 'none' | 'basic' | 'digest' | 'bearer' | 'oauth2_client' | 'mtls'; username?: string; password?: string | null; token?: string | null; token_url?: string; client_id?: string; client_secret?: string | null; scopes?: string[]; cert_pem?: string; key_pem?: string | null }; max_redirects?: number; user_agent?: string | null; cache_bust?: boolean; max_body_bytes?: number; capture_on_failure?: boolean; count?: number | null; min_replies?: number | null; packet_bytes?: number | null; security?: 'none' | 'starttls' | 'tls' | null; username?: string | null; password?: string | null; helo?: string | null; send?: string | null; send_base64?: string | null; expect?: string | null; server_name?: string | null; starttls?: 'none' | 'smtp' | 'imap' | 'pop3' | 'postgres' | null; min_version?: '1.2' | '1.3' | null; expect_reply?: boolean | null; subprotocols?: string[] }; assertions: ({ source: 'status' | 'header' | 'body' | 'json' | 'latency_ms' | 'tls_days' | 'dns_records' | 'text' | 'redirect_url' | 'ip'; property?: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt'; value?: unknown; on_fail?: 'down' | 'degraded' })[]; interval_seconds: number; down_interval_seconds: number | null; timeout_seconds: number; degraded_after_ms: number | null; regions: string[]; confirmation: { regions: 'any' | 'majority' | 'all' | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20 | 21 | 22 | 23 | 24 | 25 | 26 | 27 | 28 | 29 | 30; rounds: number; min_seconds: number; recovery_rounds: number; recovery_seconds: number; failure_rate: { failures: number; window_seconds: number } | null; advisory_after_seconds: number }; retry: { count: number; strategy: 'none' | 'fixed' | 'linear' | 'exponential'; base_seconds: number; max_total_seconds: number }; flap: { enabled: boolean; window_rounds: number; high_percent: number; low_percent: number }; tags: string[]; labels: Record<string, string>; severity_down: 'critical' | 'warning' | 'info'; severity_degraded: 'critical' | 'warning' | 'info'; open_on_degraded: boolean; escalation_policy_id: string | null; team_id: string | null; group_id: string | null; depends_on: string[]; dependency_hold_seconds: number | null; channel_ids: string[]; tls_expiry_days: number[]; repeat_interval_seconds: number | null; paused_at: string | null; paused_by: string | null; pause_reason: 'user' | 'entitlement' | 'deployment' | 'import' | 'maintenance' | null; pause_comment: string | null; resume_at: string | null; last_checked_at: string | null; last_response_time_ms: number | null; last_status_change_at: string | null; last_failure: { reason: 'timeout' | 'dns' | 'connect' | 'tls' | 'http_status' | 'redirect' | 'assertion' | 'body_too_large' | 'protocol' | 'icmp_loss' | 'blocked_target' | 'auth' | null; message: string | null; region: string | null; at: string; http_status: number | null } | null; region_states: ({ region: string; state: 'up' | 'down' | 'degraded' | 'stale' | 'pending'; since: string | null; response_time_ms: number | null; advisory: boolean })[]; certificate: { issuer: string | null; subject: string | null; not_after: string; days_left: number; chain_ok: boolean | null } | null; uptime: { h24: number | null; d7: number | null; d30: number | null }; open_incident_id: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/monitors/{id}/check': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Check a monitor now, at most six times a minute */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { regions?: string[]; count?: boolean } } }
      responses: { 202: { content: { 'application/json': { check_ids: string[]; poll_url: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/monitors/{id}/results': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Push the state of a monitor that nobody checks */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { state: 'up' | 'down' | 'degraded'; response_time_ms?: number | null; message?: string | null; occurred_at?: string; dedup_id?: string } } }
      responses: { 202: { content: { 'application/json': { accepted: boolean; duplicate: boolean } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/certificates': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Certificates that monitors see, by their end */
    get: {
      parameters: { query?: { page?: number; per_page?: number; team_id?: string[]; within_days?: number; q?: string }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ monitor_id: string; monitor_name: string; monitor_status: 'up' | 'down' | 'paused'; type: string; target: string; team_id: string | null; host: string; issuer: string | null; not_after: string; days_left: number; chain_ok: boolean | null; last_checked_at: string | null; tls_expiry_days: number[]; told: { threshold_days: number; at: string } | null })[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/regions': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Regions that checks run from */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ code: string; label: string; country: string | null; online: boolean; probers_online: number; egress_ips: string[]; types: string[]; plan_min: string; kind: 'public' | 'private' })[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/private-locations': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** List private locations */
    get: {
      parameters: { query?: { page?: number; per_page?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; created_at: string; updated_at: string; version: number; code: string; label: string; draining: boolean; online: boolean; probers_online: number; last_seen_at: string | null; prober_version: string | null; types: string[]; capacity: { concurrent: number; per_second: number } | null; probers: ({ instance_id: string; version: string; version_skew: 'none' | 'too_old' | 'too_new' | 'unknown'; types: string[]; capacity: { concurrent: number; per_second: number } | null; online: boolean; leaving: boolean; last_seen_at: string })[]; monitors: number; token_prefix: string | null; token_created_at: string | null; start: string })[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Create a private location; the token of its probers is shown once */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { label: string } } }
      responses: { 201: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; code: string; label: string; draining: boolean; online: boolean; probers_online: number; last_seen_at: string | null; prober_version: string | null; types: string[]; capacity: { concurrent: number; per_second: number } | null; probers: ({ instance_id: string; version: string; version_skew: 'none' | 'too_old' | 'too_new' | 'unknown'; types: string[]; capacity: { concurrent: number; per_second: number } | null; online: boolean; leaving: boolean; last_seen_at: string })[]; monitors: number; token_prefix: string | null; token_created_at: string | null; start: string; token: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/private-locations/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    /** Delete a private location that no monitor uses */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    /** Rename or drain a private location */
    patch: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { label?: string; draining?: boolean } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; code: string; label: string; draining: boolean; online: boolean; probers_online: number; last_seen_at: string | null; prober_version: string | null; types: string[]; capacity: { concurrent: number; per_second: number } | null; probers: ({ instance_id: string; version: string; version_skew: 'none' | 'too_old' | 'too_new' | 'unknown'; types: string[]; capacity: { concurrent: number; per_second: number } | null; online: boolean; leaving: boolean; last_seen_at: string })[]; monitors: number; token_prefix: string | null; token_created_at: string | null; start: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    trace?: never
  }
  '/api/v1/private-locations/{id}/rotate-token': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** New token of its probers, shown once; the old one is dead within 5 s */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; code: string; label: string; draining: boolean; online: boolean; probers_online: number; last_seen_at: string | null; prober_version: string | null; types: string[]; capacity: { concurrent: number; per_second: number } | null; probers: ({ instance_id: string; version: string; version_skew: 'none' | 'too_old' | 'too_new' | 'unknown'; types: string[]; capacity: { concurrent: number; per_second: number } | null; online: boolean; leaving: boolean; last_seen_at: string })[]; monitors: number; token_prefix: string | null; token_created_at: string | null; start: string; token: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/private-locations/{id}/revoke-token': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** End the token of its probers within 5 s */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; code: string; label: string; draining: boolean; online: boolean; probers_online: number; last_seen_at: string | null; prober_version: string | null; types: string[]; capacity: { concurrent: number; per_second: number } | null; probers: ({ instance_id: string; version: string; version_skew: 'none' | 'too_old' | 'too_new' | 'unknown'; types: string[]; capacity: { concurrent: number; per_second: number } | null; online: boolean; leaving: boolean; last_seen_at: string })[]; monitors: number; token_prefix: string | null; token_created_at: string | null; start: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/prober/hello': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Presence of a prober, every 10 s */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { instance_id: string; version: string; kinds: string[]; public_key: string; capacity?: { concurrent: number; per_second: number }; ipv6?: boolean; clock_at?: string; egress_ips?: string[]; load?: number; oldest_due_ms?: number; event_loop_delay_ms?: number; leaving?: boolean } } }
      responses: { 200: { content: { 'application/json': { region: string; label: string; country: string | null; server_time: string; skew_ms: number; live: { instance_id: string; kinds: string[] }[]; assignment_version: number; config: { result_batch: number; result_flush_ms: number; min_version: string; block_cidrs: string[] }; drain: boolean } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/prober/trials': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** What a trial of a definition came to */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { instance_id: string; result: { check_id: string; monitor_id: string; tenant_ref: string; config_version: number; seq: number; on_demand?: boolean; count?: boolean; scheduled_at: string; started_at: string; finished_at: string; outcome: 'success' | 'degraded' | 'failure' | 'prober_error' | 'missed_window' | 'rate_limited'; reason?: 'timeout' | 'dns' | 'connect' | 'tls' | 'http_status' | 'redirect' | 'assertion' | 'body_too_large' | 'protocol' | 'icmp_loss' | 'blocked_target' | 'auth' | null; message?: string | null; attempts: ({ started_at: string; finished_at: string; outcome: 'success' | 'degraded' | 'failure' | 'prober_error' | 'missed_window' | 'rate_limited'; reason?: 'timeout' | 'dns' | 'connect' | 'tls' | 'http_status' | 'redirect' | 'assertion' | 'body_too_large' | 'protocol' | 'icmp_loss' | 'blocked_target' | 'auth' | null; message?: string | null; timings_ms?: { dns?: number | null; connect?: number | null; tls?: number | null; request?: number | null; ttfb?: number | null; download?: number | null; total?: number | null } })[]; timings_ms: { dns?: number | null; connect?: number | null; tls?: number | null; request?: number | null; ttfb?: number | null; download?: number | null; total?: number | null }; http?: { status: number | null; version?: string | null; bytes?: number | null; redirects?: string[]; remote_ip?: string | null; headers_excerpt?: Record<string, string> } | null; tls?: { version?: string | null; cipher?: string | null; issuer: string | null; subject?: string | null; sans?: string[]; not_before?: string | null; not_after: string | null; chain_ok: boolean | null } | null; dns?: { records: string[]; rcode: string; ttl: number | null } | null; domain?: { expires_at: string } | null; assertions?: ({ index: number; ok: boolean; actual?: string | null; message?: string | null })[]; body_excerpt?: string | null; prober_version?: string | null } } } }
      responses: { 200: { content: { 'application/json': { accepted: boolean } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/prober/config': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** What the region checks, by long poll */
    get: {
      parameters: { query: { instance_id: string; since?: number; wait_seconds?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { version: number; full: boolean; monitors: ({ monitor_id: string; tenant_ref: string; config_version: number; type: string; target: string; config: { steps?: ({ name?: string; method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'; url: string; headers?: { name: string; value: string }[]; body?: string | null; body_type?: 'json' | 'form' | 'text' | 'xml' | 'graphql'; assertions?: ({ source: 'status' | 'header' | 'body' | 'json' | 'latency_ms' | 'tls_days' | 'dns_records' | 'text' | 'redirect_url' | 'ip'; property?: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt'; value?: string | number | boolean | (string | number | boolean)[]; on_fail?: 'down' | 'degraded' })[]; extract?: ({ name: string; source: 'json' | 'header'; property: string })[] })[]; variables?: ({ name: string; value: string | null; secret?: boolean })[]; follow_redirects?: boolean; verify_tls?: boolean | null; ca_pem?: string | null; ip_family?: 'auto' | '4' | '6' | null; http_version?: 'auto' | '1.1' | '2'; record_type?: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT' | 'NS' | 'SOA' | 'SRV' | 'CAA' | 'PTR' | null; resolver?: string | null; transport?: 'udp' | 'tcp' | 'dot' | 'doh' | null; require_dnssec?: boolean | null; warn_days?: number | null; fail_days?: number | null; expected_every_seconds?: number | null; tls?: boolean | null; service?: string | null; metadata?: ({ name: string; value: string | null; secret?: boolean })[]; method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'; headers?: ({ name: string; value: string | null; secret?: boolean })[]; body?: string | null; body_type?: 'json' | 'form' | 'text' | 'xml' | 'graphql'; auth?: { type: 'none' | 'basic' | 'digest' | 'bearer' | 'oauth2_client' | 'mtls'; username?: string; password?: string | null; token?: string | null; token_url?: string; client_id?: string; client_secret?: string | null; scopes?: string[]; cert_pem?: string; key_pem?: string | null }; max_redirects?: number; user_agent?: string | null; cache_bust?: boolean; max_body_bytes?: number; capture_on_failure?: boolean; count?: number | null; min_replies?: number | null; packet_bytes?: number | null; security?: 'none' | 'starttls' | 'tls' | null; username?: string | null; password?: string | null; helo?: string | null; send?: string | null; send_base64?: string | null; expect?: string | null; server_name?: string | null; starttls?: 'none' | 'smtp' | 'imap' | 'pop3' | 'postgres' | null; min_version?: '1.2' | '1.3' | null; expect_reply?: boolean | null; subprotocols?: string[] }; assertions: ({ source: 'status' | 'header' | 'body' | 'json' | 'latency_ms' | 'tls_days' | 'dns_records' | 'text' | 'redirect_url' | 'ip'; property?: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt'; value?: unknown; on_fail?: 'down' | 'degraded' })[]; retry: { count: number; strategy: 'none' | 'fixed' | 'linear' | 'exponential'; base_seconds: number; max_total_seconds: number }; interval_seconds: number; down_interval_seconds?: number; recovery_rounds?: number; timeout_seconds: number; degraded_after_ms: number | null; expiry_days?: number })[]; removed: string[]; once: ({ check_id: string; monitor_id: string; scheduled_at: string; count: boolean; expires_at: string; definition?: { monitor_id: string; tenant_ref: string; config_version: number; type: string; target: string; config: { steps?: ({ name?: string; method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'; url: string; headers?: { name: string; value: string }[]; body?: string | null; body_type?: 'json' | 'form' | 'text' | 'xml' | 'graphql'; assertions?: ({ source: 'status' | 'header' | 'body' | 'json' | 'latency_ms' | 'tls_days' | 'dns_records' | 'text' | 'redirect_url' | 'ip'; property?: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt'; value?: string | number | boolean | (string | number | boolean)[]; on_fail?: 'down' | 'degraded' })[]; extract?: ({ name: string; source: 'json' | 'header'; property: string })[] })[]; variables?: ({ name: string; value: string | null; secret?: boolean })[]; follow_redirects?: boolean; verify_tls?: boolean | null; ca_pem?: string | null; ip_family?: 'auto' | '4' | '6' | null; http_version?: 'auto' | '1.1' | '2'; record_type?: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT' | 'NS' | 'SOA' | 'SRV' | 'CAA' | 'PTR' | null; resolver?: string | null; transport?: 'udp' | 'tcp' | 'dot' | 'doh' | null; require_dnssec?: boolean | null; warn_days?: number | null; fail_days?: number | null; expected_every_seconds?: number | null; tls?: boolean | null; service?: string | null; metadata?: ({ name: string; value: string | null; secret?: boolean })[]; method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'; headers?: ({ name: string; value: string | null; secret?: boolean })[]; body?: string | null; body_type?: 'json' | 'form' | 'text' | 'xml' | 'graphql'; auth?: { type: 'none' | 'basic' | 'digest' | 'bearer' | 'oauth2_client' | 'mtls'; username?: string; password?: string | null; token?: string | null; token_url?: string; client_id?: string; client_secret?: string | null; scopes?: string[]; cert_pem?: string; key_pem?: string | null }; max_redirects?: number; user_agent?: string | null; cache_bust?: boolean; max_body_bytes?: number; capture_on_failure?: boolean; count?: number | null; min_replies?: number | null; packet_bytes?: number | null; security?: 'none' | 'starttls' | 'tls' | null; username?: string | null; password?: string | null; helo?: string | null; send?: string | null; send_base64?: string | null; expect?: string | null; server_name?: string | null; starttls?: 'none' | 'smtp' | 'imap' | 'pop3' | 'postgres' | null; min_version?: '1.2' | '1.3' | null; expect_reply?: boolean | null; subprotocols?: string[] }; assertions: ({ source: 'status' | 'header' | 'body' | 'json' | 'latency_ms' | 'tls_days' | 'dns_records' | 'text' | 'redirect_url' | 'ip'; property?: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt'; value?: unknown; on_fail?: 'down' | 'degraded' })[]; retry: { count: number; strategy: 'none' | 'fixed' | 'linear' | 'exponential'; base_seconds: number; max_total_seconds: number }; interval_seconds: number; down_interval_seconds?: number; recovery_rounds?: number; timeout_seconds: number; degraded_after_ms: number | null; expiry_days?: number } })[] } } }; 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/integrations/sources': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Sources with set-up text and sample */
    get: {
      parameters: { query?: { page?: number; per_page?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ source_type: 'alertmanager' | 'azure' | 'betterstack' | 'bugsnag' | 'checkly' | 'circleci' | 'cloudwatch' | 'cronitor' | 'datadog' | 'elastic' | 'gcp' | 'generic' | 'github' | 'gitlab' | 'grafana' | 'healthchecks' | 'jenkins' | 'newrelic' | 'pingdom' | 'rollbar' | 'sentry' | 'splunk' | 'statuscake' | 'statuspage' | 'uptimerobot' | 'zabbix'; name: string; description: string; doors: string[]; severity_map: Record<string, 'critical' | 'warning' | 'info'>; resolves_when: string; sample: unknown; default_severity: 'critical' | 'warning' | 'info'; options: ({ name: string; type: 'boolean' | 'choice' | 'texts' | 'text'; description: string; default?: boolean | string; choices?: string[]; most?: number; pattern?: string; secret?: boolean })[]; verify: { always: boolean; settings: ({ name: string; type: 'boolean' | 'choice' | 'texts' | 'text'; description: string; default?: boolean | string; choices?: string[]; most?: number; pattern?: string; secret?: boolean })[] } | null; instructions: { title: string; language: string; text: string }[] })[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/integrations/inbound': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** List inbound integrations */
    get: {
      parameters: { query?: { page?: number; per_page?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; source_type: 'alertmanager' | 'azure' | 'betterstack' | 'bugsnag' | 'checkly' | 'circleci' | 'cloudwatch' | 'cronitor' | 'datadog' | 'elastic' | 'gcp' | 'generic' | 'github' | 'gitlab' | 'grafana' | 'healthchecks' | 'jenkins' | 'newrelic' | 'pingdom' | 'rollbar' | 'sentry' | 'splunk' | 'statuscake' | 'statuspage' | 'uptimerobot' | 'zabbix'; enabled: boolean; team_id: string | null; escalation_policy_id: string | null; visibility: 'org' | 'private'; default_severity: 'critical' | 'warning' | 'info' | null; severity_map: Record<string, 'critical' | 'warning' | 'info'>; labels_add: Record<string, string>; capture: boolean; options: Record<string, unknown>; verify: Record<string, unknown>; allowed_cidrs: string[]; dedup_template: string | null; auto_resolve_minutes: number | null; disconnected_at: string | null; last_event_at: string | null; event_count_24h: number | null; error_count_24h: number | null; ignored: { reason: string; deliveries: number; last_at: string }[]; ignoring_since: string | null; token_prefix: string; token: string | null; endpoint_url: string | null; door_url: string; instructions: { title: string; language: string; text: string }[] })[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Create an inbound integration; its token is shown once */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { name: string; enabled?: boolean; default_severity?: 'critical' | 'warning' | 'info' | null; severity_map?: Record<string, 'critical' | 'warning' | 'info'>; labels_add?: Record<string, string>; capture?: boolean; options?: Record<string, unknown>; verify?: Record<string, unknown>; allowed_cidrs?: string[]; dedup_template?: string | null; auto_resolve_minutes?: number | null; escalation_policy_id?: string | null; team_id?: string | null; source_type: 'alertmanager' | 'azure' | 'betterstack' | 'bugsnag' | 'checkly' | 'circleci' | 'cloudwatch' | 'cronitor' | 'datadog' | 'elastic' | 'gcp' | 'generic' | 'github' | 'gitlab' | 'grafana' | 'healthchecks' | 'jenkins' | 'newrelic' | 'pingdom' | 'rollbar' | 'sentry' | 'splunk' | 'statuscake' | 'statuspage' | 'uptimerobot' | 'zabbix' } } }
      responses: { 201: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; source_type: 'alertmanager' | 'azure' | 'betterstack' | 'bugsnag' | 'checkly' | 'circleci' | 'cloudwatch' | 'cronitor' | 'datadog' | 'elastic' | 'gcp' | 'generic' | 'github' | 'gitlab' | 'grafana' | 'healthchecks' | 'jenkins' | 'newrelic' | 'pingdom' | 'rollbar' | 'sentry' | 'splunk' | 'statuscake' | 'statuspage' | 'uptimerobot' | 'zabbix'; enabled: boolean; team_id: string | null; escalation_policy_id: string | null; visibility: 'org' | 'private'; default_severity: 'critical' | 'warning' | 'info' | null; severity_map: Record<string, 'critical' | 'warning' | 'info'>; labels_add: Record<string, string>; capture: boolean; options: Record<string, unknown>; verify: Record<string, unknown>; allowed_cidrs: string[]; dedup_template: string | null; auto_resolve_minutes: number | null; disconnected_at: string | null; last_event_at: string | null; event_count_24h: number | null; error_count_24h: number | null; ignored: { reason: string; deliveries: number; last_at: string }[]; ignoring_since: string | null; token_prefix: string; token: string | null; endpoint_url: string | null; door_url: string; instructions: { title: string; language: string; text: string }[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/integrations/inbound/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Read an inbound integration */
    get: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; source_type: 'alertmanager' | 'azure' | 'betterstack' | 'bugsnag' | 'checkly' | 'circleci' | 'cloudwatch' | 'cronitor' | 'datadog' | 'elastic' | 'gcp' | 'generic' | 'github' | 'gitlab' | 'grafana' | 'healthchecks' | 'jenkins' | 'newrelic' | 'pingdom' | 'rollbar' | 'sentry' | 'splunk' | 'statuscake' | 'statuspage' | 'uptimerobot' | 'zabbix'; enabled: boolean; team_id: string | null; escalation_policy_id: string | null; visibility: 'org' | 'private'; default_severity: 'critical' | 'warning' | 'info' | null; severity_map: Record<string, 'critical' | 'warning' | 'info'>; labels_add: Record<string, string>; capture: boolean; options: Record<string, unknown>; verify: Record<string, unknown>; allowed_cidrs: string[]; dedup_template: string | null; auto_resolve_minutes: number | null; disconnected_at: string | null; last_event_at: string | null; event_count_24h: number | null; error_count_24h: number | null; ignored: { reason: string; deliveries: number; last_at: string }[]; ignoring_since: string | null; token_prefix: string; token: string | null; endpoint_url: string | null; door_url: string; instructions: { title: string; language: string; text: string }[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    /** Delete an inbound integration; its token is dead within 5 s */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    /** Change an inbound integration */
    patch: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { name?: string; enabled?: boolean; default_severity?: 'critical' | 'warning' | 'info' | null; severity_map?: Record<string, 'critical' | 'warning' | 'info'>; labels_add?: Record<string, string>; capture?: boolean; options?: Record<string, unknown>; verify?: Record<string, unknown>; allowed_cidrs?: string[]; dedup_template?: string | null; auto_resolve_minutes?: number | null; escalation_policy_id?: string | null; team_id?: string | null; source_type?: unknown } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; source_type: 'alertmanager' | 'azure' | 'betterstack' | 'bugsnag' | 'checkly' | 'circleci' | 'cloudwatch' | 'cronitor' | 'datadog' | 'elastic' | 'gcp' | 'generic' | 'github' | 'gitlab' | 'grafana' | 'healthchecks' | 'jenkins' | 'newrelic' | 'pingdom' | 'rollbar' | 'sentry' | 'splunk' | 'statuscake' | 'statuspage' | 'uptimerobot' | 'zabbix'; enabled: boolean; team_id: string | null; escalation_policy_id: string | null; visibility: 'org' | 'private'; default_severity: 'critical' | 'warning' | 'info' | null; severity_map: Record<string, 'critical' | 'warning' | 'info'>; labels_add: Record<string, string>; capture: boolean; options: Record<string, unknown>; verify: Record<string, unknown>; allowed_cidrs: string[]; dedup_template: string | null; auto_resolve_minutes: number | null; disconnected_at: string | null; last_event_at: string | null; event_count_24h: number | null; error_count_24h: number | null; ignored: { reason: string; deliveries: number; last_at: string }[]; ignoring_since: string | null; token_prefix: string; token: string | null; endpoint_url: string | null; door_url: string; instructions: { title: string; language: string; text: string }[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    trace?: never
  }
  '/api/v1/integrations/inbound/{id}/rotate-token': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** New token, shown once */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { grace_minutes?: number } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; source_type: 'alertmanager' | 'azure' | 'betterstack' | 'bugsnag' | 'checkly' | 'circleci' | 'cloudwatch' | 'cronitor' | 'datadog' | 'elastic' | 'gcp' | 'generic' | 'github' | 'gitlab' | 'grafana' | 'healthchecks' | 'jenkins' | 'newrelic' | 'pingdom' | 'rollbar' | 'sentry' | 'splunk' | 'statuscake' | 'statuspage' | 'uptimerobot' | 'zabbix'; enabled: boolean; team_id: string | null; escalation_policy_id: string | null; visibility: 'org' | 'private'; default_severity: 'critical' | 'warning' | 'info' | null; severity_map: Record<string, 'critical' | 'warning' | 'info'>; labels_add: Record<string, string>; capture: boolean; options: Record<string, unknown>; verify: Record<string, unknown>; allowed_cidrs: string[]; dedup_template: string | null; auto_resolve_minutes: number | null; disconnected_at: string | null; last_event_at: string | null; event_count_24h: number | null; error_count_24h: number | null; ignored: { reason: string; deliveries: number; last_at: string }[]; ignoring_since: string | null; token_prefix: string; token: string | null; endpoint_url: string | null; door_url: string; instructions: { title: string; language: string; text: string }[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/feed': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** In-app feed, newest first */
    get: {
      parameters: { query?: { page?: number; per_page?: number; unread?: boolean; category?: ('incident' | 'admin' | 'billing')[]; type?: ('down' | 'up' | 'mass_outage' | 'ssl_expiry' | 'incident' | 'recovered' | 'admin' | 'broadcast' | 'announcement' | 'billing' | 'limit' | 'usage' | 'plan')[]; severity?: ('critical' | 'warning' | 'info')[]; from?: string; to?: string; cursor?: string }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; user_id: string; type: 'down' | 'up' | 'mass_outage' | 'ssl_expiry' | 'incident' | 'recovered' | 'admin' | 'broadcast' | 'announcement' | 'billing' | 'limit' | 'usage' | 'plan'; title: string; body: string; severity: 'critical' | 'warning' | 'info'; incident_id: string | null; monitor_id: string | null; heartbeat_id: string | null; event_id: string | null; category: 'incident' | 'admin' | 'billing'; reactions: { emoji: string; user_id: string; created_at: string }[]; read_at: string | null; created_at: string })[]; total: number; page: number; per_page: number; total_pages: number; next_cursor: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/feed/{id}/reactions/{emoji}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    /** React to an item */
    put: {
      parameters: { query?: never; path: { id: string; emoji: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    post?: never
    /** Take a reaction back */
    delete: {
      parameters: { query?: never; path: { id: string; emoji: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/feed/unread-count': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Unread items by category */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { total: number; by_category: { incident: number; admin: number; billing: number } } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/feed/{id}/read': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Mark an item as read */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { read_at: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/feed/{id}/unread': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Mark an item as unread */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { read_at: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/feed/read-all': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Mark all items as read */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { before?: string; category?: 'incident' | 'admin' | 'billing' } } }
      responses: { 200: { content: { 'application/json': { changed: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/integrations/inbound/{id}/events': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Recent deliveries, newest first: refused ones, and others while capture is on; kept 3 days */
    get: {
      parameters: { query?: { from?: string; to?: string; time_zone?: string; cursor?: string; per_page?: number; outcome?: ('accepted' | 'ignored' | 'rejected' | 'unknown')[] }; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; integration_id: string; at: string; source: string; outcome: 'accepted' | 'ignored' | 'rejected' | 'unknown'; reason: string | null; alerts: number; bytes: number; content_type: string | null; payload_sha256: string; raw_ref: string })[]; per_page: number; next_cursor: string | null; complete_until: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 410: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/integrations/inbound/{id}/events/{event_id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** One delivery with its payload, without secrets */
    get: {
      parameters: { query?: never; path: { id: string; event_id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; integration_id: string; at: string; source: string; outcome: 'accepted' | 'ignored' | 'rejected' | 'unknown'; reason: string | null; alerts: number; bytes: number; content_type: string | null; payload_sha256: string; raw_ref: string; encoding: 'utf8' | 'base64'; payload: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/integrations/inbound/{id}/parse': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Parse a sample as the door would, without effect */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { body: string | Record<string, unknown> | unknown[]; headers?: Record<string, string> } } }
      responses: { 200: { content: { 'application/json': { alerts: ({ action: 'fire' | 'resolve' | 'ignore' | 'note' | 'update'; reason: string | null; dedup_key: string; source_dedup_key: string; title: string; description: string | null; severity: 'critical' | 'warning' | 'info'; source_severity: string | null; occurred_at: string; labels: Record<string, string>; links: { title: string; url: string }[] })[]; total: number; warnings: string[]; proof: { asked: boolean; proven: boolean | null; reason: string | null } } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/integrations/inbound/{id}/test': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Send a test alert, as if its sender had */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 202: { content: { 'application/json': { alert_id: string | null; dedup_key: string; source_dedup_key: string; action: 'fire' | 'resolve' | 'ignore'; status: 'accepted' | 'ignored'; reason: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/routing-rules': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** List routing rules in order */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; description: string; enabled: boolean; position: number; mode: 'live' | 'shadow'; match: { all: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; any: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; none: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; time_window: { time_zone: string; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string } | null; actions: { team_id?: string | null; escalation_policy_id?: string | null; channel_ids?: string[]; severity?: 'critical' | 'warning' | 'info'; priority?: 'P1' | 'P2' | 'P3' | 'P4' | 'P5'; labels_add?: Record<string, string>; is_major?: boolean; promote?: 'always' | 'never' | 'default'; suppress?: boolean; group?: { by: string[]; window_seconds: number; max_alerts: number } | null; notify_resolved?: boolean; auto_resolve_minutes?: number | null }; continue: boolean; expires_at: string | null; is_default: boolean; warnings: ({ code: 'never_matches' | 'expired' | 'shadows_all' | 'unknown_reference' | 'unreadable'; path: string | null; message: string })[] })[]; total: number; version: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Create a routing rule */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { name: string; description?: string; enabled?: boolean; mode?: 'live' | 'shadow'; match?: { all?: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; any?: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; none?: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; time_window?: { time_zone: string; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string } | null; actions?: { team_id?: string | null; escalation_policy_id?: string | null; channel_ids?: string[]; severity?: 'critical' | 'warning' | 'info'; priority?: 'P1' | 'P2' | 'P3' | 'P4' | 'P5'; labels_add?: Record<string, string>; is_major?: boolean; promote?: 'always' | 'never' | 'default'; suppress?: boolean; group?: { by: string[]; window_seconds: number; max_alerts: number } | null; notify_resolved?: boolean; auto_resolve_minutes?: number | null }; continue?: boolean; expires_at?: string | null; position?: number } } }
      responses: { 201: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; description: string; enabled: boolean; position: number; mode: 'live' | 'shadow'; match: { all: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; any: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; none: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; time_window: { time_zone: string; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string } | null; actions: { team_id?: string | null; escalation_policy_id?: string | null; channel_ids?: string[]; severity?: 'critical' | 'warning' | 'info'; priority?: 'P1' | 'P2' | 'P3' | 'P4' | 'P5'; labels_add?: Record<string, string>; is_major?: boolean; promote?: 'always' | 'never' | 'default'; suppress?: boolean; group?: { by: string[]; window_seconds: number; max_alerts: number } | null; notify_resolved?: boolean; auto_resolve_minutes?: number | null }; continue: boolean; expires_at: string | null; is_default: boolean; warnings: ({ code: 'never_matches' | 'expired' | 'shadows_all' | 'unknown_reference' | 'unreadable'; path: string | null; message: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/routing-rules/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Read a routing rule */
    get: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; description: string; enabled: boolean; position: number; mode: 'live' | 'shadow'; match: { all: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; any: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; none: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; time_window: { time_zone: string; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string } | null; actions: { team_id?: string | null; escalation_policy_id?: string | null; channel_ids?: string[]; severity?: 'critical' | 'warning' | 'info'; priority?: 'P1' | 'P2' | 'P3' | 'P4' | 'P5'; labels_add?: Record<string, string>; is_major?: boolean; promote?: 'always' | 'never' | 'default'; suppress?: boolean; group?: { by: string[]; window_seconds: number; max_alerts: number } | null; notify_resolved?: boolean; auto_resolve_minutes?: number | null }; continue: boolean; expires_at: string | null; is_default: boolean; warnings: ({ code: 'never_matches' | 'expired' | 'shadows_all' | 'unknown_reference' | 'unreadable'; path: string | null; message: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    /** Replace a routing rule */
    put: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { name: string; description?: string; enabled?: boolean; mode?: 'live' | 'shadow'; match?: { all?: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; any?: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; none?: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; time_window?: { time_zone: string; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string } | null; actions?: { team_id?: string | null; escalation_policy_id?: string | null; channel_ids?: string[]; severity?: 'critical' | 'warning' | 'info'; priority?: 'P1' | 'P2' | 'P3' | 'P4' | 'P5'; labels_add?: Record<string, string>; is_major?: boolean; promote?: 'always' | 'never' | 'default'; suppress?: boolean; group?: { by: string[]; window_seconds: number; max_alerts: number } | null; notify_resolved?: boolean; auto_resolve_minutes?: number | null }; continue?: boolean; expires_at?: string | null; position?: number } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; description: string; enabled: boolean; position: number; mode: 'live' | 'shadow'; match: { all: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; any: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; none: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; time_window: { time_zone: string; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string } | null; actions: { team_id?: string | null; escalation_policy_id?: string | null; channel_ids?: string[]; severity?: 'critical' | 'warning' | 'info'; priority?: 'P1' | 'P2' | 'P3' | 'P4' | 'P5'; labels_add?: Record<string, string>; is_major?: boolean; promote?: 'always' | 'never' | 'default'; suppress?: boolean; group?: { by: string[]; window_seconds: number; max_alerts: number } | null; notify_resolved?: boolean; auto_resolve_minutes?: number | null }; continue: boolean; expires_at: string | null; is_default: boolean; warnings: ({ code: 'never_matches' | 'expired' | 'shadows_all' | 'unknown_reference' | 'unreadable'; path: string | null; message: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    post?: never
    /** Delete a routing rule */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    /** Change a routing rule */
    patch: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { name?: string; description?: string; enabled?: boolean; mode?: 'live' | 'shadow'; match?: { all?: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; any?: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; none?: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; time_window?: { time_zone: string; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string } | null; actions?: { team_id?: string | null; escalation_policy_id?: string | null; channel_ids?: string[]; severity?: 'critical' | 'warning' | 'info'; priority?: 'P1' | 'P2' | 'P3' | 'P4' | 'P5'; labels_add?: Record<string, string>; is_major?: boolean; promote?: 'always' | 'never' | 'default'; suppress?: boolean; group?: { by: string[]; window_seconds: number; max_alerts: number } | null; notify_resolved?: boolean; auto_resolve_minutes?: number | null }; continue?: boolean; expires_at?: string | null; position?: number } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; description: string; enabled: boolean; position: number; mode: 'live' | 'shadow'; match: { all: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; any: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; none: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; time_window: { time_zone: string; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string } | null; actions: { team_id?: string | null; escalation_policy_id?: string | null; channel_ids?: string[]; severity?: 'critical' | 'warning' | 'info'; priority?: 'P1' | 'P2' | 'P3' | 'P4' | 'P5'; labels_add?: Record<string, string>; is_major?: boolean; promote?: 'always' | 'never' | 'default'; suppress?: boolean; group?: { by: string[]; window_seconds: number; max_alerts: number } | null; notify_resolved?: boolean; auto_resolve_minutes?: number | null }; continue: boolean; expires_at: string | null; is_default: boolean; warnings: ({ code: 'never_matches' | 'expired' | 'shadows_all' | 'unknown_reference' | 'unreadable'; path: string | null; message: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    trace?: never
  }
  '/api/v1/routing-rules/order': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    /** Set the order of all rules */
    put: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { ids: string[] } } }
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; description: string; enabled: boolean; position: number; mode: 'live' | 'shadow'; match: { all: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; any: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; none: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; time_window: { time_zone: string; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string } | null; actions: { team_id?: string | null; escalation_policy_id?: string | null; channel_ids?: string[]; severity?: 'critical' | 'warning' | 'info'; priority?: 'P1' | 'P2' | 'P3' | 'P4' | 'P5'; labels_add?: Record<string, string>; is_major?: boolean; promote?: 'always' | 'never' | 'default'; suppress?: boolean; group?: { by: string[]; window_seconds: number; max_alerts: number } | null; notify_resolved?: boolean; auto_resolve_minutes?: number | null }; continue: boolean; expires_at: string | null; is_default: boolean; warnings: ({ code: 'never_matches' | 'expired' | 'shadows_all' | 'unknown_reference' | 'unreadable'; path: string | null; message: string })[] })[]; total: number; version: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 428: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/routing-rules/versions': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Versions of the rule set */
    get: {
      parameters: { query?: { page?: number; per_page?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: { version: number; engine_version: number; created_at: string; created_by: string; note: string }[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/routing-rules/rollback': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Restore a version of the rule set */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { version: number } } }
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; description: string; enabled: boolean; position: number; mode: 'live' | 'shadow'; match: { all: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; any: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; none: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; time_window: { time_zone: string; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string } | null; actions: { team_id?: string | null; escalation_policy_id?: string | null; channel_ids?: string[]; severity?: 'critical' | 'warning' | 'info'; priority?: 'P1' | 'P2' | 'P3' | 'P4' | 'P5'; labels_add?: Record<string, string>; is_major?: boolean; promote?: 'always' | 'never' | 'default'; suppress?: boolean; group?: { by: string[]; window_seconds: number; max_alerts: number } | null; notify_resolved?: boolean; auto_resolve_minutes?: number | null }; continue: boolean; expires_at: string | null; is_default: boolean; warnings: ({ code: 'never_matches' | 'expired' | 'shadows_all' | 'unknown_reference' | 'unreadable'; path: string | null; message: string })[] })[]; total: number; version: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/routing-rules/test': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Try one alert, without effect */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { alert: { title: string; severity?: 'critical' | 'warning' | 'info'; description?: string | null; labels?: Record<string, string>; source_kind?: 'monitor' | 'heartbeat' | 'inbound' | 'manual'; source_type?: string | null; integration_id?: string | null; monitor_id?: string | null; heartbeat_id?: string | null; region?: string | null; affected_regions?: string[]; priority?: 'P1' | 'P2' | 'P3' | 'P4' | 'P5' | null; team_id?: string | null; visibility?: 'org' | 'private' }; at?: string; rules?: ({ id?: string; name?: string; description?: string; enabled?: boolean; mode?: 'live' | 'shadow'; match?: { all?: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; any?: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; none?: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; time_window?: { time_zone: string; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string } | null; actions?: { team_id?: string | null; escalation_policy_id?: string | null; channel_ids?: string[]; severity?: 'critical' | 'warning' | 'info'; priority?: 'P1' | 'P2' | 'P3' | 'P4' | 'P5'; labels_add?: Record<string, string>; is_major?: boolean; promote?: 'always' | 'never' | 'default'; suppress?: boolean; group?: { by: string[]; window_seconds: number; max_alerts: number } | null; notify_resolved?: boolean; auto_resolve_minutes?: number | null }; continue?: boolean; expires_at?: string | null })[] } } }
      responses: { 200: { content: { 'application/json': { routing_version: number; engine_version: number; matched: string[]; outcome: { team_id: string | null; escalation_policy_id: string | null; policy_by: 'rule' | 'signal' | 'team' | 'workspace' | null; channel_ids?: string[] | null; visibility: 'org' | 'private'; severity: 'critical' | 'warning' | 'info'; severity_by_rule: boolean; priority: string | null; labels: Record<string, string>; is_major: boolean; promote: boolean; suppressed_by: string | null; group: { rule_id: string | null; values: string[]; window_seconds: number; max_alerts: number } | null; auto_resolve_minutes: number | null; notify_resolved: boolean; delay_seconds: number }; would_notify: { target: string; channel: string; at: string }[]; trace: ({ rule_id: string; name: string; mode: 'live' | 'shadow'; outcome: 'matched' | 'not_matched' | 'skipped'; reason: 'disabled' | 'expired' | 'outside_time_window' | 'after_stop' | 'unreadable' | null; conditions: ({ group: 'all' | 'any' | 'none'; index: number; field: string; op: string; seen: string | null })[]; team_kept: boolean })[]; shadow: { matched: string[]; outcome: { team_id: string | null; escalation_policy_id: string | null; policy_by: 'rule' | 'signal' | 'team' | 'workspace' | null; channel_ids?: string[] | null; visibility: 'org' | 'private'; severity: 'critical' | 'warning' | 'info'; severity_by_rule: boolean; priority: string | null; labels: Record<string, string>; is_major: boolean; promote: boolean; suppressed_by: string | null; group: { rule_id: string | null; values: string[]; window_seconds: number; max_alerts: number } | null; auto_resolve_minutes: number | null; notify_resolved: boolean; delay_seconds: number } } } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/routing-rules/backtest': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Try rules on alerts of before, without effect */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { rules?: ({ id?: string; name?: string; description?: string; enabled?: boolean; mode?: 'live' | 'shadow'; match?: { all?: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; any?: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; none?: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; time_window?: { time_zone: string; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string } | null; actions?: { team_id?: string | null; escalation_policy_id?: string | null; channel_ids?: string[]; severity?: 'critical' | 'warning' | 'info'; priority?: 'P1' | 'P2' | 'P3' | 'P4' | 'P5'; labels_add?: Record<string, string>; is_major?: boolean; promote?: 'always' | 'never' | 'default'; suppress?: boolean; group?: { by: string[]; window_seconds: number; max_alerts: number } | null; notify_resolved?: boolean; auto_resolve_minutes?: number | null }; continue?: boolean; expires_at?: string | null })[]; mode?: 'live' | 'shadow'; from: string; to?: string } } }
      responses: { 202: { content: { 'application/json': { id: string; state: 'running' | 'done' | 'failed' | 'cancelled'; failure: string | null; mode: 'live' | 'shadow'; from: string; to: string; created_at: string; ended_at: string | null; looked_at: number; result: { routing_version: number; engine_version: number; complete: boolean; passed_over: number; changed: number; by_default: number; changes: Record<string, number>; rules: ({ rule_id: string; name: string; mode: 'live' | 'shadow'; matched: number; not_matched: number; skipped: number })[]; samples: ({ alert_id: string; incident_id: string | null; title: string; started_at: string; changes: ('team' | 'promote' | 'suppress' | 'severity' | 'group' | 'priority' | 'major' | 'labels' | 'auto_resolve' | 'notify_resolved')[]; was: { matched: string[]; outcome: { team_id: string | null; escalation_policy_id: string | null; policy_by: 'rule' | 'signal' | 'team' | 'workspace' | null; channel_ids?: string[] | null; visibility: 'org' | 'private'; severity: 'critical' | 'warning' | 'info'; severity_by_rule: boolean; priority: string | null; labels: Record<string, string>; is_major: boolean; promote: boolean; suppressed_by: string | null; group: { rule_id: string | null; values: string[]; window_seconds: number; max_alerts: number } | null; auto_resolve_minutes: number | null; notify_resolved: boolean; delay_seconds: number } }; would: { matched: string[]; outcome: { team_id: string | null; escalation_policy_id: string | null; policy_by: 'rule' | 'signal' | 'team' | 'workspace' | null; channel_ids?: string[] | null; visibility: 'org' | 'private'; severity: 'critical' | 'warning' | 'info'; severity_by_rule: boolean; priority: string | null; labels: Record<string, string>; is_major: boolean; promote: boolean; suppressed_by: string | null; group: { rule_id: string | null; values: string[]; window_seconds: number; max_alerts: number } | null; auto_resolve_minutes: number | null; notify_resolved: boolean; delay_seconds: number } } })[] } | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/routing-rules/backtests/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** How far a back-test is, and what it found */
    get: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; state: 'running' | 'done' | 'failed' | 'cancelled'; failure: string | null; mode: 'live' | 'shadow'; from: string; to: string; created_at: string; ended_at: string | null; looked_at: number; result: { routing_version: number; engine_version: number; complete: boolean; passed_over: number; changed: number; by_default: number; changes: Record<string, number>; rules: ({ rule_id: string; name: string; mode: 'live' | 'shadow'; matched: number; not_matched: number; skipped: number })[]; samples: ({ alert_id: string; incident_id: string | null; title: string; started_at: string; changes: ('team' | 'promote' | 'suppress' | 'severity' | 'group' | 'priority' | 'major' | 'labels' | 'auto_resolve' | 'notify_resolved')[]; was: { matched: string[]; outcome: { team_id: string | null; escalation_policy_id: string | null; policy_by: 'rule' | 'signal' | 'team' | 'workspace' | null; channel_ids?: string[] | null; visibility: 'org' | 'private'; severity: 'critical' | 'warning' | 'info'; severity_by_rule: boolean; priority: string | null; labels: Record<string, string>; is_major: boolean; promote: boolean; suppressed_by: string | null; group: { rule_id: string | null; values: string[]; window_seconds: number; max_alerts: number } | null; auto_resolve_minutes: number | null; notify_resolved: boolean; delay_seconds: number } }; would: { matched: string[]; outcome: { team_id: string | null; escalation_policy_id: string | null; policy_by: 'rule' | 'signal' | 'team' | 'workspace' | null; channel_ids?: string[] | null; visibility: 'org' | 'private'; severity: 'critical' | 'warning' | 'info'; severity_by_rule: boolean; priority: string | null; labels: Record<string, string>; is_major: boolean; promote: boolean; suppressed_by: string | null; group: { rule_id: string | null; values: string[]; window_seconds: number; max_alerts: number } | null; auto_resolve_minutes: number | null; notify_resolved: boolean; delay_seconds: number } } })[] } | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    /** Cancel a back-test */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/deliveries': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** The ledger of deliveries */
    get: {
      parameters: { query?: { per_page?: number; incident_id?: string; channel_id?: string; user_id?: string; event?: ('down' | 'up' | 'ssl_expiry' | 'acknowledged' | 'assigned' | 'degraded' | 'maintenance' | 'status_page' | 'digest' | 'shift_reminder' | 'handoff' | 'on_call' | 'reminder' | 'test')[]; kind?: ('slack' | 'discord' | 'telegram' | 'email' | 'pagerduty' | 'opsgenie' | 'webhook' | 'msteams' | 'googlechat' | 'ntfy' | 'gotify' | 'apprise' | 'pushbullet' | 'servicenow' | 'freshservice' | 'linear' | 'rocketchat' | 'matrix' | 'mattermost' | 'victorops' | 'jira' | 'zendesk' | 'sns' | 'pushover' | 'sms' | 'voice' | 'push' | 'slack_dm')[]; state?: ('queued' | 'sending' | 'sent' | 'delivered' | 'failed' | 'retrying' | 'suppressed' | 'expired' | 'fallback_used')[]; from?: string; to?: string; cursor?: string }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; intent_id: string; incident_id: string | null; incident_key: string | null; incident_title: string | null; event: 'down' | 'up' | 'ssl_expiry' | 'acknowledged' | 'assigned' | 'degraded' | 'maintenance' | 'status_page' | 'digest' | 'shift_reminder' | 'handoff' | 'on_call' | 'reminder' | 'test'; channel_id: string | null; user_id: string | null; kind: string; target_name: string | null; step: number | null; state: 'queued' | 'sending' | 'sent' | 'delivered' | 'failed' | 'retrying' | 'suppressed' | 'expired' | 'fallback_used'; suppressed_by: string | null; suppressed_cause: string | null; error_code: string | null; manual: boolean; attempts: ({ n: number; at: string; latency_ms: number | null; outcome: string; http_status: number | null; error: string | null; provider_message_id: string | null })[]; queued_at: string; next_attempt_at: string | null; first_sent_at: string | null; delivered_at: string | null; expires_at: string; why: Record<string, unknown> })[]; next_cursor: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/deliveries/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Read a delivery with what was sent */
    get: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; intent_id: string; incident_id: string | null; incident_key: string | null; incident_title: string | null; event: 'down' | 'up' | 'ssl_expiry' | 'acknowledged' | 'assigned' | 'degraded' | 'maintenance' | 'status_page' | 'digest' | 'shift_reminder' | 'handoff' | 'on_call' | 'reminder' | 'test'; channel_id: string | null; user_id: string | null; kind: string; target_name: string | null; step: number | null; state: 'queued' | 'sending' | 'sent' | 'delivered' | 'failed' | 'retrying' | 'suppressed' | 'expired' | 'fallback_used'; suppressed_by: string | null; suppressed_cause: string | null; error_code: string | null; manual: boolean; attempts: ({ n: number; at: string; latency_ms: number | null; outcome: string; http_status: number | null; error: string | null; provider_message_id: string | null })[]; queued_at: string; next_attempt_at: string | null; first_sent_at: string | null; delivered_at: string | null; expires_at: string; why: Record<string, unknown>; request: { method: string; url: string; headers: Record<string, string>; body: string | null } | null; reply: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/deliveries/{id}/redeliver': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Send a delivery again */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { force?: boolean } } }
      responses: { 202: { content: { 'application/json': { id: string; tenant_id: string; intent_id: string; incident_id: string | null; incident_key: string | null; incident_title: string | null; event: 'down' | 'up' | 'ssl_expiry' | 'acknowledged' | 'assigned' | 'degraded' | 'maintenance' | 'status_page' | 'digest' | 'shift_reminder' | 'handoff' | 'on_call' | 'reminder' | 'test'; channel_id: string | null; user_id: string | null; kind: string; target_name: string | null; step: number | null; state: 'queued' | 'sending' | 'sent' | 'delivered' | 'failed' | 'retrying' | 'suppressed' | 'expired' | 'fallback_used'; suppressed_by: string | null; suppressed_cause: string | null; error_code: string | null; manual: boolean; attempts: ({ n: number; at: string; latency_ms: number | null; outcome: string; http_status: number | null; error: string | null; provider_message_id: string | null })[]; queued_at: string; next_attempt_at: string | null; first_sent_at: string | null; delivered_at: string | null; expires_at: string; why: Record<string, unknown>; request: { method: string; url: string; headers: Record<string, string>; body: string | null } | null; reply: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/channels/{id}/test': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Send a test by a channel */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { event?: 'test' } } }
      responses: { 200: { content: { 'application/json': { ok: boolean; delivery_id: string; latency_ms: number; http_status: number | null; error: string | null; reply: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/methods/{id}/test': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Send a test to oneself */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { event?: 'test' } } }
      responses: { 200: { content: { 'application/json': { ok: boolean; delivery_id: string; latency_ms: number; http_status: number | null; error: string | null; reply: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/silences': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** List silences by a pattern */
    get: {
      parameters: { query?: { page?: number; per_page?: number; state?: ('pending' | 'active' | 'expired')[] }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; created_at: string; updated_at: string; version: number; matchers: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; comment: string; starts_at: string; ends_at: string; expired_at: string | null; state: 'pending' | 'active' | 'expired'; scope: 'notifications'; created_by: string; warnings: ({ code: 'never_matches' | 'expired' | 'shadows_all' | 'unknown_reference' | 'unreadable'; path: string | null; message: string })[] })[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Create a silence by a pattern, or see what it would match */
    post: {
      parameters: { query?: { preview?: boolean }; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { matchers: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; comment: string; starts_at?: string; ends_at: string } } }
      responses: { 200: { content: { 'application/json': { alerts: ({ id: string; tenant_id: string; created_at: string; updated_at: string; version: number; incident_id: string | null; status: 'ongoing' | 'resolved'; dashboard_state: 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'; severity: 'critical' | 'warning' | 'info'; title: string; description: string | null; source: { kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'; type: string | null; id: string | null; integration_id: string | null }; dedup_key: string; monitor_id: string | null; heartbeat_id: string | null; region: string | null; affected_regions: string[]; is_major: boolean; visibility: 'org' | 'private'; team_id: string | null; escalation_policy_id: string | null; routing_version: number; matched_rule_ids: string[]; suppressed_by: { kind: 'pause' | 'maintenance' | 'silence' | 'rule'; id: string } | null; acknowledged_at: string | null; acknowledged_by: string | null; resolved_at: string | null; resolved_by: string | null; resolution: { reason: string } | null; manually_closed_at: string | null; manually_closed_by: string | null; promoted_at: string | null; priority: string | null; labels: Record<string, string>; links: { title: string; url: string }[]; reopened_from: string | null; started_at: string; detected_at: string; opened_at: string })[]; total: number; complete: boolean; warnings: ({ code: 'never_matches' | 'expired' | 'shadows_all' | 'unknown_reference' | 'unreadable'; path: string | null; message: string })[] } } }; 201: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; matchers: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; comment: string; starts_at: string; ends_at: string; expired_at: string | null; state: 'pending' | 'active' | 'expired'; scope: 'notifications'; created_by: string; warnings: ({ code: 'never_matches' | 'expired' | 'shadows_all' | 'unknown_reference' | 'unreadable'; path: string | null; message: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/silences/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Read a silence */
    get: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; matchers: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; comment: string; starts_at: string; ends_at: string; expired_at: string | null; state: 'pending' | 'active' | 'expired'; scope: 'notifications'; created_by: string; warnings: ({ code: 'never_matches' | 'expired' | 'shadows_all' | 'unknown_reference' | 'unreadable'; path: string | null; message: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    /** End a silence now */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    /** Change a silence */
    patch: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { matchers?: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; comment?: string; starts_at?: string; ends_at?: string } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; matchers: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[]; comment: string; starts_at: string; ends_at: string; expired_at: string | null; state: 'pending' | 'active' | 'expired'; scope: 'notifications'; created_by: string; warnings: ({ code: 'never_matches' | 'expired' | 'shadows_all' | 'unknown_reference' | 'unreadable'; path: string | null; message: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    trace?: never
  }
  '/api/v1/maintenance-windows': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** List maintenance windows */
    get: {
      parameters: { query?: { page?: number; per_page?: number; state?: ('scheduled' | 'active' | 'ended' | 'cancelled')[]; monitor_id?: string; from?: string; to?: string }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; created_at: string; updated_at: string; version: number; origin: 'planned' | 'deployment'; name: string; reason: string | null; scope: { all: boolean; monitor_ids: string[]; heartbeat_ids: string[]; integration_ids: string[]; tags: string[]; matchers: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; effect: 'suppress_notifications' | 'suppress_incidents' | 'pause_checks'; schedule: { kind: 'once' | 'recurring'; starts_at: string | null; ends_at: string | null; rrule: string | null; time_zone: string | null; starts_on: string | null; at: string | null; duration_minutes: number | null; until: string | null; exdates: string[] }; settle_seconds: number; count_in_uptime: boolean; state: 'scheduled' | 'active' | 'ended' | 'cancelled'; starts_at: string | null; ends_at: string | null; next_occurrences: { starts_at: string; ends_at: string }[]; in_range?: { starts_at: string; ends_at: string }[]; created_by: string })[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Create a maintenance window, or see when it would be and what it covers */
    post: {
      parameters: { query?: { preview?: boolean }; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { name: string; reason?: string | null; scope: { all?: boolean; monitor_ids?: string[]; heartbeat_ids?: string[]; integration_ids?: string[]; tags?: string[]; matchers?: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; effect?: 'suppress_notifications' | 'suppress_incidents' | 'pause_checks'; schedule: { kind: 'once' | 'recurring'; starts_at?: string | null; ends_at?: string | null; rrule?: string | null; time_zone?: string | null; starts_on?: string | null; at?: string | null; duration_minutes?: number | null; until?: string | null; exdates?: string[] }; settle_seconds?: number; count_in_uptime?: boolean } } }
      responses: { 200: { content: { 'application/json': { next_occurrences: { starts_at: string; ends_at: string }[]; matched: { monitors: number; heartbeats: number } } } }; 201: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; origin: 'planned' | 'deployment'; name: string; reason: string | null; scope: { all: boolean; monitor_ids: string[]; heartbeat_ids: string[]; integration_ids: string[]; tags: string[]; matchers: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; effect: 'suppress_notifications' | 'suppress_incidents' | 'pause_checks'; schedule: { kind: 'once' | 'recurring'; starts_at: string | null; ends_at: string | null; rrule: string | null; time_zone: string | null; starts_on: string | null; at: string | null; duration_minutes: number | null; until: string | null; exdates: string[] }; settle_seconds: number; count_in_uptime: boolean; state: 'scheduled' | 'active' | 'ended' | 'cancelled'; starts_at: string | null; ends_at: string | null; next_occurrences: { starts_at: string; ends_at: string }[]; in_range?: { starts_at: string; ends_at: string }[]; created_by: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/maintenance-windows/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Read a window */
    get: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; origin: 'planned' | 'deployment'; name: string; reason: string | null; scope: { all: boolean; monitor_ids: string[]; heartbeat_ids: string[]; integration_ids: string[]; tags: string[]; matchers: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; effect: 'suppress_notifications' | 'suppress_incidents' | 'pause_checks'; schedule: { kind: 'once' | 'recurring'; starts_at: string | null; ends_at: string | null; rrule: string | null; time_zone: string | null; starts_on: string | null; at: string | null; duration_minutes: number | null; until: string | null; exdates: string[] }; settle_seconds: number; count_in_uptime: boolean; state: 'scheduled' | 'active' | 'ended' | 'cancelled'; starts_at: string | null; ends_at: string | null; next_occurrences: { starts_at: string; ends_at: string }[]; in_range?: { starts_at: string; ends_at: string }[]; created_by: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    /** Replace a window */
    put: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { name: string; reason?: string | null; scope: { all?: boolean; monitor_ids?: string[]; heartbeat_ids?: string[]; integration_ids?: string[]; tags?: string[]; matchers?: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; effect?: 'suppress_notifications' | 'suppress_incidents' | 'pause_checks'; schedule: { kind: 'once' | 'recurring'; starts_at?: string | null; ends_at?: string | null; rrule?: string | null; time_zone?: string | null; starts_on?: string | null; at?: string | null; duration_minutes?: number | null; until?: string | null; exdates?: string[] }; settle_seconds?: number; count_in_uptime?: boolean } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; origin: 'planned' | 'deployment'; name: string; reason: string | null; scope: { all: boolean; monitor_ids: string[]; heartbeat_ids: string[]; integration_ids: string[]; tags: string[]; matchers: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; effect: 'suppress_notifications' | 'suppress_incidents' | 'pause_checks'; schedule: { kind: 'once' | 'recurring'; starts_at: string | null; ends_at: string | null; rrule: string | null; time_zone: string | null; starts_on: string | null; at: string | null; duration_minutes: number | null; until: string | null; exdates: string[] }; settle_seconds: number; count_in_uptime: boolean; state: 'scheduled' | 'active' | 'ended' | 'cancelled'; starts_at: string | null; ends_at: string | null; next_occurrences: { starts_at: string; ends_at: string }[]; in_range?: { starts_at: string; ends_at: string }[]; created_by: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    post?: never
    /** Delete a window */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    /** Change a window */
    patch: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { name?: string; reason?: string | null; scope?: { all?: boolean; monitor_ids?: string[]; heartbeat_ids?: string[]; integration_ids?: string[]; tags?: string[]; matchers?: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; effect?: 'suppress_notifications' | 'suppress_incidents' | 'pause_checks'; schedule?: { kind: 'once' | 'recurring'; starts_at?: string | null; ends_at?: string | null; rrule?: string | null; time_zone?: string | null; starts_on?: string | null; at?: string | null; duration_minutes?: number | null; until?: string | null; exdates?: string[] }; settle_seconds?: number; count_in_uptime?: boolean } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; origin: 'planned' | 'deployment'; name: string; reason: string | null; scope: { all: boolean; monitor_ids: string[]; heartbeat_ids: string[]; integration_ids: string[]; tags: string[]; matchers: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; effect: 'suppress_notifications' | 'suppress_incidents' | 'pause_checks'; schedule: { kind: 'once' | 'recurring'; starts_at: string | null; ends_at: string | null; rrule: string | null; time_zone: string | null; starts_on: string | null; at: string | null; duration_minutes: number | null; until: string | null; exdates: string[] }; settle_seconds: number; count_in_uptime: boolean; state: 'scheduled' | 'active' | 'ended' | 'cancelled'; starts_at: string | null; ends_at: string | null; next_occurrences: { starts_at: string; ends_at: string }[]; in_range?: { starts_at: string; ends_at: string }[]; created_by: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    trace?: never
  }
  '/api/v1/maintenance-windows/{id}/end-now': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** End a running window */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; origin: 'planned' | 'deployment'; name: string; reason: string | null; scope: { all: boolean; monitor_ids: string[]; heartbeat_ids: string[]; integration_ids: string[]; tags: string[]; matchers: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; effect: 'suppress_notifications' | 'suppress_incidents' | 'pause_checks'; schedule: { kind: 'once' | 'recurring'; starts_at: string | null; ends_at: string | null; rrule: string | null; time_zone: string | null; starts_on: string | null; at: string | null; duration_minutes: number | null; until: string | null; exdates: string[] }; settle_seconds: number; count_in_uptime: boolean; state: 'scheduled' | 'active' | 'ended' | 'cancelled'; starts_at: string | null; ends_at: string | null; next_occurrences: { starts_at: string; ends_at: string }[]; in_range?: { starts_at: string; ends_at: string }[]; created_by: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/deployments/maintenance': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** List deployment windows */
    get: {
      parameters: { query?: { page?: number; per_page?: number; state?: ('scheduled' | 'active' | 'ended' | 'cancelled')[]; service?: string; environment?: string }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; scope: { all: boolean; monitor_ids: string[]; heartbeat_ids: string[]; integration_ids: string[]; tags: string[]; matchers: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; effect: 'suppress_notifications' | 'suppress_incidents' | 'pause_checks'; settle_seconds: number; state: 'scheduled' | 'active' | 'ended' | 'cancelled'; starts_at: string; ends_at: string; environment: string | null; service: string | null; deployed_version: string | null; git: { repo: string | null; ref: string | null; sha: string | null; author: string | null }; run_url: string | null; on_expire: 'end' | 'alert'; extended: boolean; outcome: 'succeeded' | 'failed' | 'rolled_back' | 'cancelled' | null; note: string | null; created_by: string })[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Start a bounded deployment window, with a token that ends it */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { name: string; duration_minutes?: number; scope: { all?: boolean; monitor_ids?: string[]; heartbeat_ids?: string[]; integration_ids?: string[]; tags?: string[]; matchers?: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; confirm_all?: boolean; effect?: 'suppress_notifications' | 'suppress_incidents' | 'pause_checks'; settle_seconds?: number; environment?: string | null; service?: string | null; version?: string | null; git?: { repo?: string; ref?: string; sha?: string; author?: string }; run_url?: string | null; on_expire?: 'end' | 'alert' } } }
      responses: { 201: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; scope: { all: boolean; monitor_ids: string[]; heartbeat_ids: string[]; integration_ids: string[]; tags: string[]; matchers: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; effect: 'suppress_notifications' | 'suppress_incidents' | 'pause_checks'; settle_seconds: number; state: 'scheduled' | 'active' | 'ended' | 'cancelled'; starts_at: string; ends_at: string; environment: string | null; service: string | null; deployed_version: string | null; git: { repo: string | null; ref: string | null; sha: string | null; author: string | null }; run_url: string | null; on_expire: 'end' | 'alert'; extended: boolean; outcome: 'succeeded' | 'failed' | 'rolled_back' | 'cancelled' | null; note: string | null; created_by: string; end_token: string; end_url: string; matched: { monitors: number; heartbeats: number } } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/deployments/maintenance/end': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** End a deployment window with its token */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { end_token?: string; outcome?: 'succeeded' | 'failed' | 'rolled_back' | 'cancelled'; note?: string } } }
      responses: { 200: { content: { 'application/json': { id: string; ended_at: string; duration_seconds: number; failing_now: ({ kind: 'monitor' | 'heartbeat'; id: string; name: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 410: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/deployments/maintenance/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Read a deployment window */
    get: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; scope: { all: boolean; monitor_ids: string[]; heartbeat_ids: string[]; integration_ids: string[]; tags: string[]; matchers: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; effect: 'suppress_notifications' | 'suppress_incidents' | 'pause_checks'; settle_seconds: number; state: 'scheduled' | 'active' | 'ended' | 'cancelled'; starts_at: string; ends_at: string; environment: string | null; service: string | null; deployed_version: string | null; git: { repo: string | null; ref: string | null; sha: string | null; author: string | null }; run_url: string | null; on_expire: 'end' | 'alert'; extended: boolean; outcome: 'succeeded' | 'failed' | 'rolled_back' | 'cancelled' | null; note: string | null; created_by: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/deployments/maintenance/{id}/extend': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Extend a deployment window, once */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { minutes: number } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; scope: { all: boolean; monitor_ids: string[]; heartbeat_ids: string[]; integration_ids: string[]; tags: string[]; matchers: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; effect: 'suppress_notifications' | 'suppress_incidents' | 'pause_checks'; settle_seconds: number; state: 'scheduled' | 'active' | 'ended' | 'cancelled'; starts_at: string; ends_at: string; environment: string | null; service: string | null; deployed_version: string | null; git: { repo: string | null; ref: string | null; sha: string | null; author: string | null }; run_url: string | null; on_expire: 'end' | 'alert'; extended: boolean; outcome: 'succeeded' | 'failed' | 'rolled_back' | 'cancelled' | null; note: string | null; created_by: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/deployments/maintenance/{id}/cancel': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Cancel a deployment window */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { note?: string } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; scope: { all: boolean; monitor_ids: string[]; heartbeat_ids: string[]; integration_ids: string[]; tags: string[]; matchers: ({ field: string; op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'contains' | 'not_contains' | 'matches' | 'not_matches' | 'exists' | 'not_exists' | 'empty' | 'not_empty' | 'len_eq' | 'len_gt' | 'len_lt' | 'in_window'; value?: string | number | (string | number)[] | { time_zone?: string; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from?: string; to?: string } })[] }; effect: 'suppress_notifications' | 'suppress_incidents' | 'pause_checks'; settle_seconds: number; state: 'scheduled' | 'active' | 'ended' | 'cancelled'; starts_at: string; ends_at: string; environment: string | null; service: string | null; deployed_version: string | null; git: { repo: string | null; ref: string | null; sha: string | null; author: string | null }; run_url: string | null; on_expire: 'end' | 'alert'; extended: boolean; outcome: 'succeeded' | 'failed' | 'rolled_back' | 'cancelled' | null; note: string | null; created_by: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/on-call/schedules': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** List schedules */
    get: {
      parameters: { query?: { page?: number; per_page?: number; q?: string; team_id?: string; user_id?: string }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; description: string; team_id: string | null; labels: Record<string, string>; time_zone: string; layers: ({ name: string; time_zone: string | null; participants: (string | string[] | null)[]; rotation: 'daily' | 'weekly' | 'monthly' | 'hours'; every: number; handoff_time: string; handoff_day: 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun' | number | null; starts_on: string; ends_on: string | null; start_index: number; restrictions: ({ days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string; to_day: 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun' | null })[]; shift_hours: number | null })[]; fallback: { kind: 'user' | 'schedule' | 'policy_default' | 'none'; id: string | null }; notices: ({ channel_id: string; when: 'on_change' | 'daily' | 'weekly'; at: string | null; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[] })[]; min_participants: number; ical_overrides_url: string | null; ical_overrides: { read_at: string | null; error: string | null; events: number; unmatched: string[] } | null; effective_at: string | null; definition_version: number; tzdb_version: string; current: { id: string; user_ids: string[]; starts_at: string; ends_at: string; local_start: string; local_end: string; origin: 'layer' | 'override' | 'swap' | 'fallback' | 'gap'; layer: string | null; override_id: string | null; gap: boolean } | null })[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Create a schedule, or see the shifts that it would give */
    post: {
      parameters: { query?: { preview?: boolean }; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { name: string; description?: string; team_id?: string | null; labels?: Record<string, string>; time_zone: string; layers: ({ name: string; time_zone?: string | null; participants: (string | string[] | null)[]; rotation: 'daily' | 'weekly' | 'monthly' | 'hours'; every?: number; handoff_time: string; handoff_day?: 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun' | number | null; starts_on: string; ends_on?: string | null; start_index?: number; restrictions?: ({ days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string; to_day?: 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun' | null })[]; shift_hours?: number | null })[]; fallback?: { kind: 'user' | 'schedule' | 'policy_default' | 'none'; id?: string | null }; notices?: ({ channel_id: string; when: 'on_change' | 'daily' | 'weekly'; at?: string | null; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[] })[]; ical_overrides_url?: string | null; min_participants?: number } } }
      responses: { 200: { content: { 'application/json': { shifts: ({ id: string; user_ids: string[]; starts_at: string; ends_at: string; local_start: string; local_end: string; origin: 'layer' | 'override' | 'swap' | 'fallback' | 'gap'; layer: string | null; override_id: string | null; gap: boolean })[]; warnings: ({ code: 'only_gaps' | 'gaps' | 'cannot_act' | 'not_in_team' | 'idle_override'; path: string | null; message: string })[] } } }; 201: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; description: string; team_id: string | null; labels: Record<string, string>; time_zone: string; layers: ({ name: string; time_zone: string | null; participants: (string | string[] | null)[]; rotation: 'daily' | 'weekly' | 'monthly' | 'hours'; every: number; handoff_time: string; handoff_day: 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun' | number | null; starts_on: string; ends_on: string | null; start_index: number; restrictions: ({ days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string; to_day: 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun' | null })[]; shift_hours: number | null })[]; fallback: { kind: 'user' | 'schedule' | 'policy_default' | 'none'; id: string | null }; notices: ({ channel_id: string; when: 'on_change' | 'daily' | 'weekly'; at: string | null; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[] })[]; min_participants: number; ical_overrides_url: string | null; ical_overrides: { read_at: string | null; error: string | null; events: number; unmatched: string[] } | null; effective_at: string | null; definition_version: number; tzdb_version: string; current: { id: string; user_ids: string[]; starts_at: string; ends_at: string; local_start: string; local_end: string; origin: 'layer' | 'override' | 'swap' | 'fallback' | 'gap'; layer: string | null; override_id: string | null; gap: boolean } | null; next_shifts: ({ id: string; user_ids: string[]; starts_at: string; ends_at: string; local_start: string; local_end: string; origin: 'layer' | 'override' | 'swap' | 'fallback' | 'gap'; layer: string | null; override_id: string | null; gap: boolean })[]; warnings: ({ code: 'only_gaps' | 'gaps' | 'cannot_act' | 'not_in_team' | 'idle_override'; path: string | null; message: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/on-call/schedules/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Read a schedule */
    get: {
      parameters: { query?: { as_of?: string }; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; description: string; team_id: string | null; labels: Record<string, string>; time_zone: string; layers: ({ name: string; time_zone: string | null; participants: (string | string[] | null)[]; rotation: 'daily' | 'weekly' | 'monthly' | 'hours'; every: number; handoff_time: string; handoff_day: 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun' | number | null; starts_on: string; ends_on: string | null; start_index: number; restrictions: ({ days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string; to_day: 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun' | null })[]; shift_hours: number | null })[]; fallback: { kind: 'user' | 'schedule' | 'policy_default' | 'none'; id: string | null }; notices: ({ channel_id: string; when: 'on_change' | 'daily' | 'weekly'; at: string | null; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[] })[]; min_participants: number; ical_overrides_url: string | null; ical_overrides: { read_at: string | null; error: string | null; events: number; unmatched: string[] } | null; effective_at: string | null; definition_version: number; tzdb_version: string; current: { id: string; user_ids: string[]; starts_at: string; ends_at: string; local_start: string; local_end: string; origin: 'layer' | 'override' | 'swap' | 'fallback' | 'gap'; layer: string | null; override_id: string | null; gap: boolean } | null; next_shifts: ({ id: string; user_ids: string[]; starts_at: string; ends_at: string; local_start: string; local_end: string; origin: 'layer' | 'override' | 'swap' | 'fallback' | 'gap'; layer: string | null; override_id: string | null; gap: boolean })[]; warnings: ({ code: 'only_gaps' | 'gaps' | 'cannot_act' | 'not_in_team' | 'idle_override'; path: string | null; message: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    /** Replace a schedule from an instant on */
    put: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { name: string; description?: string; team_id?: string | null; labels?: Record<string, string>; time_zone: string; layers: ({ name: string; time_zone?: string | null; participants: (string | string[] | null)[]; rotation: 'daily' | 'weekly' | 'monthly' | 'hours'; every?: number; handoff_time: string; handoff_day?: 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun' | number | null; starts_on: string; ends_on?: string | null; start_index?: number; restrictions?: ({ days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string; to_day?: 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun' | null })[]; shift_hours?: number | null })[]; fallback?: { kind: 'user' | 'schedule' | 'policy_default' | 'none'; id?: string | null }; notices?: ({ channel_id: string; when: 'on_change' | 'daily' | 'weekly'; at?: string | null; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[] })[]; ical_overrides_url?: string | null; min_participants?: number; effective_at?: string | null } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; description: string; team_id: string | null; labels: Record<string, string>; time_zone: string; layers: ({ name: string; time_zone: string | null; participants: (string | string[] | null)[]; rotation: 'daily' | 'weekly' | 'monthly' | 'hours'; every: number; handoff_time: string; handoff_day: 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun' | number | null; starts_on: string; ends_on: string | null; start_index: number; restrictions: ({ days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string; to_day: 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun' | null })[]; shift_hours: number | null })[]; fallback: { kind: 'user' | 'schedule' | 'policy_default' | 'none'; id: string | null }; notices: ({ channel_id: string; when: 'on_change' | 'daily' | 'weekly'; at: string | null; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[] })[]; min_participants: number; ical_overrides_url: string | null; ical_overrides: { read_at: string | null; error: string | null; events: number; unmatched: string[] } | null; effective_at: string | null; definition_version: number; tzdb_version: string; current: { id: string; user_ids: string[]; starts_at: string; ends_at: string; local_start: string; local_end: string; origin: 'layer' | 'override' | 'swap' | 'fallback' | 'gap'; layer: string | null; override_id: string | null; gap: boolean } | null; next_shifts: ({ id: string; user_ids: string[]; starts_at: string; ends_at: string; local_start: string; local_end: string; origin: 'layer' | 'override' | 'swap' | 'fallback' | 'gap'; layer: string | null; override_id: string | null; gap: boolean })[]; warnings: ({ code: 'only_gaps' | 'gaps' | 'cannot_act' | 'not_in_team' | 'idle_override'; path: string | null; message: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    post?: never
    /** Delete a schedule */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    /** Change a schedule from an instant on */
    patch: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { name?: string; description?: string; team_id?: string | null; labels?: Record<string, string>; time_zone?: string; layers?: ({ name: string; time_zone?: string | null; participants: (string | string[] | null)[]; rotation: 'daily' | 'weekly' | 'monthly' | 'hours'; every?: number; handoff_time: string; handoff_day?: 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun' | number | null; starts_on: string; ends_on?: string | null; start_index?: number; restrictions?: ({ days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string; to_day?: 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun' | null })[]; shift_hours?: number | null })[]; fallback?: { kind: 'user' | 'schedule' | 'policy_default' | 'none'; id?: string | null }; notices?: ({ channel_id: string; when: 'on_change' | 'daily' | 'weekly'; at?: string | null; days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[] })[]; ical_overrides_url?: string | null; min_participants?: number; effective_at?: string | null } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; description: string; team_id: string | null; labels: Record<string, string>; time_zone: string; layers: ({ name: string; time_zone: string | null; participants: (string | string[] | null)[]; rotation: 'daily' | 'weekly' | 'monthly' | 'hours'; every: number; handoff_time: string; handoff_day: 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun' | number | null; starts_on: string; ends_on: string | null; start_index: number; restrictions: ({ days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string; to_day: 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun' | null })[]; shift_hours: number | null })[]; fallback: { kind: 'user' | 'schedule' | 'policy_default' | 'none'; id: string | null }; notices: ({ channel_id: string; when: 'on_change' | 'daily' | 'weekly'; at: string | null; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[] })[]; min_participants: number; ical_overrides_url: string | null; ical_overrides: { read_at: string | null; error: string | null; events: number; unmatched: string[] } | null; effective_at: string | null; definition_version: number; tzdb_version: string; current: { id: string; user_ids: string[]; starts_at: string; ends_at: string; local_start: string; local_end: string; origin: 'layer' | 'override' | 'swap' | 'fallback' | 'gap'; layer: string | null; override_id: string | null; gap: boolean } | null; next_shifts: ({ id: string; user_ids: string[]; starts_at: string; ends_at: string; local_start: string; local_end: string; origin: 'layer' | 'override' | 'swap' | 'fallback' | 'gap'; layer: string | null; override_id: string | null; gap: boolean })[]; warnings: ({ code: 'only_gaps' | 'gaps' | 'cannot_act' | 'not_in_team' | 'idle_override'; path: string | null; message: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    trace?: never
  }
  '/api/v1/on-call/schedules/{id}/shifts': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Final shifts of a schedule, as JSON, CSV or iCalendar */
    get: {
      parameters: { query?: { from?: string; to?: string; user_id?: string; layer?: 'final' | 'all'; format?: 'json' | 'csv' | 'ics' }; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; user_ids: string[]; starts_at: string; ends_at: string; local_start: string; local_end: string; origin: 'layer' | 'override' | 'swap' | 'fallback' | 'gap'; layer: string | null; override_id: string | null; gap: boolean })[]; layers: ({ name: string; items: ({ id: string; user_ids: string[]; starts_at: string; ends_at: string; local_start: string; local_end: string; origin: 'layer' | 'override' | 'swap' | 'fallback' | 'gap'; layer: string | null; override_id: string | null; gap: boolean })[] })[] }; 'text/csv': string; 'text/calendar': string } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/on-call/schedules/{id}/versions': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Versions of a schedule, newest first */
    get: {
      parameters: { query?: { page?: number; per_page?: number }; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ version: number; state: 'past' | 'current' | 'planned' | 'never'; effective_at: string | null; counts_until: string | null; changed: ('time_zone' | 'layers' | 'fallback' | 'notices' | 'min_participants')[]; layers: { added: string[]; removed: string[]; changed: string[] }; created_by: string; created_at: string })[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/on-call/overrides': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** List overrides */
    get: {
      parameters: { query?: { page?: number; per_page?: number; schedule_id?: string; user_id?: string; from?: string; to?: string; sort?: 'starts_at' | '-starts_at' }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; schedule_id: string; user_id: string | null; starts_at: string; ends_at: string; replaces_user_id: string | null; layer: string | null; reason: string; swap_id: string | null; created_by: string; created_at: string })[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Create an override; responders for themselves */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { schedule_id: string; user_id: string | null; starts_at: string; ends_at: string; time_zone?: string; replaces_user_id?: string | null; layer?: string | null; reason?: string } } }
      responses: { 201: { content: { 'application/json': { id: string; tenant_id: string; schedule_id: string; user_id: string | null; starts_at: string; ends_at: string; replaces_user_id: string | null; layer: string | null; reason: string; swap_id: string | null; created_by: string; created_at: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/on-call/overrides/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    /** Delete an override, or end one that has begun */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/on-call/swaps': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** List swaps */
    get: {
      parameters: { query?: { page?: number; per_page?: number; schedule_id?: string; state?: 'open' | 'taken' | 'withdrawn' | 'expired' }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; created_at: string; updated_at: string; version: number; schedule_id: string; user_id: string; starts_at: string; ends_at: string; note: string; state: 'open' | 'taken' | 'withdrawn' | 'expired'; taken_by: string | null; taken_at: string | null })[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Ask others to take your shifts */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { schedule_id: string; starts_at: string; ends_at: string; note?: string } } }
      responses: { 201: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; schedule_id: string; user_id: string; starts_at: string; ends_at: string; note: string; state: 'open' | 'taken' | 'withdrawn' | 'expired'; taken_by: string | null; taken_at: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/on-call/swaps/{id}/take': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Take the shifts of a swap */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; schedule_id: string; user_id: string; starts_at: string; ends_at: string; note: string; state: 'open' | 'taken' | 'withdrawn' | 'expired'; taken_by: string | null; taken_at: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/on-call/swaps/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    /** Withdraw a swap */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/on-call/ical-links': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** List your calendar feeds, without their addresses */
    get: {
      parameters: { query?: { page?: number; per_page?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; schedule_id: string | null; created_at: string })[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Create a calendar feed; its address is shown once */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { schedule_id?: string | null } } }
      responses: { 201: { content: { 'application/json': { id: string; schedule_id: string | null; url: string; created_at: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/on-call/ical-links/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    /** Revoke a calendar feed */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/on-call/ical/{secret}.ics': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** A calendar feed */
    get: {
      parameters: { query?: never; path: { secret: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'text/calendar': string } }; 400: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/on-call/now': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Who is on call, now or at another instant */
    get: {
      parameters: { query?: { schedule_id?: string; team_id?: string; at?: string; as_of?: string }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { at: string; items: ({ schedule_id: string; name: string; team_id: string | null; users: { id: string; name: string; reachable: boolean; methods: string[] }[]; origin: 'layer' | 'override' | 'swap' | 'fallback' | 'gap'; layer: string | null; fallback: { kind: 'user' | 'schedule' | 'policy_default' | 'none'; id: string | null } | null; until: string | null; next: { users: { id: string; name: string }[]; from: string } | null; policies: { policy_id: string; name: string; level: number }[]; schedule_version: number; tzdb: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/on-call/coverage': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Where nobody is on call, and where too few are */
    get: {
      parameters: { query?: { from?: string; to?: string; schedule_id?: string }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { gaps: ({ schedule_id: string; starts_at: string; ends_at: string; fallback: { kind: 'user' | 'schedule' | 'policy_default' | 'none'; id: string | null } })[]; single_points: { schedule_id: string; user_id: string }[]; unreachable: ({ schedule_id: string; user_id: string; reason: 'no_method' | 'unverified' | 'not_visible' | 'disabled' })[]; warnings: { schedule_id: string; starts_at: string; ends_at: string; code: 'too_few'; people: number }[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/channels': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** List notification channels */
    get: {
      parameters: { query?: { page?: number; per_page?: number; kind?: ('slack' | 'discord' | 'telegram' | 'email' | 'pagerduty' | 'opsgenie' | 'webhook' | 'msteams' | 'googlechat' | 'ntfy' | 'gotify' | 'apprise' | 'pushbullet' | 'servicenow' | 'freshservice' | 'linear' | 'rocketchat' | 'matrix' | 'mattermost' | 'victorops' | 'jira' | 'zendesk' | 'sns' | 'pushover' | 'sms' | 'voice')[]; enabled?: boolean; health?: ('ok' | 'failing' | 'disabled')[]; q?: string }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; kind: 'slack' | 'discord' | 'telegram' | 'email' | 'pagerduty' | 'opsgenie' | 'webhook' | 'msteams' | 'googlechat' | 'ntfy' | 'gotify' | 'apprise' | 'pushbullet' | 'servicenow' | 'freshservice' | 'linear' | 'rocketchat' | 'matrix' | 'mattermost' | 'victorops' | 'jira' | 'zendesk' | 'sns' | 'pushover' | 'sms' | 'voice'; enabled: boolean; team_id: string | null; is_default: boolean; verified_at: string | null; needs_verification: boolean; target: string; config: Record<string, unknown>; events: ('down' | 'up' | 'ssl_expiry' | 'acknowledged' | 'assigned' | 'degraded' | 'maintenance' | 'status_page')[]; min_severity: 'critical' | 'warning' | 'info'; template_overrides: { down?: { title: string | null; body: string | null }; up?: { title: string | null; body: string | null }; ssl_expiry?: { title: string | null; body: string | null }; acknowledged?: { title: string | null; body: string | null }; assigned?: { title: string | null; body: string | null }; degraded?: { title: string | null; body: string | null }; maintenance?: { title: string | null; body: string | null }; status_page?: { title: string | null; body: string | null } }; allowed_team_ids: string[]; health: { state: 'ok' | 'failing' | 'disabled'; disabled_reason: string | null; last_ok_at: string | null; last_error: string | null; consecutive_failures: number; quota_exhausted_until: string | null }; created_by: string })[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Create a notification channel */
    post: {
      parameters: { query?: { verify?: boolean }; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { name: string; config: Record<string, unknown>; kind: 'slack' | 'discord' | 'telegram' | 'email' | 'pagerduty' | 'opsgenie' | 'webhook' | 'msteams' | 'googlechat' | 'ntfy' | 'gotify' | 'apprise' | 'pushbullet' | 'servicenow' | 'freshservice' | 'linear' | 'rocketchat' | 'matrix' | 'mattermost' | 'victorops' | 'jira' | 'zendesk' | 'sns' | 'pushover' | 'sms' | 'voice'; enabled?: boolean; team_id?: string | null; is_default?: boolean; events?: ('down' | 'up' | 'ssl_expiry' | 'acknowledged' | 'assigned' | 'degraded' | 'maintenance' | 'status_page')[]; min_severity?: 'critical' | 'warning' | 'info'; template_overrides?: { down?: { title: string | null; body: string | null }; up?: { title: string | null; body: string | null }; ssl_expiry?: { title: string | null; body: string | null }; acknowledged?: { title: string | null; body: string | null }; assigned?: { title: string | null; body: string | null }; degraded?: { title: string | null; body: string | null }; maintenance?: { title: string | null; body: string | null }; status_page?: { title: string | null; body: string | null } }; allowed_team_ids?: string[] } } }
      responses: { 201: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; kind: 'slack' | 'discord' | 'telegram' | 'email' | 'pagerduty' | 'opsgenie' | 'webhook' | 'msteams' | 'googlechat' | 'ntfy' | 'gotify' | 'apprise' | 'pushbullet' | 'servicenow' | 'freshservice' | 'linear' | 'rocketchat' | 'matrix' | 'mattermost' | 'victorops' | 'jira' | 'zendesk' | 'sns' | 'pushover' | 'sms' | 'voice'; enabled: boolean; team_id: string | null; is_default: boolean; verified_at: string | null; needs_verification: boolean; target: string; config: Record<string, unknown>; events: ('down' | 'up' | 'ssl_expiry' | 'acknowledged' | 'assigned' | 'degraded' | 'maintenance' | 'status_page')[]; min_severity: 'critical' | 'warning' | 'info'; template_overrides: { down?: { title: string | null; body: string | null }; up?: { title: string | null; body: string | null }; ssl_expiry?: { title: string | null; body: string | null }; acknowledged?: { title: string | null; body: string | null }; assigned?: { title: string | null; body: string | null }; degraded?: { title: string | null; body: string | null }; maintenance?: { title: string | null; body: string | null }; status_page?: { title: string | null; body: string | null } }; allowed_team_ids: string[]; health: { state: 'ok' | 'failing' | 'disabled'; disabled_reason: string | null; last_ok_at: string | null; last_error: string | null; consecutive_failures: number; quota_exhausted_until: string | null }; created_by: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/channels/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Read a notification channel */
    get: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; kind: 'slack' | 'discord' | 'telegram' | 'email' | 'pagerduty' | 'opsgenie' | 'webhook' | 'msteams' | 'googlechat' | 'ntfy' | 'gotify' | 'apprise' | 'pushbullet' | 'servicenow' | 'freshservice' | 'linear' | 'rocketchat' | 'matrix' | 'mattermost' | 'victorops' | 'jira' | 'zendesk' | 'sns' | 'pushover' | 'sms' | 'voice'; enabled: boolean; team_id: string | null; is_default: boolean; verified_at: string | null; needs_verification: boolean; target: string; config: Record<string, unknown>; events: ('down' | 'up' | 'ssl_expiry' | 'acknowledged' | 'assigned' | 'degraded' | 'maintenance' | 'status_page')[]; min_severity: 'critical' | 'warning' | 'info'; template_overrides: { down?: { title: string | null; body: string | null }; up?: { title: string | null; body: string | null }; ssl_expiry?: { title: string | null; body: string | null }; acknowledged?: { title: string | null; body: string | null }; assigned?: { title: string | null; body: string | null }; degraded?: { title: string | null; body: string | null }; maintenance?: { title: string | null; body: string | null }; status_page?: { title: string | null; body: string | null } }; allowed_team_ids: string[]; health: { state: 'ok' | 'failing' | 'disabled'; disabled_reason: string | null; last_ok_at: string | null; last_error: string | null; consecutive_failures: number; quota_exhausted_until: string | null }; created_by: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    /** Replace a notification channel */
    put: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { name: string; config: Record<string, unknown>; kind?: 'slack' | 'discord' | 'telegram' | 'email' | 'pagerduty' | 'opsgenie' | 'webhook' | 'msteams' | 'googlechat' | 'ntfy' | 'gotify' | 'apprise' | 'pushbullet' | 'servicenow' | 'freshservice' | 'linear' | 'rocketchat' | 'matrix' | 'mattermost' | 'victorops' | 'jira' | 'zendesk' | 'sns' | 'pushover' | 'sms' | 'voice'; enabled?: boolean; team_id?: string | null; is_default?: boolean; events?: ('down' | 'up' | 'ssl_expiry' | 'acknowledged' | 'assigned' | 'degraded' | 'maintenance' | 'status_page')[]; min_severity?: 'critical' | 'warning' | 'info'; template_overrides?: { down?: { title: string | null; body: string | null }; up?: { title: string | null; body: string | null }; ssl_expiry?: { title: string | null; body: string | null }; acknowledged?: { title: string | null; body: string | null }; assigned?: { title: string | null; body: string | null }; degraded?: { title: string | null; body: string | null }; maintenance?: { title: string | null; body: string | null }; status_page?: { title: string | null; body: string | null } }; allowed_team_ids?: string[] } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; kind: 'slack' | 'discord' | 'telegram' | 'email' | 'pagerduty' | 'opsgenie' | 'webhook' | 'msteams' | 'googlechat' | 'ntfy' | 'gotify' | 'apprise' | 'pushbullet' | 'servicenow' | 'freshservice' | 'linear' | 'rocketchat' | 'matrix' | 'mattermost' | 'victorops' | 'jira' | 'zendesk' | 'sns' | 'pushover' | 'sms' | 'voice'; enabled: boolean; team_id: string | null; is_default: boolean; verified_at: string | null; needs_verification: boolean; target: string; config: Record<string, unknown>; events: ('down' | 'up' | 'ssl_expiry' | 'acknowledged' | 'assigned' | 'degraded' | 'maintenance' | 'status_page')[]; min_severity: 'critical' | 'warning' | 'info'; template_overrides: { down?: { title: string | null; body: string | null }; up?: { title: string | null; body: string | null }; ssl_expiry?: { title: string | null; body: string | null }; acknowledged?: { title: string | null; body: string | null }; assigned?: { title: string | null; body: string | null }; degraded?: { title: string | null; body: string | null }; maintenance?: { title: string | null; body: string | null }; status_page?: { title: string | null; body: string | null } }; allowed_team_ids: string[]; health: { state: 'ok' | 'failing' | 'disabled'; disabled_reason: string | null; last_ok_at: string | null; last_error: string | null; consecutive_failures: number; quota_exhausted_until: string | null }; created_by: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    post?: never
    /** Delete a notification channel */
    delete: {
      parameters: { query?: { force?: boolean }; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    /** Change a notification channel */
    patch: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { name?: string; config?: Record<string, unknown>; kind?: 'slack' | 'discord' | 'telegram' | 'email' | 'pagerduty' | 'opsgenie' | 'webhook' | 'msteams' | 'googlechat' | 'ntfy' | 'gotify' | 'apprise' | 'pushbullet' | 'servicenow' | 'freshservice' | 'linear' | 'rocketchat' | 'matrix' | 'mattermost' | 'victorops' | 'jira' | 'zendesk' | 'sns' | 'pushover' | 'sms' | 'voice'; enabled?: boolean; team_id?: string | null; is_default?: boolean; events?: ('down' | 'up' | 'ssl_expiry' | 'acknowledged' | 'assigned' | 'degraded' | 'maintenance' | 'status_page')[]; min_severity?: 'critical' | 'warning' | 'info'; template_overrides?: { down?: { title: string | null; body: string | null }; up?: { title: string | null; body: string | null }; ssl_expiry?: { title: string | null; body: string | null }; acknowledged?: { title: string | null; body: string | null }; assigned?: { title: string | null; body: string | null }; degraded?: { title: string | null; body: string | null }; maintenance?: { title: string | null; body: string | null }; status_page?: { title: string | null; body: string | null } }; allowed_team_ids?: string[] } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; kind: 'slack' | 'discord' | 'telegram' | 'email' | 'pagerduty' | 'opsgenie' | 'webhook' | 'msteams' | 'googlechat' | 'ntfy' | 'gotify' | 'apprise' | 'pushbullet' | 'servicenow' | 'freshservice' | 'linear' | 'rocketchat' | 'matrix' | 'mattermost' | 'victorops' | 'jira' | 'zendesk' | 'sns' | 'pushover' | 'sms' | 'voice'; enabled: boolean; team_id: string | null; is_default: boolean; verified_at: string | null; needs_verification: boolean; target: string; config: Record<string, unknown>; events: ('down' | 'up' | 'ssl_expiry' | 'acknowledged' | 'assigned' | 'degraded' | 'maintenance' | 'status_page')[]; min_severity: 'critical' | 'warning' | 'info'; template_overrides: { down?: { title: string | null; body: string | null }; up?: { title: string | null; body: string | null }; ssl_expiry?: { title: string | null; body: string | null }; acknowledged?: { title: string | null; body: string | null }; assigned?: { title: string | null; body: string | null }; degraded?: { title: string | null; body: string | null }; maintenance?: { title: string | null; body: string | null }; status_page?: { title: string | null; body: string | null } }; allowed_team_ids: string[]; health: { state: 'ok' | 'failing' | 'disabled'; disabled_reason: string | null; last_ok_at: string | null; last_error: string | null; consecutive_failures: number; quota_exhausted_until: string | null }; created_by: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    trace?: never
  }
  '/api/v1/notifications/channels/{id}/confirmation': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Send the link of an e-mail channel again */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 202: { content: { 'application/json': Record<string, unknown> } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/channel-kinds': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Kinds of channels, with the JSON Schema of each */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ kind: 'slack' | 'discord' | 'telegram' | 'email' | 'pagerduty' | 'opsgenie' | 'webhook' | 'msteams' | 'googlechat' | 'ntfy' | 'gotify' | 'apprise' | 'pushbullet' | 'servicenow' | 'freshservice' | 'linear' | 'rocketchat' | 'matrix' | 'mattermost' | 'victorops' | 'jira' | 'zendesk' | 'sns' | 'pushover' | 'sms' | 'voice'; name: string; hint: string; family: string; schema: Record<string, unknown>; secrets: string[]; default_events: ('down' | 'up' | 'ssl_expiry' | 'acknowledged' | 'assigned' | 'degraded' | 'maintenance' | 'status_page')[]; needs_verification: boolean; available: boolean; set_up: boolean; upgrade_to: string | null; app: { set_up: boolean; available: boolean; upgrade_to: string | null } | null })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/channels/confirm': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** To the page that confirms an e-mail channel */
    get: {
      parameters: { query: { token: string }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 302: { content?: never }; 400: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/mailbox': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Mails that a run without a mail server keeps */
    get: {
      parameters: { query?: { page?: number; per_page?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: { id: string; tenant_id: string; at: string; recipient: string; subject: string; sent: false }[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    /** Delete the kept mails */
    delete: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/mailbox/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Read a kept mail */
    get: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; at: string; recipient: string; subject: string; sent: false; headers: { name: string; value: string }[]; text: string | null; has_html: boolean; mime: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/mailbox/{id}/html': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** The HTML of a kept mail, for a sandboxed frame */
    get: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'text/html': string } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/links/{token}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** What the link of a mail would do */
    get: {
      parameters: { query?: never; path: { token: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { act: 'confirm' | 'stop' | 'acknowledge' | 'resolve'; workspace: string; subject: string; person: string | null; done: boolean } } }; 302: { content?: never }; 400: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Do what the link of a mail says */
    post: {
      parameters: { query?: never; path: { token: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { act: 'confirm' | 'stop' | 'acknowledge' | 'resolve'; workspace: string; subject: string; person: string | null; done: boolean } } }; 400: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/preferences': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** How one is reached, and when */
    get: {
      parameters: { query?: { user_id?: string }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { user_id: string; contact_methods: ({ id: string; kind: 'email' | 'sms' | 'voice' | 'push' | 'telegram' | 'slack_dm'; address: string; verified_at: string | null; position: number })[]; rules: { default: { method_id: string; delay_seconds: number }[]; high: { method_id: string; delay_seconds: number }[] }; quiet_hours: { time_zone: string; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string; except_severity?: ('critical' | 'warning' | 'info')[]; hold?: 'digest' | 'drop'; apply_while_on_call?: boolean } | null; feed_categories: ('incident' | 'admin' | 'billing')[]; digest: { every: 'none' | 'daily' | 'weekly'; at: string }; shift_reminders_minutes: number[]; handoff_summary: boolean; version: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    /** Set how one is reached, and when */
    put: {
      parameters: { query?: { user_id?: string }; path?: never; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { contact_methods?: ({ id?: string; kind: 'email' | 'sms' | 'voice' | 'push' | 'telegram' | 'slack_dm'; address: string; verified_at?: string | null; position?: number })[]; rules?: { default: { method_id: string; delay_seconds: number }[]; high: { method_id: string; delay_seconds: number }[] }; quiet_hours?: { time_zone: string; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string; except_severity?: ('critical' | 'warning' | 'info')[]; hold?: 'digest' | 'drop'; apply_while_on_call?: boolean } | null; feed_categories?: ('incident' | 'admin' | 'billing')[]; digest?: { every: 'none' | 'daily' | 'weekly'; at: string }; shift_reminders_minutes?: number[]; handoff_summary?: boolean } } }
      responses: { 200: { content: { 'application/json': { user_id: string; contact_methods: ({ id: string; kind: 'email' | 'sms' | 'voice' | 'push' | 'telegram' | 'slack_dm'; address: string; verified_at: string | null; position: number })[]; rules: { default: { method_id: string; delay_seconds: number }[]; high: { method_id: string; delay_seconds: number }[] }; quiet_hours: { time_zone: string; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string; except_severity?: ('critical' | 'warning' | 'info')[]; hold?: 'digest' | 'drop'; apply_while_on_call?: boolean } | null; feed_categories: ('incident' | 'admin' | 'billing')[]; digest: { every: 'none' | 'daily' | 'weekly'; at: string }; shift_reminders_minutes: number[]; handoff_summary: boolean; version: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/templates': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** List templates of messages */
    get: {
      parameters: { query?: { page?: number; per_page?: number; kind?: 'slack' | 'discord' | 'telegram' | 'email' | 'pagerduty' | 'opsgenie' | 'webhook' | 'msteams' | 'googlechat' | 'ntfy' | 'gotify' | 'apprise' | 'pushbullet' | 'servicenow' | 'freshservice' | 'linear' | 'rocketchat' | 'matrix' | 'mattermost' | 'victorops' | 'jira' | 'zendesk' | 'sns' | 'pushover' | 'sms' | 'voice'; event?: 'down' | 'up' | 'ssl_expiry' | 'acknowledged' | 'assigned' | 'degraded' | 'maintenance' | 'status_page' }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; created_at: string; updated_at: string; version: number; kind: 'slack' | 'discord' | 'telegram' | 'email' | 'pagerduty' | 'opsgenie' | 'webhook' | 'msteams' | 'googlechat' | 'ntfy' | 'gotify' | 'apprise' | 'pushbullet' | 'servicenow' | 'freshservice' | 'linear' | 'rocketchat' | 'matrix' | 'mattermost' | 'victorops' | 'jira' | 'zendesk' | 'sns' | 'pushover' | 'sms' | 'voice' | null; event: 'down' | 'up' | 'ssl_expiry' | 'acknowledged' | 'assigned' | 'degraded' | 'maintenance' | 'status_page'; title: string | null; body: string | null; created_by: string })[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Create a template of messages */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { kind?: 'slack' | 'discord' | 'telegram' | 'email' | 'pagerduty' | 'opsgenie' | 'webhook' | 'msteams' | 'googlechat' | 'ntfy' | 'gotify' | 'apprise' | 'pushbullet' | 'servicenow' | 'freshservice' | 'linear' | 'rocketchat' | 'matrix' | 'mattermost' | 'victorops' | 'jira' | 'zendesk' | 'sns' | 'pushover' | 'sms' | 'voice' | null; event: 'down' | 'up' | 'ssl_expiry' | 'acknowledged' | 'assigned' | 'degraded' | 'maintenance' | 'status_page'; title?: string | null; body?: string | null } } }
      responses: { 201: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; kind: 'slack' | 'discord' | 'telegram' | 'email' | 'pagerduty' | 'opsgenie' | 'webhook' | 'msteams' | 'googlechat' | 'ntfy' | 'gotify' | 'apprise' | 'pushbullet' | 'servicenow' | 'freshservice' | 'linear' | 'rocketchat' | 'matrix' | 'mattermost' | 'victorops' | 'jira' | 'zendesk' | 'sns' | 'pushover' | 'sms' | 'voice' | null; event: 'down' | 'up' | 'ssl_expiry' | 'acknowledged' | 'assigned' | 'degraded' | 'maintenance' | 'status_page'; title: string | null; body: string | null; created_by: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/templates/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Read a template of messages */
    get: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; kind: 'slack' | 'discord' | 'telegram' | 'email' | 'pagerduty' | 'opsgenie' | 'webhook' | 'msteams' | 'googlechat' | 'ntfy' | 'gotify' | 'apprise' | 'pushbullet' | 'servicenow' | 'freshservice' | 'linear' | 'rocketchat' | 'matrix' | 'mattermost' | 'victorops' | 'jira' | 'zendesk' | 'sns' | 'pushover' | 'sms' | 'voice' | null; event: 'down' | 'up' | 'ssl_expiry' | 'acknowledged' | 'assigned' | 'degraded' | 'maintenance' | 'status_page'; title: string | null; body: string | null; created_by: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    /** Delete a template; the service's own words are back */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    /** Change a template of messages */
    patch: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { title?: string | null; body?: string | null } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; kind: 'slack' | 'discord' | 'telegram' | 'email' | 'pagerduty' | 'opsgenie' | 'webhook' | 'msteams' | 'googlechat' | 'ntfy' | 'gotify' | 'apprise' | 'pushbullet' | 'servicenow' | 'freshservice' | 'linear' | 'rocketchat' | 'matrix' | 'mattermost' | 'victorops' | 'jira' | 'zendesk' | 'sns' | 'pushover' | 'sms' | 'voice' | null; event: 'down' | 'up' | 'ssl_expiry' | 'acknowledged' | 'assigned' | 'degraded' | 'maintenance' | 'status_page'; title: string | null; body: string | null; created_by: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    trace?: never
  }
  '/api/v1/notifications/templates/preview': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** What a template would say, of a sample */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { event: 'down' | 'up' | 'ssl_expiry' | 'acknowledged' | 'assigned' | 'degraded' | 'maintenance' | 'status_page'; title?: string | null; body?: string | null } } }
      responses: { 200: { content: { 'application/json': { title: string; body: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/devices': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Phones on which one is told */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; platform: 'ios' | 'android'; name: string; app_version: string; registered_at: string; invalid_at: string | null; created_at: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Register the phone on which the app runs */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { id?: string; platform: 'ios' | 'android'; push_token: string; app_version?: string; name?: string } } }
      responses: { 201: { content: { 'application/json': { id: string; platform: 'ios' | 'android'; name: string; app_version: string; registered_at: string; invalid_at: string | null; created_at: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/devices/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    /** Remove a phone */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/channels/verify': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Send a code to a number or address, or confirm it by the code */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { number?: string; email?: string; method?: 'sms' | 'voice'; code?: string } } }
      responses: { 200: { content: { 'application/json': { verified_at: string } } }; 202: { content: { 'application/json': { expires_at: string; resend_at: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 410: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/callbacks/twilio/sms': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** What somebody answers by text message, as Twilio calls it */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'text/xml': string } }; 400: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/callbacks/twilio/sms/{delivery_id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** What became of a text message, as Twilio calls it */
    post: {
      parameters: { query: { workspace: string }; path: { delivery_id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/callbacks/twilio/voice/{delivery_id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** A key that was pressed in a call, as Twilio calls it */
    post: {
      parameters: { query: { workspace: string; again?: '1' }; path: { delivery_id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'text/xml': string } }; 400: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/callbacks/twilio/voice/{delivery_id}/status': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** What became of a call, as Twilio calls it */
    post: {
      parameters: { query: { workspace: string }; path: { delivery_id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/callbacks/email/{provider}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Mails that came back and complaints, as the mail provider calls it */
    post: {
      parameters: { query?: never; path: { provider: 'mailgun' | 'sendgrid' }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/chat/identities': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Senders in chat apps that are oneself */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; vendor: 'slack' | 'discord' | 'telegram'; account: string; sender: string; name: string; linked_at: string; messages: boolean })[]; bots: { vendor: 'telegram'; name: string }[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Be the sender that the link of a chat app is about */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { token: string } } }
      responses: { 201: { content: { 'application/json': { id: string; vendor: 'slack' | 'discord' | 'telegram'; account: string; sender: string; name: string; linked_at: string; messages: boolean } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/chat/links/look': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Whom the link of a chat app is about */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { token: string } } }
      responses: { 200: { content: { 'application/json': { vendor: 'slack' | 'discord' | 'telegram'; account: string; sender: string; name: string; expires_at: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/chat/identities/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    /** No longer be a sender in a chat app */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/oauth/{kind}/start': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** To the page of a chat service that adds the app */
    get: {
      parameters: { query?: never; path: { kind: 'slack' | 'discord' | 'telegram' | 'email' | 'pagerduty' | 'opsgenie' | 'webhook' | 'msteams' | 'googlechat' | 'ntfy' | 'gotify' | 'apprise' | 'pushbullet' | 'servicenow' | 'freshservice' | 'linear' | 'rocketchat' | 'matrix' | 'mattermost' | 'victorops' | 'jira' | 'zendesk' | 'sns' | 'pushover' | 'sms' | 'voice' }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 302: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/oauth/{kind}/callback': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Back from the page of a chat service that added the app */
    get: {
      parameters: { query?: { state?: string; code?: string; error?: string }; path: { kind: 'slack' | 'discord' | 'telegram' | 'email' | 'pagerduty' | 'opsgenie' | 'webhook' | 'msteams' | 'googlechat' | 'ntfy' | 'gotify' | 'apprise' | 'pushbullet' | 'servicenow' | 'freshservice' | 'linear' | 'rocketchat' | 'matrix' | 'mattermost' | 'victorops' | 'jira' | 'zendesk' | 'sns' | 'pushover' | 'sms' | 'voice' }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 302: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/workspace/chat-identities': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Who of the workspace acts from which chat app */
    get: {
      parameters: { query?: { page?: number; per_page?: number; user_id?: string }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; vendor: 'slack' | 'discord' | 'telegram'; account: string; sender: string; name: string; linked_at: string; member: { user_id: string; name: string; email: string } })[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/workspace/chat-identities/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    /** Unlink a member from a sender in a chat app */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/chat/slack/events': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** What happened in a Slack workspace, as Slack calls it */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { challenge?: string } } }; 400: { content: { 'application/json': Error } }; 401: { content?: never }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/chat/slack/commands': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** A slash command, as Slack calls it */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { response_type: 'ephemeral'; text: string } } }; 400: { content: { 'application/json': Error } }; 401: { content?: never }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/chat/slack/interactions': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** A pressed button, as Slack calls it */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content?: never }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/chat/discord/interactions': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** A command or a pressed button, as Discord calls it */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { type: number; data?: { content?: string; allowed_mentions?: { parse: string[] }; flags: number } } } }; 400: { content: { 'application/json': Error } }; 401: { content?: never }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/chat/telegram/{hook_id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** A message to a bot or a pressed button, as Telegram calls it */
    post: {
      parameters: { query?: never; path: { hook_id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { method?: string; chat_id?: string; text?: string; link_preview_options?: { is_disabled: boolean }; callback_query_id?: string; show_alert?: boolean; url?: string } } }; 400: { content: { 'application/json': Error } }; 401: { content?: never }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/notifications/pairing-links': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** A link by which a sender in a chat app becomes oneself */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { kind: 'telegram'; bot: string; channel_id?: string } } }
      responses: { 201: { content: { 'application/json': { url: string; expires_at: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/on-call/escalation-policies': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** List escalation policies */
    get: {
      parameters: { query?: { page?: number; per_page?: number; q?: string; team_id?: string[] }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; description: string; team_id: string | null; repeat: number; ack_timeout_minutes: number | null; max_duration_minutes: number; steps: ({ delay_seconds: number; targets: ({ type: 'schedule' | 'user' | 'team' | 'channel' | 'webhook'; id: string; urgency: 'default' | 'high' })[]; strategy: 'all' | 'round_robin' | 'one_by_one'; acks_required: number; only_if: { severity: ('critical' | 'warning' | 'info')[]; time_window: { time_zone: string; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string } | null } | null; on_empty: 'next' | 'fallback' })[]; is_default: boolean })[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Create an escalation policy */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { name: string; description?: string; team_id?: string | null; repeat?: number; ack_timeout_minutes?: number | null; max_duration_minutes?: number; steps: ({ delay_seconds?: number; targets: ({ type: 'schedule' | 'user' | 'team' | 'channel' | 'webhook'; id: string; urgency?: 'default' | 'high' })[]; strategy?: 'all' | 'round_robin' | 'one_by_one'; acks_required?: number; only_if?: { severity?: ('critical' | 'warning' | 'info')[]; time_window?: { time_zone: string; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string } | null } | null; on_empty?: 'next' | 'fallback' })[] } } }
      responses: { 201: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; description: string; team_id: string | null; repeat: number; ack_timeout_minutes: number | null; max_duration_minutes: number; steps: ({ delay_seconds: number; targets: ({ type: 'schedule' | 'user' | 'team' | 'channel' | 'webhook'; id: string; urgency: 'default' | 'high' })[]; strategy: 'all' | 'round_robin' | 'one_by_one'; acks_required: number; only_if: { severity: ('critical' | 'warning' | 'info')[]; time_window: { time_zone: string; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string } | null } | null; on_empty: 'next' | 'fallback' })[]; is_default: boolean; warnings: ({ code: 'unknown_target' | 'unreachable_step' | 'reaches_nobody'; path: string | null; message: string })[]; reaches_now: { users: { id: string; name: string }[]; channels: string[] }[]; used_by: ({ kind: 'workspace' | 'team' | 'integration' | 'monitor' | 'heartbeat' | 'incident' | 'routing_rule'; id: string; name: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/on-call/escalation-policies/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Read an escalation policy */
    get: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; description: string; team_id: string | null; repeat: number; ack_timeout_minutes: number | null; max_duration_minutes: number; steps: ({ delay_seconds: number; targets: ({ type: 'schedule' | 'user' | 'team' | 'channel' | 'webhook'; id: string; urgency: 'default' | 'high' })[]; strategy: 'all' | 'round_robin' | 'one_by_one'; acks_required: number; only_if: { severity: ('critical' | 'warning' | 'info')[]; time_window: { time_zone: string; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string } | null } | null; on_empty: 'next' | 'fallback' })[]; is_default: boolean; warnings: ({ code: 'unknown_target' | 'unreachable_step' | 'reaches_nobody'; path: string | null; message: string })[]; reaches_now: { users: { id: string; name: string }[]; channels: string[] }[]; used_by: ({ kind: 'workspace' | 'team' | 'integration' | 'monitor' | 'heartbeat' | 'incident' | 'routing_rule'; id: string; name: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    /** Replace an escalation policy */
    put: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { name: string; description?: string; team_id?: string | null; repeat?: number; ack_timeout_minutes?: number | null; max_duration_minutes?: number; steps: ({ delay_seconds?: number; targets: ({ type: 'schedule' | 'user' | 'team' | 'channel' | 'webhook'; id: string; urgency?: 'default' | 'high' })[]; strategy?: 'all' | 'round_robin' | 'one_by_one'; acks_required?: number; only_if?: { severity?: ('critical' | 'warning' | 'info')[]; time_window?: { time_zone: string; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string } | null } | null; on_empty?: 'next' | 'fallback' })[] } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; description: string; team_id: string | null; repeat: number; ack_timeout_minutes: number | null; max_duration_minutes: number; steps: ({ delay_seconds: number; targets: ({ type: 'schedule' | 'user' | 'team' | 'channel' | 'webhook'; id: string; urgency: 'default' | 'high' })[]; strategy: 'all' | 'round_robin' | 'one_by_one'; acks_required: number; only_if: { severity: ('critical' | 'warning' | 'info')[]; time_window: { time_zone: string; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string } | null } | null; on_empty: 'next' | 'fallback' })[]; is_default: boolean; warnings: ({ code: 'unknown_target' | 'unreachable_step' | 'reaches_nobody'; path: string | null; message: string })[]; reaches_now: { users: { id: string; name: string }[]; channels: string[] }[]; used_by: ({ kind: 'workspace' | 'team' | 'integration' | 'monitor' | 'heartbeat' | 'incident' | 'routing_rule'; id: string; name: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    post?: never
    /** Delete an escalation policy */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    /** Change an escalation policy */
    patch: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { name?: string; description?: string; team_id?: string | null; repeat?: number; ack_timeout_minutes?: number | null; max_duration_minutes?: number; steps?: ({ delay_seconds?: number; targets: ({ type: 'schedule' | 'user' | 'team' | 'channel' | 'webhook'; id: string; urgency?: 'default' | 'high' })[]; strategy?: 'all' | 'round_robin' | 'one_by_one'; acks_required?: number; only_if?: { severity?: ('critical' | 'warning' | 'info')[]; time_window?: { time_zone: string; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string } | null } | null; on_empty?: 'next' | 'fallback' })[] } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; description: string; team_id: string | null; repeat: number; ack_timeout_minutes: number | null; max_duration_minutes: number; steps: ({ delay_seconds: number; targets: ({ type: 'schedule' | 'user' | 'team' | 'channel' | 'webhook'; id: string; urgency: 'default' | 'high' })[]; strategy: 'all' | 'round_robin' | 'one_by_one'; acks_required: number; only_if: { severity: ('critical' | 'warning' | 'info')[]; time_window: { time_zone: string; days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]; from: string; to: string } | null } | null; on_empty: 'next' | 'fallback' })[]; is_default: boolean; warnings: ({ code: 'unknown_target' | 'unreachable_step' | 'reaches_nobody'; path: string | null; message: string })[]; reaches_now: { users: { id: string; name: string }[]; channels: string[] }[]; used_by: ({ kind: 'workspace' | 'team' | 'integration' | 'monitor' | 'heartbeat' | 'incident' | 'routing_rule'; id: string; name: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 412: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    trace?: never
  }
  '/api/v1/on-call/escalation-policies/{id}/simulate': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Who would be asked when, without effect */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { at?: string; severity?: 'critical' | 'warning' | 'info'; ack_after_seconds?: number } } }
      responses: { 200: { content: { 'application/json': { items: ({ offset_seconds: number; at: string; cycle: number; step: number; outcome: 'fired' | 'empty' | 'skipped' | 'exhausted'; users: ({ id: string; name: string; methods: string[]; ways: ({ kind: string | null; at: string; suppressed_by: string | null })[]; by: { type: 'schedule' | 'user' | 'team' | 'channel' | 'webhook'; id: string } | null })[]; channels: string[]; not_asked: { id: string; name: string; why: string }[]; not_told: { id: string; why: string }[]; nobody: ({ type: 'schedule' | 'user' | 'team' | 'channel' | 'webhook'; id: string })[]; fallback: boolean; reachable: boolean })[]; truncated: boolean } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/incidents/{id}/escalate': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Ask people now */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { step?: number; user_ids?: string[]; schedule_ids?: string[]; message?: string | null } } }
      responses: { 202: { content: { 'application/json': { intents: ({ id: string; user_id: string | null; channel_id: string | null; method_kind: string | null; suppressed_by: string | null; due_at: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/on-call/page': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Page a person or a schedule by hand */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { target: { type: 'user' | 'schedule'; id: string }; message: string; severity?: 'critical' | 'warning' | 'info' } } }
      responses: { 201: { content: { 'application/json': { incident: { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; ver: number; number: number; key: string; status: 'ongoing' | 'resolved'; dashboard_state: 'Triggered' | 'Acknowledged' | 'Resolved' | 'Closed'; severity: 'critical' | 'warning' | 'info'; title: string; original_title: string | null; summary: string | null; source: { kind: 'monitor' | 'heartbeat' | 'inbound' | 'manual' | 'mass_outage' | 'unknown'; type: string | null; id: string | null; integration_id: string | null }; dedup_key: string; monitor_id: string | null; heartbeat_id: string | null; region: string | null; affected_regions: string[]; is_major: boolean; visibility: 'org' | 'private'; routing_version: number; team_id: string | null; escalation_policy_id: string | null; escalation: { state: 'none' | 'running' | 'paused' | 'held' | 'exhausted'; step: number | null; cycle: number | null; next_at: string | null; hold_reason: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap' | null }; assignee_id: string | null; acknowledged_at: string | null; acknowledged_by: string | null; acknowledged_by_name: string | null; acknowledgement_comment: string | null; resolved_at: string | null; resolved_by: string | null; resolved_by_name: string | null; resolution: { reason: string; note: string | null } | null; manually_closed_at: string | null; manually_closed_by: string | null; promoted_at: string | null; silenced_until: string | null; silenced_by: string | null; silenced_by_name: string | null; priority: string | null; labels: Record<string, string>; links: { title: string; url: string }[]; tags: string[]; alert_count: number; ongoing_alerts: number; matched_rule_ids: string[]; suppressed_by_rule_id: string | null; flapping: boolean; storm_until: string | null; held_by: ({ kind: 'entitlement_pause' | 'pause' | 'maintenance' | 'silence' | 'matcher_silence' | 'dependency' | 'mass_outage' | 'storm' | 'rule' | 'flap'; id: string; until: string | null })[]; reopened_from: string | null; merged_into: string | null; war_room: { channel_id: string; state: 'opening' | 'open' | 'failed'; name: string; private: boolean; url: string | null; error: string | null } | null; started_at: string; detected_at: string; opened_at: string; duration_seconds: number | null; time_to_ack_seconds: number | null; time_to_resolve_seconds: number | null; last_change: { at: string; actor_kind: string; actor_id: string; request_id: string | null } }; intents: ({ id: string; user_id: string | null; channel_id: string | null; method_kind: string | null; suppressed_by: string | null; due_at: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/workspace/tokens': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** List API tokens */
    get: {
      parameters: { query?: { page?: number; per_page?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; prefix: string; scopes: string[]; user_id: string; expires_at: string | null; allowed_cidrs: string[]; last_used_at: string | null; last_used_ip: string | null })[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Create an API token, shown once */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { name: string; scopes?: ('read' | 'write' | 'incidents:act' | 'ingest' | 'data:read' | 'billing' | 'admin')[]; expires_at?: string | null; allowed_cidrs?: string[] } } }
      responses: { 201: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; prefix: string; scopes: string[]; user_id: string; expires_at: string | null; allowed_cidrs: string[]; last_used_at: string | null; last_used_ip: string | null; token: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/workspace/tokens/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    /** Revoke an API token */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    /** Change an API token */
    patch: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { name?: string; scopes?: ('read' | 'write' | 'incidents:act' | 'ingest' | 'data:read' | 'billing' | 'admin')[]; expires_at?: string | null; allowed_cidrs?: string[] } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; prefix: string; scopes: string[]; user_id: string; expires_at: string | null; allowed_cidrs: string[]; last_used_at: string | null; last_used_ip: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    trace?: never
  }
  '/api/v1/workspace/tokens/{id}/rotate': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** New value of an API token, shown once; the old one is dead within 5 s */
    post: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; prefix: string; scopes: string[]; user_id: string; expires_at: string | null; allowed_cidrs: string[]; last_used_at: string | null; last_used_ip: string | null; token: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/workspace/usage': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** What the workspace uses of its limits, and its inbound alerts by window */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { tenant_id: string; plan: 'free' | 'pro' | 'business' | 'enterprise'; at: string; limits: ({ key: string; used: number; limit: number | null; unit: 'count' | 'alerts_per_minute'; resets_at: string | null })[]; ingest: { window_seconds: number; limit: number; limit_origin: 'floor' | 'plan' | 'raised'; plan_limit: number | null; raised_to: number | null; accepted_1m: number; accepted_1h: number; refused_1m: number; refused_1h: number; limited_since: string | null; windows: { instance: string; from: string; to: string; accepted: number; refused: number; limit: number }[] } } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/workspace/limits': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Limits in force, and where each comes from */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { tenant_id: string; plan: 'free' | 'pro' | 'business' | 'enterprise'; at: string; limits: ({ key: string; description: string; unit: string; limit: number | null; plan_limit: number | null; origin: 'plan' | 'override' | 'floor'; available: boolean })[]; capabilities: { key: string; description: string; included: boolean; available: boolean; origin: 'plan' }[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/workspace': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Settings of the workspace */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; slug: string; plan: 'free' | 'pro' | 'business' | 'enterprise'; time_zone: string; reopen_after_seconds: number; storm_threshold: number; mass_outage: { enabled: boolean; min_monitors: number }; default_escalation_policy_id: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    /** Change settings of the workspace */
    patch: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { name?: string; slug?: string; time_zone?: string; reopen_after_seconds?: number; storm_threshold?: number; mass_outage?: { enabled?: boolean; min_monitors?: number }; default_escalation_policy_id?: string | null } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; slug: string; plan: 'free' | 'pro' | 'business' | 'enterprise'; time_zone: string; reopen_after_seconds: number; storm_threshold: number; mass_outage: { enabled: boolean; min_monitors: number }; default_escalation_policy_id: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    trace?: never
  }
  '/api/v1/account': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Account, workspace, role, plan and usage */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { user: { id: string; email: string; name: string; avatar_url: string | null; time_zone: string | null; locale: string; mfa_enabled: boolean; role: 'owner' | 'admin' | 'responder' | 'editor' | 'viewer' | 'billing'; teams: string[]; created_at: string; updated_at: string }; workspace: { id: string; name: string; slug: string; plan: 'free' | 'pro' | 'business' | 'enterprise' }; role: 'owner' | 'admin' | 'responder' | 'editor' | 'viewer' | 'billing'; plan: 'free' | 'pro' | 'business' | 'enterprise'; entitlements: Record<string, number | null>; usage: Record<string, number | null>; features: ('explain' | 'custom_domain' | 'password' | 'white_label' | 'topics' | 'sso' | 'scim' | 'custom_roles' | 'postmortems' | 'shadow_rules' | 'backtest')[]; limits_source: 'plan' | 'override' | 'floor' } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    /** Change your name, zone, locale or password; a new password ends your other sessions */
    patch: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { name?: string; time_zone?: string | null; locale?: string; password?: string; current_password?: string } } }
      responses: { 200: { content: { 'application/json': { user: { id: string; email: string; name: string; avatar_url: string | null; time_zone: string | null; locale: string; mfa_enabled: boolean; role: 'owner' | 'admin' | 'responder' | 'editor' | 'viewer' | 'billing'; teams: string[]; created_at: string; updated_at: string }; workspace: { id: string; name: string; slug: string; plan: 'free' | 'pro' | 'business' | 'enterprise' }; role: 'owner' | 'admin' | 'responder' | 'editor' | 'viewer' | 'billing'; plan: 'free' | 'pro' | 'business' | 'enterprise'; entitlements: Record<string, number | null>; usage: Record<string, number | null>; features: ('explain' | 'custom_domain' | 'password' | 'white_label' | 'topics' | 'sso' | 'scim' | 'custom_roles' | 'postmortems' | 'shadow_rules' | 'backtest')[]; limits_source: 'plan' | 'override' | 'floor' } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    trace?: never
  }
  '/api/v1/workspace/members': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** List members */
    get: {
      parameters: { query?: { page?: number; per_page?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ user_id: string; tenant_id: string; name: string; email: string; role: 'owner' | 'admin' | 'responder' | 'editor' | 'viewer' | 'billing'; joined_at: string; last_seen_at: string | null })[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/workspace/members/{user_id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    /** Remove a member; their sessions and tokens of this workspace are dead within 5 s */
    delete: {
      parameters: { query?: { replace_with?: string }; path: { user_id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    /** Change the role of a member; only an owner makes or unmakes an owner */
    patch: {
      parameters: { query?: never; path: { user_id: string }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { role: 'owner' | 'admin' | 'responder' | 'editor' | 'viewer' | 'billing'; replace_with?: string } } }
      responses: { 200: { content: { 'application/json': { user_id: string; tenant_id: string; name: string; email: string; role: 'owner' | 'admin' | 'responder' | 'editor' | 'viewer' | 'billing'; joined_at: string; last_seen_at: string | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    trace?: never
  }
  '/api/v1/account/views': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Views of lists that you keep */
    get: {
      parameters: { query?: { page?: number; per_page?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; page: 'incidents'; name: string; search: Record<string, string> }[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Keep a view of a list; one of the same name takes its place */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { page: 'incidents'; name: string; search: Record<string, string> } } }
      responses: { 201: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; page: 'incidents'; name: string; search: Record<string, string> } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/account/views/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    /** Delete a view of a list */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/workspace/audit-log': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Who did what, newest first */
    get: {
      parameters: { query?: { actor_id?: string; action?: string; object_type?: string; object_id?: string; via?: ('api' | 'ui' | 'cli' | 'mcp' | 'chat' | 'mail' | 'sms' | 'voice' | 'system')[]; from?: string; to?: string; cursor?: string; per_page?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; at: string; actor: { kind: 'user' | 'token' | 'integration' | 'system'; id: string; name: string | null }; action: string; object: { type: string; id: string; name: string | null }; via: string; app: string | null; diff: Record<string, unknown[]>; request_id: string | null })[]; per_page: number; next_cursor: string | null; kept_days: number | null } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/teams': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** List teams */
    get: {
      parameters: { query?: { page?: number; per_page?: number; q?: string; visibility?: 'org' | 'private'; user_id?: string }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; slug: string; description: string; visibility: 'org' | 'private'; escalation_policy_id: string | null; member_count: number })[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Create a team */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { name: string; slug?: string; description?: string; visibility?: 'org' | 'private'; escalation_policy_id?: string | null } } }
      responses: { 201: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; slug: string; description: string; visibility: 'org' | 'private'; escalation_policy_id: string | null; member_count: number; members: ({ user_id: string; name: string; email: string; role: 'member' | 'lead'; workspace_role: 'owner' | 'admin' | 'responder' | 'editor' | 'viewer' | 'billing'; joined_at: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/teams/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Read a team */
    get: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; slug: string; description: string; visibility: 'org' | 'private'; escalation_policy_id: string | null; member_count: number; members: ({ user_id: string; name: string; email: string; role: 'member' | 'lead'; workspace_role: 'owner' | 'admin' | 'responder' | 'editor' | 'viewer' | 'billing'; joined_at: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    /** Delete a team */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    /** Change a team */
    patch: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { name?: string; slug?: string; description?: string; visibility?: 'org' | 'private'; escalation_policy_id?: string | null } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; slug: string; description: string; visibility: 'org' | 'private'; escalation_policy_id: string | null; member_count: number; members: ({ user_id: string; name: string; email: string; role: 'member' | 'lead'; workspace_role: 'owner' | 'admin' | 'responder' | 'editor' | 'viewer' | 'billing'; joined_at: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    trace?: never
  }
  '/api/v1/teams/{id}/members/{user_id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    /** Add a member to a team, or change their role in it */
    put: {
      parameters: { query?: never; path: { id: string; user_id: string }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': { role?: 'member' | 'lead' } } }
      responses: { 200: { content: { 'application/json': { id: string; tenant_id: string; created_at: string; updated_at: string; version: number; name: string; slug: string; description: string; visibility: 'org' | 'private'; escalation_policy_id: string | null; member_count: number; members: ({ user_id: string; name: string; email: string; role: 'member' | 'lead'; workspace_role: 'owner' | 'admin' | 'responder' | 'editor' | 'viewer' | 'billing'; joined_at: string })[] } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    post?: never
    /** Remove a member from a team */
    delete: {
      parameters: { query?: never; path: { id: string; user_id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/teams/{id}/members/me': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    /** Leave a team, whatever the role */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/workspace/invites': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** List invites that are not accepted */
    get: {
      parameters: { query?: { page?: number; per_page?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { items: ({ id: string; tenant_id: string; email: string; role: 'owner' | 'admin' | 'responder' | 'editor' | 'viewer' | 'billing'; team_ids: string[]; invited_by: string; expires_at: string; created_at: string })[]; total: number; page: number; per_page: number; total_pages: number } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    /** Invite a person for 7 days; the address that accepts is shown once */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { email: string; role: 'owner' | 'admin' | 'responder' | 'editor' | 'viewer' | 'billing'; team_ids?: string[] } } }
      responses: { 201: { content: { 'application/json': { id: string; tenant_id: string; email: string; role: 'owner' | 'admin' | 'responder' | 'editor' | 'viewer' | 'billing'; team_ids: string[]; invited_by: string; expires_at: string; created_at: string; accept_url: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/workspace/invites/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    post?: never
    /** Withdraw an invite */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 204: { content?: never }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/invites/{token}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** What an invite is to, for the page that accepts it; 404 when unknown, used or expired */
    get: {
      parameters: { query?: never; path: { token: string }; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { workspace: { name: string }; email: string; role: 'owner' | 'admin' | 'responder' | 'editor' | 'viewer' | 'billing'; expires_at: string; account_exists: boolean } } }; 400: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/invites/{token}/accept': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    get?: never
    put?: never
    /** Accept an invite once: a new person by name and password, an existing one by the password; starts a session */
    post: {
      parameters: { query?: never; path: { token: string }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': { name?: string; password: string; remember?: boolean } } }
      responses: { 200: { content: { 'application/json': { user: { id: string; email: string; name: string; avatar_url: string | null; time_zone: string | null; locale: string; mfa_enabled: boolean; role: 'owner' | 'admin' | 'responder' | 'editor' | 'viewer' | 'billing'; teams: string[]; created_at: string; updated_at: string }; workspace: { id: string; name: string; slug: string; plan: 'free' | 'pro' | 'business' | 'enterprise' }; workspaces: ({ id: string; name: string; slug: string; plan: 'free' | 'pro' | 'business' | 'enterprise' })[]; expires_at: string } } }; 400: { content: { 'application/json': Error } }; 401: { content: { 'application/json': Error } }; 403: { content: { 'application/json': Error } }; 404: { content: { 'application/json': Error } }; 409: { content: { 'application/json': Error } }; 413: { content: { 'application/json': Error } }; 415: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/public/capability-plans': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Plans, capabilities and limits */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { currency: string; updated_at: string; plans: ({ id: 'free' | 'pro' | 'business' | 'enterprise'; name: string; description: string; prices: { month: number | null; year: number | null }; limits: Record<string, number | boolean | null>; capabilities: ('explain' | 'custom_domain' | 'password' | 'white_label' | 'topics' | 'sso' | 'scim' | 'custom_roles' | 'postmortems' | 'shadow_rules' | 'backtest')[]; channels: string[]; regions: string[]; support: string })[]; capabilities: { id: string; name: string; description: string; available: boolean }[]; limit_keys: { id: string; unit: string; description: string; available: boolean }[] } } }; 400: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/v1/public/openapi.json': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** This document */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': unknown } }; 400: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 429: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/health': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Health */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { status: 'ok'; version: string; time: string } } }; 400: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/health/live': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Liveness */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { status: 'ok' } } }; 400: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': Error } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/health/ready': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never }
    /** Readiness: 503 while a part is missing */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { status: 'ok' | 'unavailable'; checks: Record<string, boolean> } } }; 400: { content: { 'application/json': Error } }; 422: { content: { 'application/json': Error } }; 500: { content: { 'application/json': Error } }; 503: { content: { 'application/json': { status: 'ok' | 'unavailable'; checks: Record<string, boolean> } } } }
    }
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
}
