-- People say when a monitor flaps. What is missing is as by default.
ALTER TABLE monitors ADD COLUMN flap jsonb NOT NULL DEFAULT '{"enabled": true, "window_rounds": 20, "high_percent": 30, "low_percent": 15}';
