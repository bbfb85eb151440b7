-- The title that an incident opened with, once a person has given it another.
ALTER TABLE incidents ADD COLUMN original_title text;
