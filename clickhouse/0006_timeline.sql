-- Lives are walked by services/analytics/uptime.ts: to plan this view cost the engine more than to read all its rows.
DROP VIEW IF EXISTS timeline;
