//! `#[derive(Coded)]`: implements `reason::Coded` for an error type whose texts are thiserror's `#[error("…")]`.
//!
//! - `#[code("prefix")]` on the type: the code of a variant is the prefix and its name, `prefix-no-number`. The code of a
//!   structure is the prefix alone.
//! - `#[code("prefix")]` on a variant replaces its code.
//! - `#[error(transparent)]`, or `#[coded]` on a field: the error in the field has codes of its own, and describes itself.
//! - Each value has a name: `{tag}`, of a field, or with `tag = .0` behind the text.
//! - A name in capitals is a constant: its value is text of the template.
#![forbid(unsafe_code)]

mod fields;
mod text;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, Data, DeriveInput, Error, Expr, Fields, Lit, LitStr, Meta};

use fields::Bound;
use text::Text;

/// Implements `reason::Coded`.
#[proc_macro_derive(Coded, attributes(code, coded))]
pub fn coded(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    implementation(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// A variant, or the whole structure.
struct Variant<'i> {
    /// What its pattern begins with.
    path: TokenStream,
    code: Option<String>,
    attributes: &'i [Attribute],
    fields: &'i Fields,
}

fn implementation(input: &DeriveInput) -> syn::Result<TokenStream> {
    let prefix = code_of(&input.attrs)?;
    let variants: Vec<Variant<'_>> = match &input.data {
        Data::Enum(data) => {
            let variants = data.variants.iter().map(|variant| {
                let name = &variant.ident;
                let own = code_of(&variant.attrs)?;
                let of_name =
                    prefix.as_ref().map(|prefix| format!("{prefix}-{}", kebab(&name.to_string())));
                let path = quote!(Self::#name);
                Ok(Variant {
                    path,
                    code: own.or(of_name),
                    attributes: &variant.attrs,
                    fields: &variant.fields,
                })
            });
            variants.collect::<syn::Result<_>>()?
        }
        Data::Struct(data) => {
            let path = quote!(Self);
            vec![Variant { path, code: prefix, attributes: &input.attrs, fields: &data.fields }]
        }
        Data::Union(_) => return Err(Error::new_spanned(input, "a union is no error")),
    };
    let described = variants.iter().map(described).collect::<syn::Result<Vec<_>>>()?;
    let (arms, codes): (Vec<_>, Vec<_>) = described.into_iter().unzip();
    let name = &input.ident;
    let (generics, arguments, conditions) = input.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #generics ::reason::Coded for #name #arguments #conditions {
            fn describe(&self, description: &mut ::reason::Description) {
                // A text need not use all fields.
                #[allow(unused_variables)]
                match self { #(#arms)* }
            }

            fn codes() -> ::std::vec::Vec<::reason::Code> {
                ::std::vec![#(#codes)*]
            }
        }
    })
}

/// Returns the arm that describes a variant, and its entry in the list of codes; none if the error in it has the code.
fn described(variant: &Variant<'_>) -> syn::Result<(TokenStream, Option<TokenStream>)> {
    let Variant { path, code, attributes, fields } = variant;
    let fields = fields::bound(fields);
    let pattern = fields::pattern(path, &fields);
    let inner: Vec<&Bound<'_>> = fields.iter().filter(|field| field.is_coded).collect();
    let Some(text) = text_of(attributes)? else {
        let [Bound { binding, .. }] = fields.as_slice() else {
            return Err(Error::new_spanned(path, "a transparent error has one field"));
        };
        return Ok((quote!(#pattern => ::reason::Coded::describe(#binding, description),), None));
    };
    let code = match (code, inner.is_empty()) {
        (Some(code), _) => Some(code),
        (None, false) => None,
        (None, true) => return Err(Error::new_spanned(path, "it has no #[code(\"…\")]")),
    };
    let pieces = text.pieces(&fields)?;
    let note = code.map(|code| quote!(description.code(#code);));
    let arm = quote!(#pattern => { #note #(#pieces)* });
    let entry = code.filter(|_| inner.is_empty()).map(|code| {
        let (template, meaning) = (text.template()?, documentation(attributes));
        syn::Result::Ok(
            quote!(::reason::Code { code: #code, template: #template, meaning: #meaning },),
        )
    });
    Ok((arm, entry.transpose()?))
}

/// Returns the code of a `#[code("…")]`.
fn code_of(attributes: &[Attribute]) -> syn::Result<Option<String>> {
    let code = attributes.iter().find(|attribute| attribute.path().is_ident("code"));
    code.map(|code| code.parse_args::<LitStr>().map(|code| code.value())).transpose()
}

/// Returns the text of the `#[error(…)]`; none if it is transparent.
fn text_of(attributes: &[Attribute]) -> syn::Result<Option<Text>> {
    let error = attributes.iter().find(|attribute| attribute.path().is_ident("error"));
    let Some(error) = error else {
        return Err(Error::new(proc_macro2::Span::call_site(), "there is no #[error(…)]"));
    };
    let is_transparent = error.parse_args::<syn::Ident>().is_ok_and(|word| word == "transparent");
    if is_transparent { Ok(None) } else { error.parse_args().map(Some) }
}

/// Returns the documentation, its lines joined.
fn documentation(attributes: &[Attribute]) -> String {
    let line = |attribute: &Attribute| match &attribute.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => match &meta.value {
            Expr::Lit(value) => match &value.lit {
                Lit::Str(line) => Some(line.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    };
    attributes.iter().filter_map(line).collect::<Vec<_>>().join(" ")
}

/// Returns `no-prefix` for `NoPrefix`.
fn kebab(name: &str) -> String {
    let mut kebab = String::new();
    for character in name.chars() {
        if character.is_uppercase() && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.extend(character.to_lowercase());
    }
    kebab
}

/// Returns the name that a field without a name is bound to.
fn numbered(place: usize) -> syn::Ident {
    format_ident!("_{place}")
}
