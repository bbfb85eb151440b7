#!/bin/sh
# Makes what is missing of the secrets that compose.yaml and cluster.yaml name, in a folder beside this file, readable by their readers only; a second run changes nothing.
#   ./secrets.sh                 then: cp example.env .env, and put the cluster id that it prints there
# Keep a copy of the folder apart from the data: without secrets_key the sealed secrets of workspaces cannot be opened again.
set -eu
umask 077
cd "$(dirname "$0")"
mkdir -p secrets
put() { [ -s "secrets/$1" ] || printf '%s' "$2" > "secrets/$1"; }
hex() { openssl rand -hex "$1"; }

for name in owner_password tenant_password system_password registry_password clickhouse_password interserver_password analytics_secret first_password; do put "$name" "$(hex 24)"; done
put secrets_key "$(hex 32)"
put first_api_token "service_$(hex 32)"
# Of your mail server, and of your accounts at Twilio, Google, Apple, Slack, Discord, Telegram and Mailgun, filled in by hand: empty ones are as if there were none.
for name in smtp_url twilio_auth_token twilio_api_key fcm_service_account apns_key slack_signing_secret slack_client_secret discord_bot_token discord_client_secret telegram_bot_token mailgun_signing_key; do put "$name" ''; done
for region in eu_central us_east ap_south; do put "prober_token_$region" "prober_$(hex 32)"; done

# Addresses with a password in them are secrets as a whole. Made of the passwords above, so that the two cannot differ.
host="${POSTGRES_HOST:-postgres:5432}"
put postgres_url "postgres://service_owner:$(cat secrets/owner_password)@$host/service"
put postgres_tenant_url "postgres://service_tenant:$(cat secrets/tenant_password)@$host/service"
put postgres_system_url "postgres://service_system:$(cat secrets/system_password)@$host/service"
at() { printf 'http://service:%s@%s:8123/service' "$(cat secrets/clickhouse_password)" "$1"; }
put clickhouse_url "$(at clickhouse)"
put clickhouse_urls "$(at clickhouse),$(at clickhouse-2),$(at clickhouse-3)"
put clickhouse_secrets "<clickhouse><interserver_password>$(cat secrets/interserver_password)</interserver_password></clickhouse>"
put registry_properties "apicurio.datasource.password=$(cat secrets/registry_password)"

# Compose hands a file on with the rights it has, and each container reads with a user of its own: the folder is closed, its files are not.
chmod 700 secrets
chmod 644 secrets/*
printf 'KAFKA_CLUSTER_ID=%s\n' "$(openssl rand -base64 16 | tr '+/' 'Ab' | cut -c1-22)"
