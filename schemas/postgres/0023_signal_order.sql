-- Signals were ordered by the clocks of doors where a sender gave no time. Times of senders order
-- now, and else the log (streams/incident/order.ts). A row from before has only last_at: that
-- orders as it did until the row is written again.
ALTER TABLE signals
  -- Whose clock gave last_at; null: nobody says, as before.
  ADD COLUMN last_time_source text CHECK (last_time_source IN ('sender', 'door')),
  -- The last time of the sender that was applied.
  ADD COLUMN last_sender_at timestamptz,
  -- Where the last applied signal stands in its partition; null: in no log that is there.
  ADD COLUMN last_offset bigint;
