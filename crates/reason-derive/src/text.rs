//! The text of an `#[error("…", …)]`: its pieces, and where its values come from.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, Ident, LitStr, Token};

use crate::fields::Bound;
use crate::numbered;

/// The text of an error.
pub(crate) struct Text {
    literal: LitStr,
    arguments: Vec<Argument>,
}

/// An argument behind the literal: `name = .0`, or `.0`.
struct Argument {
    name: Option<Ident>,
    /// The value, with the fields as they are bound.
    value: TokenStream,
    /// The field that the value begins with, as in `.0`.
    field: Option<String>,
}

/// A piece of the literal.
enum Piece {
    Text(String),
    /// What stands between braces: an argument, and how it is formatted (`:?`).
    Value(String, String),
}

impl Parse for Text {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let literal = input.parse()?;
        let mut arguments = Vec::new();
        if input.parse::<Option<Token![,]>>()?.is_some() {
            let all = Punctuated::<Argument, Token![,]>::parse_terminated(input)?;
            arguments.extend(all);
        }
        Ok(Text { literal, arguments })
    }
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let is_named = input.peek(Ident) && input.peek2(Token![=]) && !input.peek2(Token![==]);
        let name = match is_named {
            true => {
                let name = input.parse()?;
                input.parse::<Token![=]>()?;
                Some(name)
            }
            false => None,
        };
        let mut tokens = TokenStream::new();
        while !input.is_empty() && !input.peek(Token![,]) {
            tokens.extend([input.parse::<TokenTree>()?]);
        }
        let mut trees = tokens.clone().into_iter();
        let field = match (trees.next(), trees.next()) {
            (Some(TokenTree::Punct(dot)), Some(field)) if dot.as_char() == '.' => {
                Some(field.to_string())
            }
            _ => None,
        };
        Ok(Argument { name, value: with_fields(tokens), field })
    }
}

/// Replaces thiserror's `.0` and `.name` by the bindings of the fields.
fn with_fields(tokens: TokenStream) -> TokenStream {
    let mut out = TokenStream::new();
    // Whether a value may begin here: behind an operator, or at the start.
    let mut is_start = true;
    let mut trees = tokens.into_iter().peekable();
    while let Some(tree) = trees.next() {
        let is_dot = matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == '.');
        if is_dot && is_start {
            match trees.next() {
                Some(TokenTree::Literal(place)) => {
                    let place = place.to_string().parse().unwrap_or_default();
                    out.extend([TokenTree::from(numbered(place))]);
                }
                Some(name) => out.extend([name]),
                None => {}
            }
            is_start = false;
            continue;
        }
        is_start = matches!(&tree, TokenTree::Punct(punct) if punct.as_char() != '.');
        out.extend([match tree {
            TokenTree::Group(group) => {
                let inner = with_fields(group.stream());
                TokenTree::from(proc_macro2::Group::new(group.delimiter(), inner))
            }
            tree => tree,
        }]);
    }
    out
}

