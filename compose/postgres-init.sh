#!/bin/sh
# Runs once, when the server makes its data: the corner of the schema registry, a role and a schema of its own. The service's own roles are made by the migrate step.
set -eu
psql --set=ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
\set password `cat /run/secrets/registry_password`
CREATE ROLE service_registry LOGIN PASSWORD :'password';
CREATE SCHEMA registry AUTHORIZATION service_registry;
SQL
