-- What makes the state of a node in a form, so that it can be read when the node has another form.
CREATE TABLE state_form (
    node        TEXT NOT NULL,
    form        TEXT NOT NULL,
    description BLOB NOT NULL,
    PRIMARY KEY (node, form)
) STRICT;
