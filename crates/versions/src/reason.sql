-- Why a version was activated; empty for activations before this.
ALTER TABLE activation ADD COLUMN because TEXT NOT NULL DEFAULT '';
