//! Parses ASN.1 notation (X.680 to X.683) into syntax. Names are not resolved here.

mod brackets;
mod constraints;
pub(crate) mod lexer;
pub(crate) mod objects;
mod parser;
pub(crate) mod syntax;
mod types;

pub(crate) use parser::parse;

/// The module of the types that X.680 itself defines in ASN.1.
pub(crate) const BUILT_IN: &str = "Built-In";

/// The associated types of X.680, 36.5, 37.5 and 44.5, the classes of X.681, annexes A and B, and the type of its annex
/// C, tagged as X.690, 8.17 and 8.18 encode them.
pub(crate) const BUILT_IN_TEXT: &str = "Built-In DEFINITIONS IMPLICIT TAGS ::= BEGIN
EXTERNAL ::= [UNIVERSAL 8] IMPLICIT SEQUENCE {
  direct-reference OBJECT IDENTIFIER OPTIONAL,
  indirect-reference INTEGER OPTIONAL,
  data-value-descriptor ObjectDescriptor OPTIONAL,
  encoding CHOICE {
    single-ASN1-type [0] EXPLICIT ANY,
    octet-aligned [1] IMPLICIT OCTET STRING,
    arbitrary [2] IMPLICIT BIT STRING } }
TYPE-IDENTIFIER ::= CLASS { &id OBJECT IDENTIFIER UNIQUE, &Type }
  WITH SYNTAX { &Type IDENTIFIED BY &id }
ABSTRACT-SYNTAX ::= CLASS { &id OBJECT IDENTIFIER UNIQUE, &Type, &property BIT STRING }
  WITH SYNTAX { &Type IDENTIFIED BY &id }
INSTANCE-OF ::= [UNIVERSAL 8] IMPLICIT SEQUENCE {
  type-id OBJECT IDENTIFIER,
  value [0] EXPLICIT ANY }
Identification ::= CHOICE {
  syntaxes [0] SEQUENCE { abstract [0] OBJECT IDENTIFIER, transfer [1] OBJECT IDENTIFIER },
  syntax [1] OBJECT IDENTIFIER,
  presentation-context-id [2] INTEGER,
  context-negotiation [3] SEQUENCE {
    presentation-context-id [0] INTEGER,
    transfer-syntax [1] OBJECT IDENTIFIER },
  transfer-syntax [4] OBJECT IDENTIFIER,
  fixed [5] NULL }
EMBEDDED-PDV ::= [UNIVERSAL 11] IMPLICIT SEQUENCE {
  identification [0] Identification,
  data-value-descriptor [1] ObjectDescriptor OPTIONAL,
  data-value [2] OCTET STRING }
CHARACTER-STRING ::= [UNIVERSAL 29] IMPLICIT SEQUENCE {
  identification [0] Identification,
  data-value-descriptor [1] ObjectDescriptor OPTIONAL,
  string-value [2] OCTET STRING }
END";