impl Text {
    /// Returns the statements that describe an error with these fields.
    pub(crate) fn pieces(&self, fields: &[Bound<'_>]) -> syn::Result<Vec<TokenStream>> {
        let mut unnamed = 0;
        let described = self.split()?.into_iter().map(|piece| match piece {
            Piece::Text(text) => Ok(quote!(description.text(#text);)),
            Piece::Value(place, how) => {
                let value = self.value(&place, &mut unnamed)?;
                let is_coded = |field: &Bound<'_>| {
                    field.is_coded && value.reads == Some(field.binding.to_string())
                };
                if fields.iter().any(is_coded) {
                    let value = value.tokens;
                    return Ok(quote!(::reason::Coded::describe(#value, description);));
                }
                value.described(&how)
            }
        });
        described.collect()
    }

    /// Returns an expression for the template, with the values of constants.
    pub(crate) fn template(&self) -> syn::Result<TokenStream> {
        let mut unnamed = 0;
        let pieces = self.split()?.into_iter().map(|piece| match piece {
            Piece::Text(text) => Ok(quote!(description.text(#text);)),
            Piece::Value(place, how) => {
                let value = self.value(&place, &mut unnamed)?;
                if value.is_constant {
                    return value.described(&how);
                }
                let name = value.name()?;
                Ok(quote!(description.value(#name, "");))
            }
        });
        let pieces = pieces.collect::<syn::Result<Vec<_>>>()?;
        Ok(quote!({
            let mut description = ::reason::Description::default();
            #(#pieces)*
            description.into_template()
        }))
    }

    fn split(&self) -> syn::Result<Vec<Piece>> {
        let literal = self.literal.value();
        let (mut pieces, mut text) = (Vec::new(), String::new());
        let mut characters = literal.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '{' | '}' if characters.next_if_eq(&character).is_some() => text.push(character),
                '{' => {
                    let inner: String =
                        characters.by_ref().take_while(|next| *next != '}').collect();
                    let (place, how) = inner.split_once(':').unwrap_or((&inner, ""));
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                    pieces.push(Piece::Value(place.trim().to_owned(), how.to_owned()));
                }
                '}' => {
                    return Err(Error::new_spanned(&self.literal, "a brace without its partner"));
                }
                _ => text.push(character),
            }
        }
        pieces.push(Piece::Text(text));
        pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
        Ok(pieces)
    }

    /// Returns the value at a place of the literal: `name`, `0`, or empty for the next argument.
    fn value(&self, place: &str, unnamed: &mut usize) -> syn::Result<Value> {
        let argument = match place {
            "" => {
                *unnamed += 1;
                let missing = || Error::new_spanned(&self.literal, "an argument is missing");
                Some(self.arguments.get(*unnamed - 1).ok_or_else(missing)?)
            }
            place => {
                let is_it =
                    |argument: &&Argument| argument.name.as_ref().is_some_and(|name| name == place);
                self.arguments.iter().find(is_it)
            }
        };
        Ok(match argument {
            Some(argument) => Value::of_argument(argument, self.literal.span()),
            None => Value::of_field(place, self.literal.span()),
        })
    }
}

/// The value of a parameter.
struct Value {
    tokens: TokenStream,
    /// The name of the parameter; none if the text gives it only a place.
    name: Option<String>,
    /// The binding of the field that it is, if it is one as it is.
    reads: Option<String>,
    /// Whether it is a constant of the program.
    is_constant: bool,
    /// Where the text is, for mistakes.
    text: Span,
}

impl Value {
    fn of_argument(argument: &Argument, text: Span) -> Self {
        let Argument { name, value, field } = argument;
        let of_field =
            field.as_ref().filter(|field| !field.starts_with(|first: char| first.is_ascii_digit()));
        let name = name.as_ref().map(ToString::to_string).or_else(|| of_field.cloned());
        Value {
            tokens: value.clone(),
            name,
            reads: Some(value.to_string()),
            is_constant: is_constant(&value.to_string()),
            text,
        }
    }

    fn of_field(place: &str, text: Span) -> Self {
        let (binding, name) = match place.parse::<usize>() {
            Ok(number) => (numbered(number), None),
            Err(_) => (format_ident!("{place}"), Some(place.to_owned())),
        };
        Value {
            tokens: quote!(#binding),
            name,
            reads: Some(binding.to_string()),
            is_constant: is_constant(place),
            text,
        }
    }

    /// Returns the statement that describes it, formatted in the same way as in the text.
    fn described(&self, how: &str) -> syn::Result<TokenStream> {
        let Value { tokens, is_constant, .. } = self;
        let format = if how.is_empty() { "{}".to_owned() } else { format!("{{:{how}}}") };
        if *is_constant {
            return Ok(quote!(description.text(&::std::format!(#format, #tokens));));
        }
        let name = self.name()?;
        Ok(quote!(description.value(#name, ::std::format_args!(#format, #tokens));))
    }

    /// Returns the name of the parameter. Users see it, and filter by it.
    fn name(&self) -> syn::Result<&str> {
        let message = "the value has no name: write {tag} in the text, and tag = .0 behind it";
        self.name.as_deref().ok_or_else(|| Error::new(self.text, message))
    }
}

/// Returns whether a name, or the last one of a path, is in capitals.
fn is_constant(value: &str) -> bool {
    let name = value.rsplit("::").next().unwrap_or(value).trim();
    name.contains(|letter: char| letter.is_ascii_uppercase())
        && !name.contains(|letter: char| letter.is_ascii_lowercase())
}
