-- The native receiver no longer applies the dedup template: only a create has labels. A close also
-- tries the key from before, as the table says (0027).
INSERT INTO key_changes (name) VALUES ('native_receiver');
