-- A link that chooses the group of a Telegram channel: whoever opens it adds the bot to a group,
-- and that group becomes where the channel writes. As any pairing it is one of a member and a bot,
-- is good once, and ends with the membership. Empty: the link makes a sender the member.
ALTER TABLE chat_pairings ADD channel_id uuid;
