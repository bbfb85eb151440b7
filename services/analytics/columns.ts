/** Columns of each table of clickhouse/*.sql in the order of the lines that rows.ts writes; the engine fills what is not named. */
export const columns = {
  check_results:
    'tenant_id,monitor_id,region,seq,checked_at,scheduled_at,finished_at,received_at,check_id,kind,counted,skewed,attempts,outcome,ok,reason,message,status_code,dns_ms,connect_ms,tls_ms,request_ms,first_byte_ms,download_ms,total_ms,response_bytes,assertions,certificate_not_after,certificate_issuer,certificate_chain_ok,domain_expires_at,config_version,prober,prober_version,team_id,visibility,retention_class,expires_at,_p,_o',
  heartbeat_pings:
    'tenant_id,heartbeat_id,received_at,ping_id,kind,exit_code,run_id,client_at,method,source_class,user_agent,body_bytes,body_excerpt,instance,team_id,visibility,retention_class,expires_at,_p,_o',
  alert_ingest:
    'tenant_id,integration_id,received_at,occurred_at,alert_id,source,action,severity,dedup_key,title,labels,links,team_id,visibility,retention_class,expires_at,_p,_o',
  alerts_raw:
    'tenant_id,integration_id,received_at,raw_id,source,outcome,reason,alerts,bytes,content_type,payload_sha256,encoding,payload,_p,_o',
  ingest_usage: 'tenant_id,window_at,instance,boot,at,accepted,refused,admits,expires_at,_p,_o',
  monitor_transitions:
    'tenant_id,monitor_id,ver,transition_id,at,previous_at,previous_status,status,previous_phase,phase,reason,message,status_code,severity,cause,votes,flapping,team_id,visibility,_p,_o',
  heartbeat_transitions:
    'tenant_id,heartbeat_id,ver,transition_id,at,previous_at,previous_status,status,previous_phase,phase,reason,severity,cause,expected_at,deadline_at,missed_count,late,team_id,visibility,_p,_o',
  incident_events: 'tenant_id,incident_id,ver,event_id,change,at,cause,comment,status,severity,source_kind,team_id,visibility,_p,_o',
  incidents:
    'tenant_id,incident_id,ver,number,dedup_key,status,severity,title,source_kind,source_type,integration_id,monitor_id,heartbeat_id,region,is_major,team_id,visibility,assignee_id,started_at,opened_at,acknowledged_at,resolved_at,resolution_reason,reopened_from,updated_at,_p,_o',
  notification_deliveries:
    'tenant_id,delivery_id,ver,at,queued_at,intent_id,incident_id,incident_ver,event,channel_kind,channel_id,user_id,state,suppressed_by,attempt,manual,outcome,http_status,error_code,latency_ms,team_id,visibility,_p,_o',
  maintenance_windows:
    'tenant_id,window_id,ver,deleted,state,effect,count_in_uptime,covers_all,monitor_ids,heartbeat_ids,group_ids,tags,starts,ends,updated_at,_p,_o',
  rejected: 'tenant_id,topic,recorded_at,reason,error,bytes,_p,_o'
} as const

export type TableName = keyof typeof columns

/** In this order within a batch, so that a repeat does the same again. */
export const tableNames = Object.keys(columns) as TableName[]

const lists = new Map<string, string[]>(Object.entries(columns).map(([table, names]) => [table, names.split(',')]))

export const columnsOf = (table: string): string[] => lists.get(table) ?? []
