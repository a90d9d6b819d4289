-- Groups that were released are forgotten by the time of their records, where the node knows that.
CREATE INDEX held_group_made ON held_group (node, last_ms) WHERE released_ms IS NOT NULL AND last_ms IS NOT NULL;
