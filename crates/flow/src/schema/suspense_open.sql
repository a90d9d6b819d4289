-- What is open in suspense, for who counts it again and again while records flow. It grows at its ends: files have numbers in
-- the order in which they are done, and so have jobs in hand.
CREATE INDEX suspense_open ON suspense (file, job, node, why) WHERE state = 'open';
