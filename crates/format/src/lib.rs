//! Bytes of a file to records and back: framings, BER, CSV, fixed width, JSON, XML.
